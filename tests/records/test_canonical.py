import json
import math
import random
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passband.errors import DataError
from passband.records import canonical_json, content_digest, freeze

BMP_TEXT = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=8)
KEYS = BMP_TEXT.filter(lambda key: not key.startswith("\0"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def rfc8785(value):
    """Encode as RFC 8785 does, in pure Python: keys by UTF-16 code units, escapes as ECMAScript writes them."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(f"{rfc8785(key)}:{rfc8785(value[key])}" for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(rfc8785, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


@given(VALUES)
def test_equals_rfc_8785_on_its_domain(value):
    """On the restricted domain the fast encoder and RFC 8785 agree byte for byte."""
    assert canonical_json(value) == rfc8785(value).encode()


@given(st.dictionaries(KEYS, VALUES, max_size=6), st.randoms())
def test_key_order_does_not_matter(table, rng):
    """The order in which keys were written leaves no trace."""
    items = list(table.items())
    rng.shuffle(items)
    assert canonical_json(dict(items)) == canonical_json(table)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        ([{"a": 2**53}], "not exact"),
        (-(2**53), "not exact"),
        ({1: "a"}, "not a string"),
        ({"\U0001f600": 1}, "U\\+FFFF"),
        ({"\0float": "0x1p+0"}, "reserved"),
        ("\ud800", "surrogate"),
        (b"bytes", "bytes"),
        ({1, 2}, "set"),
    ],
)
def test_refuses_what_has_no_canonical_form(value, words):
    """What encoders disagree about is refused with its name, never encoded in silence."""
    with pytest.raises(DataError, match=words):
        canonical_json(value)


def test_refuses_endless_nesting():
    """A value that contains itself is an error, not a crash."""
    loop = []
    loop.append(loop)
    with pytest.raises(DataError, match="nested deeper"):
        canonical_json(loop)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_exact_and_unlike_any_text(x):
    """A float's form holds all its bits, and no string or table of the domain has the same form."""
    form = json.loads(canonical_json(x))
    assert math.copysign(1, float.fromhex(form["\0float"])) == math.copysign(1, x)
    assert float.fromhex(form["\0float"]) == x
    assert canonical_json(x) != canonical_json(x.hex())


def test_digests_of_different_domains_differ():
    """Two kinds of content never share a digest, nor do two layouts of one kind."""
    value = {"a": 1}
    digests = {content_digest("x", 1, value), content_digest("y", 1, value), content_digest("x", 2, value)}
    assert len(digests) == 3


def test_digest_is_the_same_in_every_process():
    """The digest hangs on the value alone: this one was worked out with sha256 over the bytes written here."""
    import hashlib

    assert (
        content_digest("d", 3, {"b": [1, "é"], "a": None})
        == hashlib.sha256('d/3\n{"a":null,"b":[1,"é"]}'.encode()).hexdigest()
    )


def test_frozen_data_cannot_be_changed():
    """Frozen data is read-only to the leaves."""
    frozen = freeze({"a": [1, {"b": 2}]})
    with pytest.raises(TypeError):
        frozen["a"] = 1
    with pytest.raises(TypeError):
        frozen["a"][1]["b"] = 3
    assert frozen["a"] == (1, {"b": 2})


def test_no_float_repr_depends_on_the_platform():
    """Hexadecimal floats round-trip on whatever machine writes them."""
    rng = random.Random(1)
    for _ in range(100):
        x = rng.uniform(-1, 1) * sys.float_info.max ** rng.random()
        assert float.fromhex(json.loads(canonical_json(x))["\0float"]) == x
