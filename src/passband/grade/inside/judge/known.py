"""Which classes the judge has by the name that a candidate's process gives.

That process may say anything. What it can bring about by a name is an exception of a class that honest programs raise,
and that decides nothing but what ``except`` and ``raises`` make of it: no word of it stops a test, skips one or ends
the run.
"""

from __future__ import annotations

import builtins
import sys
from typing import Any

__all__ = ["builtin_class", "library_error"]

# What these raise is meant for whoever runs tests, or a debugger.
_CONTROL = frozenset({"bdb", "doctest", "pdb", "test", "unittest"})


def builtin_class(name: Any) -> type | None:
    """Return the built-in class of a public name; None where there is none."""
    found = getattr(builtins, name, None) if type(name) is str and not name.startswith("_") else None
    return found if isinstance(found, type) and found.__module__ == "builtins" else None


def library_error(module: Any, name: Any) -> type[Exception] | None:
    """Return an exception class of the standard library.

    Parameters
    ----------
    module, name
        Where it is said to be from.

    Returns
    -------
    type or None
        None for anything but a public exception class of a module that is loaded: a test that names it has imported it.
    """
    if type(module) is not str or type(name) is not str:
        return None
    found = getattr(sys.modules.get(module), "__dict__", {}).get(name)
    if not isinstance(found, type) or not issubclass(found, Exception) or found.__module__ != module:
        return None
    return found if all(_harmless(base) for base in found.__mro__) else None


def _harmless(cls: type) -> bool:
    top = cls.__module__.partition(".")[0]
    return top in sys.stdlib_module_names - _CONTROL and not cls.__name__.startswith("_")
