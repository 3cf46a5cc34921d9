"""Draw, grade, store: n samples of every case, each exactly once."""

from __future__ import annotations

import time
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.errors import DataError
from passband.records import Fault, RunHeader, Sample, Status, Timing
from passband.run.seeds import sample_seed
from passband.subject import SubjectFault, view_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from passband.grade import Grading
    from passband.records import EvalCase
    from passband.run.store import Store
    from passband.subject import Subject
    from passband.suite import EvalSuite

__all__ = ["Progress", "draw", "execute"]

_ATTEMPTS = 3  # for failures of the machinery; a subject's own failure is a verdict and is never retried
_GROUP_S = 0.05  # samples that finish within it share a transaction


@dataclass
class Progress:
    """How far a run is. `done` counts what is durable in the store."""

    scheduled: int
    done: int = 0
    graded: int = 0
    passed: int = 0
    errored: int = 0

    def resume(self, passed: Iterable[int]) -> None:
        """Add what an earlier process has stored, from the column `SampleTable.passed`."""
        for flag in passed:
            self.done += 1
            self.errored += flag < 0
            self.graded += flag >= 0
            self.passed += flag > 0

    def count(self, sample: Sample) -> None:
        """Add one stored sample."""
        self.done += 1
        if sample.verdict is None:
            self.errored += 1
        else:
            self.graded += 1
            self.passed += sample.verdict.passed


def draw(case: EvalCase, index: int, run_seed: int, subject: Subject, grading: Grading) -> Sample:
    """Draw one sample and grade it, retrying what is not the subject's failure.

    Raises
    ------
    DataError
        Where a fault is of a kind that another attempt cannot mend: the whole run would fail the same way.
    """
    seed = sample_seed(run_seed, case.id, index)
    started_at = time.time()
    clock = time.perf_counter()
    subject_s = 0.0
    faults: list[Fault] = []
    response = None
    while len(faults) < _ATTEMPTS:
        if response is None:
            try:
                response = subject.sample(view_of(case), seed)
            except SubjectFault as error:
                faults.append(Fault("subject", str(error), error.retryable))
            except Exception as error:  # noqa: BLE001 - a subject is foreign code: whatever it raises is data
                faults.append(Fault("subject", f"{type(error).__name__}: {error}"))
            subject_s = time.perf_counter() - clock
        if response is not None:
            verdict = grading.grade(case, response.output)
            if not isinstance(verdict, Fault):
                return Sample(
                    index=index,
                    seed=seed,
                    output=response.output,
                    verdict=verdict,
                    trace=response.trace,
                    usage=response.usage,
                    timing=Timing(
                        started_at=started_at,
                        subject_s=subject_s,
                        grade_s=time.perf_counter() - clock - subject_s,
                    ),
                    faults=tuple(faults),
                )
            faults.append(verdict)
        if not faults[-1].retryable:
            raise DataError(faults[-1].detail, where=f"{case.id}, sample {index}", fix="mend it, then add --resume")
    return Sample(
        index=index,
        seed=seed,
        output=response.output if response else None,
        verdict=None,
        status=Status.ERRORED,
        timing=Timing(started_at=started_at, subject_s=subject_s),
        faults=tuple(faults),
    )


def execute(
    header: RunHeader,
    suite: EvalSuite,
    subject: Subject,
    grading: Grading,
    store: Store,
    *,
    workers: int,
    on_progress: Callable[[Progress], None],
) -> Progress:
    """Draw what the store does not hold yet.

    Every sample is in the store before it is counted. An interruption (Ctrl-C) stops new samples, lets those in flight
    finish and be stored, and is raised again.

    Parameters
    ----------
    header : RunHeader
        A run that is in the store.
    suite, subject, grading, store
        The stages.
    workers : int
        Samples in flight at once. The result does not depend on it.
    on_progress : callable
        Called after every write.

    Raises
    ------
    KeyboardInterrupt
        After what was in flight is safe.
    PassbandError
        Where the store or the subject makes going on pointless; what is stored stays.
    """
    done = store.done(header.run_id)
    progress = Progress(scheduled=len(suite) * header.samples_per_case)
    progress.resume(store.table(header.run_id).passed)
    on_progress(progress)
    todo = _pending(suite, header, done)
    flight: dict[Future[Sample], int] = {}
    with ThreadPoolExecutor(workers, thread_name_prefix="passband-sample") as pool:

        def refill() -> None:
            while len(flight) < 2 * workers:
                work = next(todo, None)
                if work is None:
                    return
                case_no, case, index = work
                flight[pool.submit(draw, case, index, header.seed, subject, grading)] = case_no

        try:
            refill()
            while flight:
                _collect(header, flight, store, progress)
                on_progress(progress)
                refill()
        except BaseException:
            # What has not started never will; what has is worth keeping.
            for future in list(flight):
                if future.cancel():
                    del flight[future]
            while flight:
                _collect(header, flight, store, progress, quiet=True)
                on_progress(progress)
            raise
    return progress


def _pending(suite: EvalSuite, header: RunHeader, done: set[tuple[int, int]]) -> Iterator[tuple[int, EvalCase, int]]:
    # Sample by sample over all cases: the numbers on the way are about the whole suite, not about its beginning.
    for index in range(header.samples_per_case):
        for case_no, case in enumerate(suite):
            if (case_no, index) not in done:
                yield case_no, case, index


def _collect(
    header: RunHeader, flight: dict[Future[Sample], int], store: Store, progress: Progress, *, quiet: bool = False
) -> None:
    """Wait for something to finish and write all that has, in one transaction."""
    finished, _ = wait(flight, return_when=FIRST_COMPLETED)
    if len(finished) < len(flight):
        more, _ = wait(flight, timeout=_GROUP_S)
        finished |= more
    batch: list[tuple[int, Sample]] = []
    failure: BaseException | None = None
    for future in finished:
        case_no = flight.pop(future)
        error = future.exception()
        if error is None:
            batch.append((case_no, future.result()))
        else:
            failure = failure or error
    store.add_samples(header.run_id, batch)
    for _, sample in batch:
        progress.count(sample)
    if failure is not None and not quiet:
        raise failure
