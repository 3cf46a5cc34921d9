"""One byte string per value: canonical JSON on a restricted domain, and digests of it.

The domain is chosen so that a fast encoder and RFC 8785 agree byte for byte: string keys inside the Basic Multilingual
Plane (where code-point order is UTF-16 order), integers below 2**53 in magnitude, floats written as tagged strings, no
NaN, no infinity, no lone surrogate, no bytes, no sets. Strings are taken as they are: no Unicode normalisation.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from passband.errors import DataError

__all__ = ["canonical_json", "content_digest", "freeze"]

_MAX_INT = 2**53
_MAX_DEPTH = 100


# A chain from the leaf to the root, written out where there is something to say of it: nearly never.
_Place: TypeAlias = "tuple[_Place, str] | str"


def _check(value: Any, place: _Place, depth: int = 0) -> Any:
    """Return `value` as orjson-ready data, or say why it has no canonical form."""
    if depth > _MAX_DEPTH:
        raise DataError(f"nested deeper than {_MAX_DEPTH} levels", where=_written(place))
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str:
        return value if value.isascii() else _text(value, place)
    if kind is int:
        if abs(value) >= _MAX_INT:
            where = _written(place)
            raise DataError(f"the integer {value} is not exact in JSON", where=where, fix="write it as a string")
        return value
    if kind is float:
        if not math.isfinite(value):
            where = _written(place)
            raise DataError(f"{value} has no place in JSON", where=where, fix="leave it out or write null")
        # Encoders disagree on how to print floats; hex is exact, and the tag keeps it apart from a string.
        return {"\u0000float": value.hex()}
    if kind is dict or kind is MappingProxyType or isinstance(value, Mapping):
        return {_key(k, place): _check(v, (place, f".{k}"), depth + 1) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_check(v, (place, f"[{i}]"), depth + 1) for i, v in enumerate(value)]
    raise DataError(
        f"a value of type {kind.__name__} has no canonical form",
        where=_written(place),
        fix="use null, booleans, integers, floats, strings, lists and tables",
    )


def _written(place: _Place) -> str:
    steps = []
    while isinstance(place, tuple):
        place, step = place
        steps.append(step)
    return place + "".join(reversed(steps))


def _text(value: str, place: _Place) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise DataError(f"a lone surrogate at character {error.start} is not text", where=_written(place)) from None
    return value


def _key(key: Any, place: _Place) -> str:
    if type(key) is not str:
        raise DataError(f"the key {key!r} is not a string", where=_written(place))
    if key.startswith("\u0000"):
        raise DataError(f"the key {key!r} starts with NUL, which is reserved", where=_written(place))
    if key.isascii():
        return key
    if max(key) > "\uffff":
        where = _written(place)
        raise DataError(
            f"the key {key!r} holds a character beyond U+FFFF", where=where, fix="use it in a value instead"
        )
    return _text(key, place)


def canonical_json(value: Any, *, where: str = "value") -> bytes:
    """Encode `value` as the one byte string all equal values share.

    Parameters
    ----------
    value : JSON-like
        ``None``, booleans, integers, finite floats, strings, lists or tuples, and mappings with string keys.
    where : str
        What to call the value in an error.

    Returns
    -------
    bytes
        UTF-8, keys sorted, no white space.

    Raises
    ------
    DataError
        For NaN, infinities, integers of 2**53 and more, keys that are not strings, bytes, sets and other objects.
    """
    import orjson

    return orjson.dumps(_check(value, where), option=orjson.OPT_SORT_KEYS)


def content_digest(domain: str, version: int, value: Any, *, where: str = "value") -> str:
    """SHA-256 of the canonical form, in a namespace of its own.

    Parameters
    ----------
    domain : str
        What is hashed, for example ``"passband.suite"``: two kinds of content never share a digest.
    version : int
        Version of the layout of `value`.
    value : JSON-like
        See :func:`canonical_json`.
    where : str
        What to call the value in an error.

    Returns
    -------
    str
        64 hexadecimal digits.
    """
    return hashlib.sha256(f"{domain}/{version}\n".encode() + canonical_json(value, where=where)).hexdigest()


def freeze(value: Any) -> Any:
    """Make JSON-like data read-only, all the way down: lists become tuples, mappings become read-only views."""
    if type(value) is str:
        return value
    if isinstance(value, Mapping):
        return MappingProxyType({k: freeze(v) for k, v in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(v) for v in value)
    return value
