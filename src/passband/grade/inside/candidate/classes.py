"""What the judge's stand-in for a class of the candidate's needs to know."""

from __future__ import annotations

import sys
import types
from enum import Enum
from typing import TYPE_CHECKING, Any

from passband.grade.inside.rpc.operations import OPERATIONS
from passband.grade.inside.rpc.remote import find_special
from passband.grade.inside.rpc.values import value_base

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CONTENT", "described"]

CONTENT: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: lambda v: bytes.__getitem__(v, slice(None)),
    tuple: lambda v: tuple.__getitem__(v, slice(None)),
}
"""Built-in class → how to get at the plain content of an instance of a class that extends it."""
_CONTAINERS = (list, dict, set, frozenset, bytearray)


def described(cls: type) -> dict[str, Any]:
    """Describe a class, but for its bases; the keys are those of :func:`passband.grade.inside.rpc.classes.make_class`.

    Returns
    -------
    dict
        Data that crosses; ``g`` is the module of a class that the standard library has under its name.
    """
    value = next((b for b in CONTENT if issubclass(cls, b)), None)
    own_hash: Any = cls.__hash__
    plain: Any = value or (BaseException if issubclass(cls, BaseException) else object)
    special = [n for n in (*OPERATIONS, "__call__") if _overridden(cls, n, plain)]
    if value is not None and not issubclass(cls, Enum):
        special = [n for n in special if n not in {"__copy__", "__deepcopy__"}]
    methods = {
        name
        for base in cls.__mro__
        for name, found in vars(base).items()
        if isinstance(found, types.FunctionType | types.MethodDescriptorType)
    }
    return {
        "n": cls.__name__,
        "q": cls.__qualname__,
        "mod": cls.__module__,
        "d": special,
        "p": sorted(methods) if plain is object else [],
        "v": value.__name__ if value else None,
        "l": next((b.__name__ for b in (*_CONTAINERS, value_base(cls)) if b and issubclass(cls, b)), None),
        "h": own_hash is not None and own_hash is not plain.__hash__,
        "g": cls.__module__ if _of_library(cls) else None,
    }


def _of_library(cls: type) -> bool:
    """Whether a class is the one that the standard library has under its name, whatever it calls itself."""
    top = cls.__module__.partition(".")[0] if type(cls.__module__) is str else ""
    return (
        top in sys.stdlib_module_names
        and getattr(sys.modules.get(cls.__module__), "__dict__", {}).get(cls.__name__) is cls
    )


def _overridden(cls: type, name: str, plain: type) -> bool:
    found = find_special(cls, name)
    return found is not None and found is not find_special(plain, name) and found is not vars(object).get(name)
