"""Modules loaded before the fork, which a candidate's tree may have modules of the same names as."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["load", "unload"]

_loaded: set[str] = set()


def load(names: Iterable[str]) -> None:
    """Load modules, and remember which were not there before."""
    before = set(sys.modules)
    for name in names:
        importlib.import_module(name)
    _loaded.update(sys.modules.keys() - before)


def unload(names: Iterable[str]) -> None:
    """Forget modules that only :func:`load` brought: a tree's own of that name is then found, as it would be cold."""
    for name in names:
        for module in [m for m in _loaded if m == name or m.startswith(f"{name}.")]:
            sys.modules.pop(module, None)
