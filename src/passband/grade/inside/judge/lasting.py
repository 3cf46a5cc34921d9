"""Whether a process may judge one run after another: only where a run can leave no trace for the next.

A fork costs a third of a verdict. It is spared where every test is plain and the hidden modules hold nothing that a run
could change unseen: functions without state, constants, data whose content is looked at again after each run.
"""

from __future__ import annotations

import marshal
import re
import sys
import types
from typing import TYPE_CHECKING, Any

from passband.grade.inside.judge.lazy import Promise, RemoteModule

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Guard", "lasting"]

_CONSTANTS = (int, float, complex, str, bytes, bool, type(None), type(...), re.Pattern, range)
_TABLES = (list, dict, set, tuple, frozenset, bytearray)
# Through these a test could change the process it runs in, or remember something in it.
_UNSTEADY = frozenset(
    {
        *("asyncio", "atexit", "builtins", "ctypes", "decimal", "faulthandler", "functools", "gc", "importlib"),
        *("inspect", "locale", "logging", "multiprocessing", "numpy", "os", "signal", "subprocess", "sys"),
        *("tempfile", "threading", "types", "unittest", "warnings", "weakref"),
    }
)


def lasting(modules: Iterable[types.ModuleType]) -> bool:
    """Whether runs leave no trace in hidden modules, as far as can be known."""
    modules = list(modules)
    names = {m.__name__ for m in modules}
    return all(
        _steady(value, names)
        for module in modules
        for name, value in vars(module).items()
        if not name.startswith(("__", "@"))
    )


def _steady(value: Any, hidden: set[str]) -> bool:
    kind = type(value)
    if kind in _CONSTANTS or kind in {Promise, RemoteModule}:
        return True
    if kind in _TABLES:
        return _digest(value) is not None
    if kind is types.ModuleType:
        top = value.__name__.partition(".")[0]
        return (value.__name__ in hidden or top == "pytest" or top in sys.stdlib_module_names) and top not in _UNSTEADY
    if kind is types.FunctionType:
        return _steady_function(value)
    home = getattr(value, "__module__", None)
    if isinstance(value, type) and home in hidden:
        members = {k: v for k, v in vars(value).items() if not k.startswith("__")}
        return value.__bases__ == (object,) and all(_steady(v, hidden) for v in members.values())
    # A class or function of the library's; not an object of it, which could have a state.
    return (
        type(home) is str
        and home.partition(".")[0] in (sys.stdlib_module_names | {"pytest", "_pytest"}) - _UNSTEADY
        and isinstance(value, (type, types.BuiltinFunctionType))
    )


def _steady_function(function: types.FunctionType) -> bool:
    if function.__module__.partition(".")[0] in sys.stdlib_module_names | {"pytest", "_pytest"}:
        return function.__module__.partition(".")[0] not in _UNSTEADY
    if set(vars(function)) - {"pytestmark"} or function.__closure__:
        return False
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    return all(type(d) in {*_CONSTANTS, Promise} for d in defaults) and _steady_code(function.__code__)


def _steady_code(code: types.CodeType) -> bool:
    """Whether code imports nothing that would let it change the process."""
    return not _UNSTEADY & set(code.co_names) and all(
        _steady_code(c) for c in code.co_consts if isinstance(c, types.CodeType)
    )


def _digest(value: Any) -> bytes | None:
    try:
        return marshal.dumps(value, 2)  # later versions let the reference counts show
    except ValueError:
        return None


class Guard:
    """Notices that something in hidden modules is not as it was.

    Parameters
    ----------
    modules : iterable of module
        Hidden modules.
    """

    def __init__(self, modules: Iterable[types.ModuleType]) -> None:
        self._modules = list(modules)
        self._loaded = frozenset(sys.modules)
        self._before = self._look()

    def unchanged(self) -> bool:
        """Whether all is as it was; modules of the candidate's that a run imported are forgotten first."""
        for name in sys.modules.keys() - self._loaded:
            if isinstance(sys.modules[name], RemoteModule):
                del sys.modules[name]
            elif name.partition(".")[0] in sys.stdlib_module_names - _UNSTEADY:
                self._loaded |= {name}
        return sys.modules.keys() == self._loaded and self._look() == self._before

    def _look(self) -> list[tuple[str, int, bytes | None]]:
        return [
            (name, id(value), _digest(value) if type(value) in _TABLES else None)
            for module in self._modules
            for name, value in vars(module).items()
        ]
