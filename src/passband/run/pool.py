"""The local executor: threads, since subjects wait for somebody and graders for a sandbox."""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING, Protocol, TypeAlias

from passband.records import Sample
from passband.run.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passband.run.work import Drawer

__all__ = ["Executor", "Finished", "LocalPool"]

Finished: TypeAlias = tuple[Work, Sample | BaseException]
"""A work and what came of it."""


class Executor(Protocol):
    """Where samples are drawn. Used from one thread."""

    @property
    def capacity(self) -> int:
        """Samples worth having in flight."""
        ...

    @property
    def batch(self) -> int:
        """Samples worth submitting together."""
        ...

    def submit(self, works: Sequence[Work]) -> None:
        """Take samples to draw."""
        ...

    def collect(self, timeout: float | None) -> Finished | None:
        """Wait for something to finish; None where nothing does in time."""
        ...

    def cancel(self) -> list[Work]:
        """Give back what has not started."""
        ...

    def close(self) -> None:
        """End the workers."""
        ...


class LocalPool:
    """Draws samples in threads of this process.

    The threads are daemons: a second Ctrl-C leaves at once, whatever a subject is waiting for.

    Parameters
    ----------
    drawer : Drawer
        How a sample is drawn.
    workers : int
        Samples under way at once.
    batch : int
        How many a batch subject is asked for at once; 1 for any other.
    """

    def __init__(self, drawer: Drawer, workers: int, batch: int = 1) -> None:
        self._drawer = drawer
        self.batch = batch
        # Two batches: one at the subject, one at the graders; else every worker and one more waiting at its door.
        self.capacity = 2 * batch if batch > 1 else 2 * workers
        self._todo: queue.SimpleQueue[Callable[[], None] | Sequence[Work] | None] = queue.SimpleQueue()
        self._finished: queue.SimpleQueue[Finished] = queue.SimpleQueue()
        self._asking = threading.Lock()
        self._threads = [
            threading.Thread(target=self._work, name=f"passband-sample-{i}", daemon=True)
            for i in range(workers + (batch > 1))
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, works: Sequence[Work]) -> None:
        """Take samples to draw."""
        self._todo.put(works)

    def collect(self, timeout: float | None) -> Finished | None:
        """Wait for something to finish; None where nothing does in time."""
        try:
            return self._finished.get(timeout=timeout)
        except queue.Empty:
            return None

    def cancel(self) -> list[Work]:
        """Give back what has not started."""
        works: list[Work] = []
        kept = []
        while True:
            try:
                item = self._todo.get_nowait()
            except queue.Empty:
                break
            if item is None or callable(item):
                kept.append(item)
            else:
                works += item
        for item in kept:
            self._todo.put(item)
        return works

    def close(self) -> None:
        """End the workers."""
        for _ in self._threads:
            self._todo.put(None)

    def _work(self) -> None:
        while True:
            item = self._todo.get()
            if item is None:
                return
            if callable(item):
                item()
            elif self.batch > 1:
                self._batch(item)
            else:
                for work in item:
                    self._run(work, self._drawer.draw, work)

    def _batch(self, works: Sequence[Work]) -> None:
        # One batch at a time: a policy has one machine.
        with self._asking:
            asked = self._drawer.ask(works)
        for work, attempt in asked:
            self._todo.put(lambda work=work, attempt=attempt: self._run(work, self._drawer.finish, work, attempt))  # type: ignore[misc]

    def _run(self, work: Work, function: Callable[..., Sample], *arguments: object) -> None:
        try:
            self._finished.put((work, function(*arguments)))
        except BaseException as error:  # noqa: BLE001 - handed to the thread that asked
            self._finished.put((work, error))
