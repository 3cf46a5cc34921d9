"""What the judge lends to the candidate's process, and what may be done with it there.

A test may hand the candidate a callback, a fake, a stream. They stay in the judge's process, which holds every expected
value, so the other side can call them and use their public face and can reach nothing behind it: no underscore names,
no frames, no globals, no objects of pytest.
"""

from __future__ import annotations

import builtins
import importlib
import sys
import types
from typing import Any

from passband.grade.inside.judge.lazy import Promise, RemoteModule
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.operations import OPERATIONS
from passband.grade.inside.rpc.peer import Peer, made_from
from passband.grade.inside.rpc.remote import find_special
from passband.grade.inside.rpc.wire import ProtocolError, Wire

__all__ = ["Lending"]

_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType)
_SPECIAL = frozenset(OPERATIONS) - {"__dir__", "__copy__", "__deepcopy__", "__repr__"}
# Packages of the standard library whose instances are safe to lend: containers, iterators, streams in memory, mocks.
_LENDABLE = frozenset(
    {"builtins", "_io", "io", "collections", "_collections", "functools", "itertools", "random", "types", "unittest"}
)
_CALLS = "method_calls"  # the one of these names that a mock has of its own, and not of its class
_KEPT = (types.FrameType, types.CodeType, types.TracebackType, types.ModuleType, types.CellType)


class Lending(Peer):
    """The judge's side of the line, as far as it gives.

    Parameters
    ----------
    wire, sign
        As for :class:`~passband.grade.inside.rpc.peer.Peer`.
    root : str
        Folder of the hidden tests.
    """

    def __init__(self, wire: Wire, sign: int, root: str) -> None:
        super().__init__(wire, sign)
        self.root = root

    # Giving

    def encode_object(self, value: Any, depth: int) -> Any:
        """Encode one of the candidate's own objects, something both sides have, or lend an object.

        Raises
        ------
        UncrossableError
            For what is not lent.
        """
        known = self.own(value)
        if known is not None:
            return known
        if isinstance(value, RemoteModule):
            ref = value.__dict__.get("_passband_ref")
            return {"o": ref} if ref is not None else {"g": [value.__name__, ""]}
        if isinstance(value, types.TracebackType):
            return None  # what a context manager gets of it: frames of the test
        if isinstance(value, BaseException):
            return self._encode_error(value, depth)
        common = _common(value)
        if common is not None:
            return common
        if isinstance(value, (type, *_FUNCTIONS)):
            name = getattr(value, "__name__", "function")
            return {"h": self.lend(value), "n": name, "f": isinstance(value, types.FunctionType)}
        cls = type(value)
        if isinstance(value, (Promise, *_KEPT)) or not (
            self._is_of_the_test(cls) or cls.__module__.partition(".")[0] in _LENDABLE
        ):
            raise UncrossableError(f"a {cls.__module__}.{cls.__qualname__} is not lent to the candidate")
        return {"h": self.lend(value), "k": self.describe(cls)}

    def _is_of_the_test(self, cls: type) -> bool:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        return isinstance(file, str) and file.startswith(self.root)

    def _encode_error(self, error: BaseException, depth: int) -> dict[str, Any]:
        args = [self.encode(a, depth) for a in made_from(error)]
        cls = type(error)
        if getattr(builtins, cls.__name__, None) is cls:
            return {"be": cls.__name__, "a": args}
        base = next(b.__name__ for b in cls.__mro__ if getattr(builtins, b.__name__, None) is b)
        return {"h": self.lend(error), "x": base, "n": cls.__name__, "a": args}

    def description(self, cls: type) -> dict[str, Any]:
        """Say what the candidate's stand-in for a class needs to know."""
        special = [
            name for name in (*_SPECIAL, "__call__") if find_special(cls, name) not in {None, vars(object).get(name)}
        ]
        own_hash: Any = cls.__hash__
        hashed = own_hash is not None and own_hash is not object.__hash__
        return {"n": cls.__name__, "mod": "tests", "d": special, "h": hashed}

    # Serving

    def perform(self, op: str, args: list[Any]) -> Any:
        """Do something with a lent object.

        Raises
        ------
        ProtocolError
            For anything but using its public face.
        """
        if not args or not self._lent.holds(args[0]):
            raise ProtocolError("a request about nothing that was lent")
        target = args[0]
        if op == "call" and len(args) == 3:
            return target(*_listed(args[1]), **_named(args[2]))
        if op == "method" and len(args) == 4:
            return self._get(target, args[1])(*_listed(args[2]), **_named(args[3]))
        if op == "get" and len(args) == 2:
            return self._get(target, args[1])
        if op == "op" and len(args) == 3 and args[1] in _SPECIAL and not isinstance(target, (type, *_FUNCTIONS)):
            return OPERATIONS[args[1]](target, *_listed(args[2]))
        if op in {"set", "del"} and self._is_of_the_test(type(target)) and _public(args[1]):
            if _asks(target, args[1]) or callable(getattr(target, args[1], None)):
                raise AttributeError(args[1])  # what a test's own object does stays the test's
            return setattr(*args) if op == "set" else delattr(*args)
        raise ProtocolError(f"a request that is not served: {op}")

    def _get(self, target: Any, name: Any) -> Any:
        # Not a violation: honest code may well look whether a thing it was given has a certain attribute.
        if not _public(name) or isinstance(target, (type, *_FUNCTIONS)) or _asks(target, name):
            raise AttributeError(name)
        found = getattr(target, name)
        # Of the library's own objects only methods: a generator's gi_frame leads to the test's variables.
        if not self._is_of_the_test(type(target)) and not callable(found) and type(target).__module__ != "types":
            if type(target).__module__.startswith("unittest"):
                return found
            raise AttributeError(name)
        return found


def _common(value: Any) -> dict[str, Any] | None:
    """Name what both sides have: built-in classes and functions, and those of the standard library."""
    name = getattr(value, "__qualname__", None)
    if type(name) is not str or "<" in name:
        return None
    module = getattr(value, "__module__", None) or getattr(getattr(value, "__objclass__", None), "__module__", None)
    if type(module) is not str or module.partition(".")[0] not in sys.stdlib_module_names | {"builtins"}:
        return None
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return {"g": [module, name]} if found is value else None


def _asks(target: Any, name: str) -> bool:
    """Whether a test asks a mock, or a test case, by this name: whoever it was lent to could set the answer there."""
    owner: type = next((base for base in type(target).__mro__ if name in vars(base)), object)
    return owner.__module__.partition(".")[0] == "unittest" or (name == _CALLS and isinstance(target, _mocks()))


def _mocks() -> tuple[type, ...]:
    """Return what mocks have in common; nothing where no test has loaded them."""
    common = getattr(sys.modules.get("unittest.mock"), "NonCallableMock", None)
    return () if common is None else (common,)


def _public(name: Any) -> bool:
    return type(name) is str and not name.startswith("_")


def _listed(value: Any) -> tuple[Any, ...]:
    if type(value) is not tuple:
        raise ProtocolError("arguments were due")
    return value


def _named(value: Any) -> dict[str, Any]:
    if type(value) is not tuple or not all(type(p) is tuple and len(p) == 2 and type(p[0]) is str for p in value):
        raise ProtocolError("arguments were due")
    return dict(value)
