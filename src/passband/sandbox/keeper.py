"""Servers that are started when they are first needed, and again when they have died."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

__all__ = ["Keeper"]


class _Server(Protocol):
    @property
    def alive(self) -> bool: ...

    def close(self) -> None: ...


K = TypeVar("K", bound="Hashable")
S = TypeVar("S", bound=_Server)


class Keeper(Generic[K, S]):
    """Keeps one server for each purpose; safe to use from many threads.

    Parameters
    ----------
    make : callable
        Starts the server for a purpose.
    """

    def __init__(self, make: Callable[[K], S]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._kept: dict[K, S] = {}

    def get(self, purpose: K) -> S:
        """Return the server for a purpose.

        Raises
        ------
        SandboxFaultError
            Where it does not start.
        """
        with self._lock:
            found = self._kept.get(purpose)
            if found is not None and not found.alive:
                self._kept.pop(purpose).close()  # dead, but its process and socket are still ours to let go
                found = None
            if found is None:
                found = self._kept[purpose] = self._make(purpose)
            return found

    def close(self) -> None:
        """End them all."""
        with self._lock:
            for server in self._kept.values():
                server.close()
            self._kept.clear()
