"""The candidate's side of the line: carries out what the judge asks for, and lends it the candidate's objects.

Nothing here is a defence: the candidate shares this process and may bend all of it. What protects the verdict is that
the judge believes no answer to be more than data.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import sys
import types
from enum import Enum
from typing import TYPE_CHECKING, Any

from passband.grade.inside.codec import UncrossableError
from passband.grade.inside.content import content_of
from passband.grade.inside.finder import TreeFinder, load
from passband.grade.inside.operations import OPERATIONS
from passband.grade.inside.peer import Peer, made_from
from passband.grade.inside.printed import Printed
from passband.grade.inside.remote import RemoteFunction, RemotePlainFunction, bind, find_special
from passband.grade.inside.turn import Turn
from passband.grade.inside.wire import ProtocolError, Wire

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CandidatePeer"]

_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    types.ClassMethodDescriptorType,
)
# Built-in class → how to get at the plain content of an instance of a class that extends it.
_CONTENT: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    bytes: lambda v: bytes.__getitem__(v, slice(None)),
    tuple: lambda v: tuple.__getitem__(v, slice(None)),
}
_CONTAINERS = (list, dict, set, frozenset, bytearray)
# What built-in exceptions keep beside their arguments.
_OF_ERRORS = (
    *("msg", "doc", "pos", "lineno", "colno", "offset", "end_lineno", "end_offset", "text", "name", "path", "value"),
    *("code", "errno", "strerror", "filename", "filename2", "characters_written", "encoding", "object", "start", "end"),
    "reason",
)
_NOTHING = object()
_MAX_CHAIN = 3


class _LentError(Exception):
    """Base of what stands here for exceptions that a test raised."""


class CandidatePeer(Peer):
    """The candidate's side of the line."""

    def __init__(self, wire: Wire) -> None:
        super().__init__(wire, -1)
        self._printed = Printed("<stdout>", 1), Printed("<stderr>", 2)
        self.out, self.err = (printed.text() for printed in self._printed)
        self.tree: TreeFinder | None = None
        """Where the candidate's modules are found."""
        self._chain = 0
        self._turn = Turn()
        self._originals: dict[tuple[int, str], list[Any]] = {}

    def ask(self, op: str, *args: Any) -> Any:
        """Ask the judge, one thread after the other."""
        with self._turn.taken():
            return super().ask(op, *args)

    # What the judge asks for

    def perform(self, op: str, args: list[Any]) -> Any:
        """Carry out what the judge asks for; the names are those of :class:`~passband.grade.inside.remote.Remote`."""
        if not self._turn.is_mine():
            return self._perform(op, args)
        with self._turn.given_back():
            return self._perform(op, args)

    def _perform(self, op: str, args: list[Any]) -> Any:
        if op == "call":
            return args[0](*args[1], **dict(args[2]))
        if op == "method":
            return getattr(args[0], args[1])(*args[2], **dict(args[3]))
        if op == "get":
            return getattr(args[0], args[1])
        if op == "op":
            return OPERATIONS[args[1]](args[0], *args[2])
        if op == "content":
            return content_of(*args)
        if op == "set":
            return self._set(*args)
        if op == "del":
            return self._delete(*args)
        if op == "import":
            # From here on arrays cross as such, if the test has imported numpy and the candidate can.
            self.arrays = len(args) > 1 and args[1] is True and _has_numpy()
            if self.arrays:
                importlib.import_module("numpy")
            return tuple([self._import(*wanted) for wanted in args[0]])
        raise ProtocolError(f"no operation {op}")

    def _set(self, target: Any, name: str, value: Any) -> None:
        """Set an attribute, and remember what was there."""
        there = getattr(target, "__dict__", {}).get(name, _NOTHING)
        stack = self._originals.setdefault((id(target), name), [target])
        stack.append(there if len(stack) == 1 else stack[1])
        setattr(target, name, value)

    def _delete(self, target: Any, name: str) -> None:
        """Delete an attribute; one that the test had set goes back to what it was.

        The stand-in has no ``__dict__`` entry for it, so that what patches attributes takes them for inherited and
        deletes where it means to restore.
        """
        stack = self._originals.get((id(target), name), [target])
        original = stack.pop() if len(stack) > 1 else _NOTHING
        if len(stack) == 1:
            self._originals.pop((id(target), name), None)
        if original is _NOTHING:
            delattr(target, name)
        else:
            setattr(target, name, original)

    def _import(self, module: str, path: str) -> tuple[bool, Any]:
        """Import a module and follow a dotted path in it; (whether it went well, what came of it)."""
        try:
            found: Any = self._module(module)
            for name in path.split(".") if path else ():
                try:
                    found = getattr(found, name)
                except AttributeError:
                    if not isinstance(found, types.ModuleType):
                        raise
                    try:
                        found = importlib.import_module(f"{found.__name__}.{name}")
                    except ModuleNotFoundError:
                        raise ImportError(f"cannot import name {name!r} from {found.__name__!r}") from None
        except BaseException as error:
            return False, error
        return True, found

    def _module(self, name: str) -> types.ModuleType:
        known = name in sys.modules or name in sys.stdlib_module_names
        if self.tree is not None and "." not in name and not known:
            found = load(self.tree, name)
            if found is not None:
                return found
        return importlib.import_module(name)

    def add_to_reply(self, reply: dict[str, Any]) -> None:
        """Send along what was printed, for tests that look at it."""
        for stream in (sys.stdout, sys.stderr):
            # Not always ours: the candidate may have put one of its own there, over the same buffer.
            with contextlib.suppress(Exception):
                stream.flush()
        printed = [stream.take() for stream in self._printed]
        if any(printed):
            reply["p"] = printed

    # What goes to the judge

    def encode_object(self, value: Any, depth: int) -> Any:
        """Lend an object of the candidate's."""
        known = self.own(value)
        if known is not None:
            return known
        if isinstance(value, _LentError):
            return {"o": value.passband_ref}  # type: ignore[attr-defined]
        if isinstance(value, BaseException):
            return self._encode_error(value, depth)
        if isinstance(value, type):
            return {"y": self._class(value)}
        if isinstance(value, types.ModuleType):
            return {"h": self.lend(value), "j": value.__name__}
        if isinstance(value, _FUNCTIONS):
            name = str(getattr(value, "__name__", "function"))
            return {"h": self.lend(value), "n": name, "f": isinstance(value, types.FunctionType)}
        return self._encode_instance(value, depth)

    def _encode_instance(self, value: Any, depth: int) -> dict[str, Any]:
        cls = type(value)
        data: dict[str, Any] = {"h": self.lend(value), "k": self.describe(cls)}
        own_hash: Any = cls.__hash__
        if own_hash is not object.__hash__ and own_hash is not None:
            try:
                data["s"] = hash(value) & (2**60 - 1)
            except Exception:  # a hash that fails is no hash
                data["s"] = None
        for base, content in _CONTENT.items():
            if isinstance(value, base):
                data["w"] = self.encode(content(value), depth)
                break
        return data

    def _encode_error(self, error: BaseException, depth: int) -> dict[str, Any]:
        data: dict[str, Any] = {"h": self.lend(error), "x": self._class(type(error))}
        data["a"] = [self._plain(a, depth) for a in made_from(error)]
        data["text"] = _text(error)
        own = {k: v for k, v in getattr(error, "__dict__", {}).items() if type(k) is str}
        public = {k: v for k, v in own.items() if not k.startswith("_") or k == "__notes__"}
        for name in _OF_ERRORS:
            # None is what they are where nothing was given; setting it would show, in the text of an OSError.
            if hasattr(type(error), name) and getattr(error, name, None) is not None:
                public.setdefault(name, getattr(error, name))
        data["p"] = [[k, self._plain(v, depth)] for k, v in public.items()]
        if self._chain < _MAX_CHAIN:
            self._chain += 1
            try:
                for key, chained in (("cause", error.__cause__), ("context", error.__context__)):
                    if chained is not None:
                        # True for the usual case, that an error's context is its cause.
                        again = key == "context" and chained is error.__cause__
                        data[key] = True if again else self.encode(chained, depth)
            finally:
                self._chain -= 1
        data["quiet"] = error.__suppress_context__
        return data

    def _plain(self, value: Any, depth: int) -> Any:
        try:
            return self.encode(value, depth)
        except UncrossableError:
            return _text(value)

    def _class(self, cls: type) -> dict[str, Any]:
        if getattr(builtins, cls.__name__, None) is cls:
            return {"bt": cls.__name__}
        return self.describe(cls)

    def description(self, cls: type) -> dict[str, Any]:
        """Say what the judge's stand-in for a class needs to know."""
        value = next((b for b in _CONTENT if issubclass(cls, b)), None)
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
            "b": [self._class(b) for b in cls.__bases__ if b is not object],
            "d": special,
            "p": sorted(methods) if plain is object else [],
            "v": value.__name__ if value else None,
            "l": next((b.__name__ for b in _CONTAINERS if issubclass(cls, b)), None),
            "h": own_hash is not None and own_hash is not plain.__hash__,
            "g": cls.__module__ if _of_library(cls) else None,
        }

    # What comes from the judge

    def decode_object(self, data: dict[str, Any]) -> Any:
        """Take a stand-in, or one of the candidate's own objects back."""
        if "o" in data:
            return self.owned(data)
        if "bt" in data:
            return getattr(builtins, data["bt"])
        if "g" in data:
            found: Any = importlib.import_module(data["g"][0])
            for name in data["g"][1].split(".") if data["g"][1] else ():
                found = getattr(found, name)
            return found
        if "be" in data:
            return getattr(builtins, data["be"])(*(self.decode(a) for a in data["a"]))
        if "x" in data:
            return self._lent_error(data)
        return self.borrow(data)

    def _lent_error(self, data: dict[str, Any]) -> BaseException:
        """Stand in for an exception of the test: caught here by its built-in bases, the same one when it comes back."""
        base = getattr(builtins, data["x"])
        made = type(data["n"], (_LentError, base), {})(*(self.decode(a) for a in data["a"]))
        made.passband_ref = data["h"]
        return made  # type: ignore[no-any-return]

    def stand_in(self, ref: int, data: dict[str, Any]) -> Any:
        """Stand in for an object of the test."""
        if "k" in data:
            cls = self.borrow_class(data["k"])
            return bind(object.__new__(cls), self, ref)
        kind = RemotePlainFunction if data.get("f") else RemoteFunction
        made = bind(kind.__new__(kind), self, ref)
        for name in ("__name__", "__qualname__"):
            object.__setattr__(made, name, data.get("n", "function"))
        return made

    def base_class(self, data: Any) -> type | None:
        """Bases of the test's own classes make no difference to the candidate, but for stand-ins among them."""
        return self.borrow_class(data) if "c" in data else None


def _of_library(cls: type) -> bool:
    """Whether a class is the one that the standard library has under its name, whatever it calls itself."""
    top = cls.__module__.partition(".")[0] if type(cls.__module__) is str else ""
    return (
        top in sys.stdlib_module_names
        and getattr(sys.modules.get(cls.__module__), "__dict__", {}).get(cls.__name__) is cls
    )


def _has_numpy() -> bool:
    import importlib.util

    return importlib.util.find_spec("numpy") is not None


def _overridden(cls: type, name: str, plain: type) -> bool:
    found = find_special(cls, name)
    return found is not None and found is not find_special(plain, name) and found is not vars(object).get(name)


def _text(value: Any) -> str:
    try:
        return str(value)[:2000]
    except Exception as error:
        return f"<{type(value).__name__} whose text cannot be had: {type(error).__name__}>"
