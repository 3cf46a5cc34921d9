"""``pytest.raises`` that takes an exception for what an ``except`` clause takes it for.

It asks ``isinstance``, which believes an object that claims another class (``__class__ = ValueError``). No caller that
catches a ValueError would catch that, and unittest and older versions of pytest do not take it for one either.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["is_of", "make_strict"]

_real_isinstance = isinstance


def is_of(value: object, kinds: Any) -> bool:
    """Do what ``isinstance`` does, but for exceptions by their real bases alone."""
    real = type(value)
    if not issubclass(real, BaseException):
        return _real_isinstance(value, kinds)
    if type(kinds) is tuple:
        return any(is_of(value, kind) for kind in kinds)
    if not _real_isinstance(kinds, type):
        return _real_isinstance(value, kinds)
    return any(base is kinds for base in type.mro(real))


def make_strict() -> None:
    """Let pytest's own check use :func:`is_of` from now on, where this version of pytest has one that asks."""
    try:
        module: Any = importlib.import_module("_pytest.raises")
    except ImportError:
        return
    module.isinstance = is_of
