"""Stand-ins for classes that live in another process.

A stand-in class is a real class with real bases, so ``isinstance``, ``except`` and ``pytest.raises`` work on it; its
special methods are only those the original has, so that ``callable``, ``iter`` and ``len`` succeed and fail alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.operations import COMPARISONS, OPERATIONS
from passband.grade.inside.rpc.remote import BoundMethod, Remote, named, private
from passband.grade.inside.rpc.values import value_class

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.grade.inside.rpc.remote import Line

__all__ = ["RemoteClass", "make_class"]

_CONTAINERS: dict[str, type] = {c.__name__: c for c in (list, dict, set, frozenset, bytearray)}
_BUILTIN_BASES: dict[str, type] = {"int": int, "float": float, "str": str, "bytes": bytes, "tuple": tuple}


class _Method:
    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, obj: Any, cls: RemoteClass) -> Any:
        if obj is None:
            return cls._passband_peer.ask("get", cls, self.name)
        return BoundMethod(obj, self.name)


class RemoteClass(type):
    """Class of stand-in classes."""

    _passband_peer: Line
    _passband_class: int

    def __new__(mcs, name: str, *_parts: Any) -> RemoteClass:
        """Refuse: a class statement of the test's would derive from a class it cannot see into."""
        raise UncrossableError(f"the class {name} cannot derive from a class of the candidate here")

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        """Make an instance where the class lives."""
        return cls._passband_peer.ask("call", cls, args, named(kwargs))

    def __getattr__(cls, name: str) -> Any:
        if private(name) or name.startswith("_passband"):
            raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
        return cls._passband_peer.ask("get", cls, name)

    def __setattr__(cls, name: str, value: Any) -> None:
        if isinstance(value, _Method):  # a patched method is put back
            cls._passband_peer.ask("del", cls, name)
        else:
            cls._passband_peer.ask("set", cls, name, value)

    def __delattr__(cls, name: str) -> None:
        cls._passband_peer.ask("del", cls, name)

    def __getitem__(cls, key: Any) -> Any:
        return cls._passband_peer.ask("op", cls, "__getitem__", (key,))

    def __iter__(cls) -> Any:
        return cls._passband_peer.ask("op", cls, "__iter__", ())

    def __len__(cls) -> int:
        length: int = cls._passband_peer.ask("op", cls, "__len__", ())
        return length

    def __bool__(cls) -> bool:
        return True

    def __contains__(cls, item: Any) -> bool:
        return bool(cls._passband_peer.ask("op", cls, "__contains__", (item,)))


def _forward(name: str) -> Callable[..., Any]:
    if name in COMPARISONS:

        def compare(self: Remote, other: Any) -> Any:
            return self._passband_peer.compare(self, name, other)

        return compare

    def operate(self: Remote, *args: Any) -> Any:
        return self._passband_peer.ask("op", self, name, args)

    return operate


def _call(self: Remote, *args: Any, **kwargs: Any) -> Any:
    return self._passband_peer.ask("call", self, args, named(kwargs))


def _stored_hash(self: Any) -> int:
    # In the middle of reading an answer the hash that came with it must do: the other side is not to be asked then.
    if not self._passband_peer.reading:
        return int(self._passband_peer.ask("op", self, "__hash__", ()))
    value = self.__dict__.get("_passband_hash")
    if type(value) is not int:
        raise TypeError(f"unhashable type: {type(self).__name__!r}")
    return value


def _stored_text(self: Any) -> str:
    return str(self.__dict__.get("_passband_text", ""))


def _claimed(self: Any) -> Any:
    return type(self)._passband_claim


def _claim(made: type, container: type) -> None:
    """Let instances pass for a container or a date where ``isinstance`` asks; they hold nothing here."""
    claim = type.__new__(RemoteClass, made.__name__, (made, container), {"__module__": made.__module__})
    type.__setattr__(made, "_passband_claim", claim)


def _names(data: Any) -> list[str]:
    return [n for n in data if type(n) is str] if type(data) is list else []


def make_class(peer: Line, ref: int, data: dict[str, Any]) -> type:
    """Make the stand-in for a class.

    Parameters
    ----------
    peer : Line
        Where its instances' operations go.
    ref : int
        Its number.
    data : mapping
        Its description: ``n`` name, ``mod`` module, ``b`` bases, ``d`` special methods, ``p`` methods, ``v`` the
        built-in type of value it extends, ``l`` the container or the date it extends, ``h`` whether it has a hash of
        its own.

    Returns
    -------
    type
    """
    name = str(data.get("n"))
    bases: list[type] = []
    for base in data.get("b") or []:
        found = peer.base_class(base)
        if found is not None and not any(issubclass(b, found) for b in bases):
            bases.append(found)
    fails = any(issubclass(b, BaseException) for b in bases)
    value = _BUILTIN_BASES.get(str(data.get("v")))
    if not any(issubclass(b, Remote) for b in bases):
        bases.insert(0, Remote)
    if value is not None and not any(issubclass(b, value) for b in bases):
        bases.append(value)
    namespace: dict[str, Any] = {"__module__": str(data.get("mod")), "__qualname__": str(data.get("q", name))}
    for method in _names(data.get("p")):
        if not method.startswith("_passband") and not private(method):
            namespace[method] = _Method(method)
    for dunder in _names(data.get("d")):
        if dunder == "__call__":
            namespace[dunder] = _call
        elif dunder in OPERATIONS and dunder != "__hash__":
            namespace[dunder] = _forward(dunder)
    if data.get("h"):
        namespace["__hash__"] = _stored_hash
    elif "__eq__" in namespace:
        namespace["__hash__"] = None
    if fails:
        namespace["__str__"] = _stored_text
    container = _CONTAINERS.get(str(data.get("l"))) or value_class(data.get("l"))
    if container is not None:
        namespace["__class__"] = property(_claimed)
    try:
        made = type.__new__(RemoteClass, name, tuple(bases), namespace)
    except TypeError:
        # Bases that cannot be combined here: keep what matters for except clauses.
        made = type.__new__(RemoteClass, name, (Remote, Exception) if fails else (Remote,), namespace)
    type.__setattr__(made, "_passband_peer", peer)
    type.__setattr__(made, "_passband_class", ref)
    if container is not None:
        _claim(made, container)
    return made
