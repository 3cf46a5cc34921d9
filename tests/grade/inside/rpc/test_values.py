"""What a process that may lie cannot make of a value: another kind than that which crosses."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest

from passband.grade.inside.rpc.arrays import decode_array, encode_array
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.values import decode_value
from passband.grade.inside.rpc.wire import ProtocolError
from tests.grade.inside.pair import pair


@pytest.mark.parametrize("kind", ["<i8,<f8", "<i8,(2,)<i4", "<i8,<U1"])
def test_an_array_of_several_kinds(kind: str) -> None:
    """Fields do not cross, though the first of them would."""
    data = base64.b64encode(bytes(np.dtype(kind).itemsize)).decode()
    assert encode_array(np.zeros(1, kind)) is None
    for shape in (None, [1]):
        with pytest.raises(ProtocolError, match="several kinds"):
            decode_array([kind, shape, data])


@pytest.mark.parametrize("part", [{"a": 1}, "1", 1.5, [1]])
def test_a_slice_of_anything(part: object) -> None:
    """It is of integers on the other side as well."""
    with pytest.raises(ProtocolError, match="slice"):
        decode_value(["slice", part, None, None])


def test_a_pattern_of_bytes() -> None:
    """It crosses like one of text."""
    with pair("import re\nP = re.compile(rb'a\\xff+', re.I)\n") as (_judge, module):
        assert re.compile(rb"a\xff+", re.IGNORECASE) == module.P
        assert module.P.match(b"A\xff")


def test_a_slice_of_letters_is_none_that_crosses() -> None:
    """The one side says so before the other has to."""
    with pair("def f(): return slice('a', 'b')\n") as (_judge, module), pytest.raises(UncrossableError):
        module.f()


def test_an_object_that_fails_at_every_question() -> None:
    """What cannot be read does not cross, and the other side goes on."""
    source = """
        class Odd:
            @property
            def __class__(self): raise RuntimeError("none of yours")

        def f(): return Odd()
        def g(): return 3
        """
    with pair(source) as (_judge, module):
        with pytest.raises(UncrossableError, match="RuntimeError"):
            module.f()
        assert module.g() == 3
