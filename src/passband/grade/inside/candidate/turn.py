"""Whose turn it is on the line, where a candidate calls a test's objects from threads of its own."""

from __future__ import annotations

import contextlib
from threading import Condition, get_ident
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Turn"]


class Turn:
    """A lock that its holder gives back while it runs what may wait for other threads.

    Of threads that wait for an answer only one may read the line. One that has been asked something in turn does not
    read it while it works on that, and others can have theirs. It answers when they have: questions nest.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._holder = 0
        self._open = 0
        """How many questions wait for their answers."""

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Hold the line for one question and its answer; a thread that has it may ask within its question."""
        if self.is_mine():
            yield
            return
        with self._changed:
            self._changed.wait_for(lambda: not self._holder)
            self._holder = get_ident()
            self._open += 1
        try:
            yield
        finally:
            with self._changed:
                self._open -= 1
                self._holder = 0
                self._changed.notify_all()

    def is_mine(self) -> bool:
        """Whether this thread holds the line."""
        return self._holder == get_ident()

    @contextlib.contextmanager
    def given_back(self) -> Iterator[None]:
        """Let others have the line that this thread holds, until all questions after its own are answered."""
        mine = self._open
        with self._changed:
            self._holder = 0
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._changed.wait_for(lambda: not self._holder and self._open == mine)
                self._holder = get_ident()
