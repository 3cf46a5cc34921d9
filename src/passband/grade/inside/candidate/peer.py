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
from typing import Any

from passband.grade.inside.candidate.attributes import Attributes
from passband.grade.inside.candidate.classes import CONTENT, described
from passband.grade.inside.candidate.content import content_of
from passband.grade.inside.candidate.finder import TreeFinder, imported
from passband.grade.inside.candidate.turn import Turn
from passband.grade.inside.printed import Printed
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.operations import OPERATIONS
from passband.grade.inside.rpc.peer import Peer, made_from
from passband.grade.inside.rpc.remote import RemoteFunction, RemotePlainFunction, bind
from passband.grade.inside.rpc.wire import ProtocolError, Wire

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
# What built-in exceptions keep beside their arguments.
_OF_ERRORS = (
    *("msg", "doc", "pos", "lineno", "colno", "offset", "end_lineno", "end_offset", "text", "name", "path", "value"),
    *("code", "errno", "strerror", "filename", "filename2", "characters_written", "encoding", "object", "start", "end"),
    "reason",
)
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
        self._attributes = Attributes()

    def ask(self, op: str, *args: Any) -> Any:
        """Ask the judge, one thread after the other."""
        with self._turn.taken():
            return super().ask(op, *args)

    # What the judge asks for

    def perform(self, op: str, args: list[Any]) -> Any:
        """Carry out what the judge asks for; names as :mod:`passband.grade.inside.rpc.remote` has them."""
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
            return self._attributes.set(*args)
        if op == "del":
            return self._attributes.delete(*args)
        if op == "import":
            # From here on arrays cross as such, if the test has imported numpy and the candidate can.
            self.arrays = len(args) > 1 and args[1] is True and _has_numpy()
            if self.arrays:
                importlib.import_module("numpy")
            return tuple([imported(self.tree, *wanted) for wanted in args[0]])
        raise ProtocolError(f"no operation {op}")

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
        for base, content in CONTENT.items():
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
        return {"b": [self._class(b) for b in cls.__bases__ if b is not object], **described(cls)}

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


def _has_numpy() -> bool:
    import importlib.util

    return importlib.util.find_spec("numpy") is not None


def _text(value: Any) -> str:
    try:
        return str(value)[:2000]
    except Exception as error:
        return f"<{type(value).__name__} whose text cannot be had: {type(error).__name__}>"
