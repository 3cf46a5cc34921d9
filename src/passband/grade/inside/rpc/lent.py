"""The objects that one side has lent to the other: under which number, and when to let go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.wire import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Lent"]

_MAX_LENT = 200_000


class Lent:
    """Objects by number."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._refs: dict[int, int] = {}
        """Id of an object → its number."""
        self._times: dict[int, int] = {}
        """Number → how often it was given away."""

    def lend(self, obj: Any, number: Callable[[], int]) -> int:
        """Give an object a number under which the other side may ask about it.

        Parameters
        ----------
        obj : object
            The object.
        number : callable
            Gives out a number, where it has none yet.

        Raises
        ------
        UncrossableError
            Where too many objects are lent.
        """
        ref = self._refs.get(id(obj))
        if ref is None:
            if len(self._objects) >= _MAX_LENT:
                raise UncrossableError("too many objects lent")
            ref = number()
            self._objects[ref] = obj
            self._refs[id(obj)] = ref
            self._times[ref] = 0
        self._times[ref] += 1
        return ref

    def take_back(self, ref: int, times: int) -> None:
        """Let go of an object that the other side has no stand-in for any more.

        It says how often it got the number: one that is under way again right now must stay good.
        """
        left = self._times.get(ref, 0) - times
        if left > 0:
            self._times[ref] = left
        elif ref in self._objects:
            del self._refs[id(self._objects.pop(ref))], self._times[ref]

    def get(self, ref: Any) -> Any:
        """Return the object behind a number.

        Raises
        ------
        ProtocolError
            Where nothing is lent under it.
        """
        try:
            return self._objects[ref]
        except (KeyError, TypeError):
            raise ProtocolError(f"nothing is lent under {ref!r}") from None

    def holds(self, obj: Any) -> bool:
        """Whether this very object is lent."""
        return id(obj) in self._refs
