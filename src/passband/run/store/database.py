"""What an engine gives a store: rows to read, transactions to write in."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from contextlib import AbstractContextManager

__all__ = ["Database", "plain"]


class Database(ABC):
    """A connection that several threads may use; ``?`` marks an argument of a statement in every engine.

    Parameters
    ----------
    location : str
        What to call it in messages.
    """

    def __init__(self, location: str) -> None:
        self.location = location
        self.read_only = False
        """Whether nothing can be written to it, because of where it lies."""
        self._lock = threading.RLock()

    @abstractmethod
    def close(self) -> None:
        """Let the store go."""

    @abstractmethod
    def _read(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows a query gives."""

    @abstractmethod
    def _stream(self, sql: str, arguments: Sequence[Any] = ()) -> Generator[tuple[Any, ...], None, None]:
        """The rows of a query, a few at a time."""

    @abstractmethod
    def _writing(self) -> AbstractContextManager[None]:
        """Hold a transaction: all of it, or nothing."""

    @abstractmethod
    def _do(self, sql: str, arguments: Sequence[Any] = ()) -> None:
        """Execute one statement within :meth:`_writing`."""

    @abstractmethod
    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Insert many rows within :meth:`_writing`; one whose key is there already is left out."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def transaction(self) -> AbstractContextManager[None]:
        """Hold a transaction over several writes: all of them, or nothing. One inside another is part of it."""
        return self._writing()

    def execute(self, sql: str, arguments: Sequence[Any] = ()) -> None:
        """Execute one statement within :meth:`transaction`; ``?`` marks an argument."""
        self._do(sql, arguments)

    def query(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows a query gives; ``?`` marks an argument."""
        return self._read(sql, arguments)


def plain(value: Any) -> Any:
    """Bytes as bytes, whichever way the engine gives them; anything else as it is, for its reader to refuse."""
    return bytes(value) if isinstance(value, memoryview) else value
