"""The plain content of objects that compare as a built-in does: lists by another name, views, dates, numbers.

Whether such an object equals data is not for it to say. Its content crosses, as data, and the judge compares that by
the rule of the built-in: a lie about it is just another value.
"""

from __future__ import annotations

import sys
import types
from collections import Counter, OrderedDict, UserList, UserString, deque
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.operations import COMPARISONS
from passband.grade.inside.rpc.values import is_value, plain_value

__all__ = ["content_of"]

_ALL = slice(None)
_KINDS = frozenset("biufcSU")


def _octets(view: memoryview) -> bytes | None:
    return view.tobytes() if view.format == "B" and view.ndim == 1 else None


# Whose comparison it is → what that compares. Past methods of the object's own, as the comparison goes.
_CONTENT: dict[type, Callable[[Any], Any]] = {
    list: lambda v: list.__getitem__(v, _ALL),
    bytearray: lambda v: bytearray.__getitem__(v, _ALL),
    set: lambda v: set(set.__iter__(v)),
    frozenset: lambda v: frozenset(frozenset.__iter__(v)),
    dict: lambda v: dict(dict.items(v)),
    deque: lambda v: deque(deque.__iter__(v)),
    OrderedDict: lambda v: OrderedDict(OrderedDict.items(v)),
    Counter: lambda v: Counter(dict(dict.items(v))),
    type({}.keys()): set,
    type({}.items()): set,
    types.MappingProxyType: dict,
    memoryview: _octets,
    UserList: lambda v: list(v.data),
    UserString: lambda v: str(v.data),
    Mapping: lambda v: dict(v.items()),
    AbstractSet: set,
}


def content_of(value: Any, name: str) -> Any:
    """Return what a comparison of an object compares.

    Parameters
    ----------
    value : object
        The object.
    name : str
        The special method.

    Returns
    -------
    object
        Data of an exact type.

    Raises
    ------
    UncrossableError
        Where the object's class has a comparison of its own.
    """
    owner = _owner(type(value), name)
    if owner is object and name == "__ne__":  # it asks the other one
        owner = _owner(type(value), "__eq__")
    content = _content(value, owner) if name in COMPARISONS else None
    if content is None:
        raise UncrossableError(f"an object of the candidate's class {type(value).__name__} was compared with data")
    return content


def _content(value: Any, owner: type) -> Any:
    if owner in _CONTENT:
        return _CONTENT[owner](value)
    if is_value(owner):
        try:
            return plain_value(value, owner)
        except ValueError:
            return None
    return value.item() if _is_scalar(value) else None


def _is_scalar(value: Any) -> bool:
    """Whether a value is a number or a text of numpy's own: they compare as the built-in value does."""
    cls = type(value)
    scalar = getattr(sys.modules.get("numpy"), "generic", None)
    return scalar is not None and cls.__module__ == "numpy" and isinstance(value, scalar) and value.dtype.kind in _KINDS


def _owner(cls: type, name: str) -> type:
    return next((base for base in cls.__mro__ if name in vars(base)), object)
