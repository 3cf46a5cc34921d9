"""Arrays and scalars of numpy, where both sides have it loaded: they cross by value, as type, shape and bytes.

A copy on each side: what one does to its array the other does not see. A test that looks for that belongs in tier 2.
"""

from __future__ import annotations

import base64
import math
import sys
from typing import Any

from passband.grade.inside.rpc.wire import ProtocolError

__all__ = ["decode_array", "encode_array"]

_KINDS = frozenset("biufcSUmM")


def encode_array(value: Any) -> list[Any] | None:
    """Take an exact array or scalar of plain numbers or text apart; None for anything else."""
    numpy = sys.modules.get("numpy")
    if numpy is None or type(value).__module__ != "numpy":
        return None
    if type(value) is not numpy.ndarray and not isinstance(value, numpy.generic):
        return None
    if value.dtype.kind not in _KINDS or value.dtype.hasobject:
        return None
    shape = list(value.shape) if type(value) is numpy.ndarray else None
    return [value.dtype.str, shape, base64.b64encode(value.tobytes()).decode()]


def decode_array(parts: Any) -> Any:
    """Put an array or a scalar together.

    Raises
    ------
    ProtocolError
        For parts that make none, or where numpy is not loaded on this side.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or type(parts) is not list or len(parts) != 3:
        raise ProtocolError("an array where there are none")
    kind, shape, data = parts
    if type(kind) is not str or len(kind) < 3 or kind[1] not in _KINDS or type(data) is not str:
        raise ProtocolError("an array of no kind")
    dtype, content = numpy.dtype(kind), base64.b64decode(data, validate=True)
    if dtype.kind not in _KINDS:
        raise ProtocolError("an array of several kinds")
    if shape is None:
        if len(content) != dtype.itemsize:
            raise ProtocolError("a scalar of no size")
        return numpy.frombuffer(content, dtype)[0]
    if type(shape) is not list or not all(type(n) is int and n >= 0 for n in shape):
        raise ProtocolError("an array of no shape")
    if math.prod(shape) * dtype.itemsize != len(content):
        raise ProtocolError("an array of another size than its shape")
    return numpy.frombuffer(content, dtype).reshape(shape).copy()
