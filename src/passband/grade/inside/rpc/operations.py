"""Special methods, and what carries each of them out on the side where an object lives."""

from __future__ import annotations

import copy
import math
import operator
import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["COMPARISONS", "OPERATIONS"]

COMPARISONS = frozenset({"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"})

_BINARY = (
    *("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow"),
    *("lshift", "rshift", "and", "or", "xor"),
)
_UNARY = ("neg", "pos", "invert", "getitem", "setitem", "delitem", "contains", "index")


def _exit(obj: Any, *args: Any) -> Any:
    return type(obj).__exit__(obj, *args)


def _reflected(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda obj, other: operate(other, obj)


OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(operator, name) for name in COMPARISONS},
    **{f"__{n}__": getattr(operator, f"__{n}__") for n in _UNARY},
    **{f"__{n}__": getattr(operator, f"__{n}__") for n in _BINARY},
    **{f"__i{n}__": getattr(operator, f"__i{n}__") for n in _BINARY},
    **{f"__r{n}__": _reflected(getattr(operator, f"__{n}__")) for n in _BINARY},
    "__divmod__": divmod,
    "__rdivmod__": lambda o, x: divmod(x, o),
    "__abs__": abs,
    "__bool__": bool,
    "__bytes__": bytes,
    "__ceil__": math.ceil,
    "__complex__": complex,
    "__copy__": copy.copy,
    "__deepcopy__": lambda o, *_: copy.deepcopy(o),
    "__dir__": dir,
    "__enter__": lambda o: type(o).__enter__(o),
    "__exit__": _exit,
    "__float__": float,
    "__floor__": math.floor,
    "__format__": format,
    "__fspath__": os.fspath,
    "__hash__": hash,
    "__int__": int,
    "__iter__": iter,
    "__len__": len,
    "__next__": next,
    "__repr__": repr,
    "__reversed__": reversed,
    "__round__": round,
    "__str__": str,
    "__trunc__": math.trunc,
}
"""Special method → what to do on the side where the object lives."""
