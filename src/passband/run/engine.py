"""Draw, grade, store: n samples of every case, each exactly once."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from passband.errors import DataError
from passband.run.budget import Budget, Meter, ceilings
from passband.run.interrupt import interruptions
from passband.run.pool import LocalPool
from passband.run.progress import Progress
from passband.run.retry import RetryPolicy
from passband.run.rounds import Rounds
from passband.run.schedule import pending
from passband.run.work import Drawer
from passband.subject import BatchSubject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passband.grade import Grading
    from passband.records import RunHeader, Sample, Usage
    from passband.run.pool import Executor
    from passband.run.rounds import Rule
    from passband.run.store import BaseStore
    from passband.run.work import Work
    from passband.subject import Subject
    from passband.suite import EvalSuite

__all__ = ["execute"]

_GROUP_S = 0.05  # samples that finish within it share a transaction …
_GROUP = 1000  # … up to so many
_POLL_S = 0.2  # how soon Ctrl-C is heard while nothing finishes
_ERRORS_IN_A_ROW = 20  # after them, the machinery is broken and not unlucky


def execute(
    header: RunHeader,
    suite: EvalSuite,
    subject: Subject,
    grading: Grading,
    store: BaseStore,
    *,
    workers: int,
    on_progress: Callable[[Progress], None],
    retry: RetryPolicy | None = None,
    budget: Budget | None = None,
    rule: Rule | None = None,
    executor: Callable[[Drawer, int, int], Executor] = LocalPool,
) -> Progress:
    """Draw what the store does not hold yet.

    Every sample is in the store before it is counted. An interruption (Ctrl-C) stops new samples, lets those in flight
    finish and be stored, and is raised again; a second one leaves those in flight behind.

    Parameters
    ----------
    header : RunHeader
        A run that is in the store.
    suite, subject, grading, store
        The stages.
    workers : int
        Samples under way at once. The result does not depend on it.
    on_progress : callable
        Called after every write.
    retry : RetryPolicy, optional
        What is tried again, and when.
    budget : Budget, optional
        What the run may spend; where it is spent, the run stops as complete as it got and says so in
        ``Progress.stopped``.
    rule : Rule, optional
        Says what a round has and, after every round, whether to end the run here. Rounds make the answer independent of
        workers and of chance in their timing.
    executor : callable, optional
        Makes the executor from (drawer, workers, batch size).

    Raises
    ------
    KeyboardInterrupt
        After what was in flight is safe.
    DataError
        Where a fault cannot be mended by another attempt, or twenty samples in a row errored.
    PassbandError
        Where the store or the subject makes going on pointless; what is stored stays.
    """
    budget = budget or Budget()
    budget.check(subject, None)
    progress = Progress(scheduled=len(suite) * header.samples_per_case, cases=len(suite))
    progress.resume(store, header.run_id)
    on_progress(progress)
    batch = subject.batch_size if isinstance(subject, BatchSubject) else 1
    drawer = Drawer(header.seed, subject, grading, retry or RetryPolicy())
    pool = executor(drawer, workers, batch)
    meter = Meter(budget, store.spent(header.run_id))
    with interruptions() as interrupted:
        rounds = Rounds(suite, header, store.table(header.run_id), rule, progress) if rule else None
        todo = iter(rounds) if rounds else pending(suite, header, store.done(header.run_id))
        run = _Run(header, store, subject, progress, pool, meter, on_progress, rounds, interrupted)
        try:
            run.go(todo)
        finally:
            pool.close()
    if progress.done == progress.scheduled or progress.enough:
        store.settle(header.run_id, enough=progress.enough)
    return progress


class _Run:
    """The state of one call of :func:`execute`."""

    def __init__(
        self,
        header: RunHeader,
        store: BaseStore,
        subject: Subject,
        progress: Progress,
        pool: Executor,
        meter: Meter,
        on_progress: Callable[[Progress], None],
        rounds: Rounds | None,
        interrupted: Callable[[], bool],
    ) -> None:
        self._run_id = header.run_id
        self._store = store
        self._subject = subject
        self._most = ceilings(subject)
        self._progress = progress
        self._pool = pool
        self._meter = meter
        self._on_progress = on_progress
        self._rounds = rounds
        self._interrupted = interrupted
        self._flight: dict[tuple[int, int], Usage | None] = {}
        self._ready: list[tuple[int, Sample]] = []
        self._next: Work | None = None
        self._round_ends = False
        self._errors_in_a_row = 0

    def go(self, todo: Iterator[Work | None]) -> None:
        """Run to the end, or to a reason to stop."""
        try:
            self._refill(todo)
            while self._flight:
                self._gather(todo)
                self._write()
                self._refill(todo)
        except Exception:
            self._let_finish()
            raise
        if self._interrupted():
            raise KeyboardInterrupt

    def _refill(self, todo: Iterator[Work | None]) -> None:
        """Submit until enough is in flight, or nothing more may start."""
        works: list[Work] = []
        while not self._progress.stopped and len(self._flight) + len(works) < self._pool.capacity:
            if self._interrupted():
                self._drop_waiting()
                break
            if self._round_ends:
                if self._flight or works:
                    break  # the round has to end first
                self._write()
                self._round_ends = False
            try:
                work = self._next or next(todo)
            except StopIteration:
                break
            self._next = None
            if work is None:
                self._round_ends = True
                continue
            most = self._most(work.case)
            self._meter.budget.check(self._subject, most)
            refused = self._meter.admits(most)
            if refused:
                if self._flight or works:
                    # What is in flight may turn out cheaper than was reserved for it.
                    self._next = work
                else:
                    self._progress.stopped = refused
                break
            self._meter.start(most)
            works.append(work)
            if len(works) == self._pool.batch:
                self._submit(works)
                works = []
        self._submit(works)

    def _submit(self, works: list[Work]) -> None:
        if works:
            self._flight |= {(work.case_no, work.index): self._most(work.case) for work in works}
            self._pool.submit(works)

    def _drop_waiting(self) -> int:
        dropped = list(self._pool.cancel())
        for work in dropped:
            self._meter.finish(self._flight.pop((work.case_no, work.index)), None)
        return len(dropped)

    def _gather(self, todo: Iterator[Work | None]) -> None:
        """Wait for something to finish, then take what else finishes within a moment."""
        finished = None
        while self._flight and finished is None:
            finished = self._pool.collect(_POLL_S)
            if self._interrupted():
                self._drop_waiting()
            elif (late := self._meter.late()) and self._drop_waiting():
                self._progress.stopped = late  # what waits for a worker has not started
        self._take(finished)
        deadline = time.monotonic() + _GROUP_S
        while self._flight and len(self._ready) < _GROUP:
            if len(self._flight) <= self._pool.capacity - self._pool.batch:
                self._refill(todo)
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self._take(self._pool.collect(left))

    def _take(self, finished: tuple[Work, Sample | BaseException] | None) -> None:
        if finished is None:
            return
        work, result = finished
        most = self._flight.pop((work.case_no, work.index))
        if isinstance(result, BaseException):
            self._meter.finish(most, None)
            raise result
        self._ready.append((work.case_no, result))
        self._meter.finish(most, result)
        self._errors_in_a_row = self._errors_in_a_row + 1 if result.verdict is None else 0
        if self._errors_in_a_row >= _ERRORS_IN_A_ROW:
            raise DataError(
                f"{self._errors_in_a_row} samples in a row errored: {result.faults[-1].detail}",
                where=f"{work.case.id}, sample {work.index}",
                fix="mend it, then add --resume --retry-errored",
            )

    def _write(self) -> None:
        """Make durable what is ready, then count it."""
        ready, self._ready = self._ready, []
        if not ready:
            return
        self._store.add_samples(self._run_id, ready)
        for case_no, sample in ready:
            self._progress.count(case_no, sample)
            if self._rounds is not None:
                self._rounds.count(case_no, sample)
        self._on_progress(self._progress)

    def _let_finish(self) -> None:
        """Drop what has not started, keep what has: it is worth its price."""
        self._drop_waiting()
        while self._flight:
            finished = self._pool.collect(_POLL_S)
            if finished is None:
                continue
            work, result = finished
            del self._flight[work.case_no, work.index]
            if not isinstance(result, BaseException):
                self._ready.append((work.case_no, result))
            self._write()
        self._write()
