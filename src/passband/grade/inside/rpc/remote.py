"""Stand-ins: objects, functions and exceptions that live in another process."""

from __future__ import annotations

import types
from typing import Any, Protocol

from passband.grade.inside.rpc.codec import UncrossableError

__all__ = [
    "BoundMethod",
    "Line",
    "Remote",
    "RemoteError",
    "RemoteFunction",
    "RemotePlainFunction",
    "bind",
    "find_special",
    "named",
    "private",
]

_PLAIN_DUNDERS = frozenset({"__annotations__", "__dict__", "__doc__", "__wrapped__", "__cause__", "__context__"})


class Line(Protocol):
    """What stand-ins need of the line that their operations cross."""

    reading: int
    """Whether a message is being decoded right now, and how deep."""

    def ask(self, op: str, *args: Any) -> Any:
        """Ask the other side for an operation and return its result, or raise what it raised."""

    def compare(self, obj: Remote, name: str, other: Any) -> Any:
        """Compare a stand-in with something."""

    def base_class(self, data: Any) -> type | None:
        """Return what a base of a described class is here; None where it makes no difference."""


def named(kwargs: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return keyword arguments as they cross: immutable, so that nothing keeps track of them."""
    return tuple(kwargs.items())


def private(name: str) -> bool:
    """Whether a name is the interpreter's: looked up on this side, and never asked for on the other."""
    return name.startswith("__") and name.endswith("__") and name not in _PLAIN_DUNDERS


def bind(obj: Any, peer: Line, ref: int) -> Any:
    """Tie a stand-in to what it stands for."""
    object.__setattr__(obj, "_passband_peer", peer)
    object.__setattr__(obj, "_passband_ref", ref)
    return obj


class Remote:
    """Base of stand-ins for instances."""

    _passband_peer: Line
    _passband_ref: int

    def __getattr__(self, name: str) -> Any:
        if private(name) or name.startswith("_passband"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._passband_peer.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._passband_peer.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._passband_peer.ask("del", self, name)

    def __copy__(self) -> Any:
        return self._passband_peer.ask("op", self, "__copy__", ())

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self._passband_peer.ask("op", self, "__deepcopy__", ())

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise UncrossableError(f"a {type(self).__name__} of the candidate cannot be pickled here")


class RemoteFunction(Remote):
    """Stand-in for anything that is only called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the original."""
        return self._passband_peer.ask("call", self, args, named(kwargs))


class RemotePlainFunction(RemoteFunction):
    """Stand-in for a function in Python, which as an attribute of a class becomes a method."""

    def __get__(self, obj: Any, cls: type | None = None) -> Any:
        """Bind, as functions do."""
        return self if obj is None else types.MethodType(self, obj)


def find_special(cls: type, name: str) -> Any:
    """Find a special method where the interpreter looks for it: in the class and its bases, not in its metaclass."""
    return next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)


class BoundMethod:
    """A method of a stand-in: the attribute and the call cross together."""

    def __init__(self, obj: Remote, name: str) -> None:
        self.obj, self.__name__ = obj, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the original."""
        return self.obj._passband_peer.ask("method", self.obj, self.__name__, args, named(kwargs))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BoundMethod) and other.obj is self.obj and other.__name__ == self.__name__

    def __hash__(self) -> int:
        return hash((id(self.obj), self.__name__))


class RemoteError(Exception):
    """An exception of the other side whose class has no name here."""
