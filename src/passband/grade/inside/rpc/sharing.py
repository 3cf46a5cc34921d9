"""Mutable values of which both sides hold a copy: under which number, what was seen of them, and when to let go."""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from operator import is_
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["KINDS", "MAKERS", "MAPPINGS", "Shared", "Sharing"]

KINDS: dict[type, str] = {
    list: "list",
    dict: "dict",
    set: "set",
    bytearray: "bytearray",
    deque: "deque",
    OrderedDict: "OrderedDict",
    defaultdict: "defaultdict",
    Counter: "Counter",
}
MAKERS: dict[str, Callable[[], Any]] = {name: kind for kind, name in KINDS.items()}
MAPPINGS = frozenset({"dict", "OrderedDict", "defaultdict", "Counter"})
_PRUNE_AT = 64


class Shared:
    """One value that has crossed."""

    __slots__ = ("kind", "obj", "ref", "seen")

    def __init__(self, ref: int, obj: Any, kind: str) -> None:
        self.ref, self.obj, self.kind = ref, obj, kind
        self.seen: Any = None

    def look(self) -> Any:
        """Remember the content, shallowly, by identity."""
        if self.kind == "bytearray":
            return bytes(self.obj)
        if self.kind in MAPPINGS:
            return [*self.obj.keys(), *self.obj.values()]
        return list(self.obj)

    def changed(self, now: Any) -> bool:
        """Whether a look differs from what was seen last."""
        if self.kind == "bytearray":
            return bool(now != self.seen)
        return len(now) != len(self.seen) or not all(map(is_, now, self.seen))


class Sharing:
    """The shared values of one side.

    Parameters
    ----------
    sign : {1, -1}
        Which side: the numbers that it gives out have this sign.
    """

    def __init__(self, sign: int) -> None:
        self._sign = sign
        self.last = 0
        """The number given out last."""
        self._by_ref: dict[int, Shared] = {}
        self._by_id: dict[int, Shared] = {}
        self._prune_at = _PRUNE_AT

    def number(self) -> int:
        """Give out a number nobody else gives out."""
        self.last += self._sign
        return self.last

    def _share(self, ref: int, obj: Any, kind: str) -> Shared:
        shared = Shared(ref, obj, kind)
        self._by_ref[ref] = shared
        self._by_id[id(obj)] = shared
        return shared

    def forget(self, refs: Iterable[int]) -> None:
        """Stop sharing: the copies are on their own."""
        for ref in refs:
            shared = self._by_ref.pop(ref, None)
            if shared is not None:
                del self._by_id[id(shared.obj)]

    def forget_since(self, last: int) -> None:
        """Stop sharing what got its number after `last`: the message that would have introduced it was never sent."""
        self.forget([ref for ref in self._by_ref if ref * self._sign > last * self._sign])

    def prune(self) -> list[int]:
        """Forget what nothing on this side refers to any more, and return its numbers for the other side to forget."""
        if len(self._by_ref) < self._prune_at:
            return []
        inner = self._inner_references()
        # Two more: one by the table, one by getrefcount itself.
        live = [s for s in self._by_ref.values() if sys.getrefcount(s.obj) > 2 + inner.get(id(s.obj), 0)]
        keep: set[int] = set()
        while live:
            shared = live.pop()
            if shared.ref not in keep:
                keep.add(shared.ref)
                items = shared.look() if shared.kind != "bytearray" else ()
                live += [self._by_id[id(item)] for item in items if id(item) in self._by_id]
        gone = [ref for ref in self._by_ref if ref not in keep]
        self.forget(gone)
        self._prune_at = max(_PRUNE_AT, 2 * len(self._by_ref))
        return gone

    def _inner_references(self) -> dict[int, int]:
        """Count how often shared objects hold each other: once in the object, once in what was seen of it."""
        count: dict[int, int] = {}
        for shared in self._by_ref.values():
            if shared.kind != "bytearray":
                for content in (shared.seen, shared.look()):
                    for item in content:
                        count[id(item)] = count.get(id(item), 0) + 1
        return count
