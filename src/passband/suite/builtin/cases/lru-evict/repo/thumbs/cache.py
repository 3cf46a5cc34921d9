"""A cache with a limited number of entries."""

from collections import OrderedDict
from collections.abc import Callable


class Cache:
    """Keeps the entries used most recently; they are held in order of use."""

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError("a cache holds at least one entry")
        self.capacity = capacity
        self.hits = 0
        self.misses = 0
        self._entries: OrderedDict[str, str] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def get(self, key: str, make: Callable[[str], str]) -> str:
        """The entry of a key, made now if it is not there."""
        if key in self._entries:
            self.hits += 1
            self._entries.move_to_end(key)
            return self._entries[key]
        self.misses += 1
        value = make(key)
        self._entries[key] = value
        if len(self._entries) > self.capacity:
            self._entries.popitem(last=True)
        return value
