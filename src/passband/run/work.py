"""One sample that is to be drawn, and how it is drawn."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passband.errors import DataError, PassbandError, text_of
from passband.records import Fault, Sample, Status, Timing, Usage
from passband.run.retry import RetryPolicy
from passband.run.seeds import sample_seed
from passband.subject import BatchSubject, Response, SubjectFault, view_of
from passband.subject.check import check_faults, check_response, check_usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passband.grade import Grading
    from passband.records import EvalCase
    from passband.subject import Subject

__all__ = ["Drawer", "Work"]


@dataclass(frozen=True, slots=True)
class Work:
    """A sample that is to be drawn: the case's position in the suite, the case, the sample's index."""

    case_no: int
    case: EvalCase
    index: int


@dataclass
class _Attempt:
    """What is known of a sample under way."""

    seed: int
    started_at: float
    response: Response | None = None
    faults: list[Fault] = field(default_factory=list)
    lost: Usage = field(default_factory=Usage)
    subject_s: float = 0.0

    def failed(self, error: BaseException) -> None:
        if isinstance(error, SubjectFault):
            self.faults.append(self._fault(error))
        elif isinstance(error, PassbandError):
            # A mistake of the user's, such as a template that names what the case has not: every sample would meet it.
            self.faults.append(Fault("subject", text_of(error), retryable=False))
        else:
            said = text_of(error)
            self.faults.append(Fault("subject", f"{type(error).__name__}: {said}" if said else type(error).__name__))

    def _fault(self, error: SubjectFault) -> Fault:
        detail = text_of(error)
        try:
            usage = check_usage(error.usage)
            self.faults += check_faults(error.faults)
        except TypeError as wrong:
            return Fault(
                "subject", f"{detail}; what it says beside that is not credited: {wrong}", bool(error.retryable)
            )
        self.lost = _add(self.lost, usage)
        return Fault("subject", detail, bool(error.retryable))


def _is_ctrl_c(error: BaseException) -> bool:
    """Whether it is the user's: signals strike the main thread alone; elsewhere a subject has raised it."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()


@dataclass(frozen=True)
class Drawer:
    """Draws and grades samples of one run; safe to use from several threads.

    Parameters
    ----------
    run_seed : int
        The run's seed.
    subject, grading
        The stages.
    retry : RetryPolicy
        What is tried again, and when.
    """

    run_seed: int
    subject: Subject
    grading: Grading
    retry: RetryPolicy = field(default_factory=RetryPolicy)

    def draw(self, work: Work) -> Sample:
        """Draw one sample and grade it, retrying what is not the subject's failure.

        Raises
        ------
        DataError
            Where a fault is of a kind that another attempt cannot mend: the whole run would fail the same way.
        """
        return self._finish(work, self._begin(work))

    def ask(self, works: Sequence[Work]) -> list[tuple[Work, _Attempt]]:
        """Ask a batch subject for a whole batch; what fails is asked again one by one when it is graded."""
        assert isinstance(self.subject, BatchSubject)
        attempts = [self._begin(work) for work in works]
        clock = time.perf_counter()
        try:
            responses = self.subject.sample_batch([view_of(work.case) for work in works], [a.seed for a in attempts])
            returned = list(zip(attempts, responses, strict=True))
        except BaseException as error:
            if _is_ctrl_c(error):
                raise
            returned = []
            for attempt in attempts:
                attempt.failed(error)
        for attempt, response in returned:
            try:
                attempt.response = check_response(response, self.subject.name)
            except TypeError as error:
                attempt.failed(error)
        share = (time.perf_counter() - clock) / len(works)
        for attempt in attempts:
            attempt.subject_s = share
        return list(zip(works, attempts, strict=True))

    def finish(self, work: Work, attempt: _Attempt) -> Sample:
        """Grade what :meth:`ask` got; as :meth:`draw` from there on."""
        return self._finish(work, attempt)

    def _begin(self, work: Work) -> _Attempt:
        return _Attempt(sample_seed(self.run_seed, work.case.id, work.index), time.time())

    def _finish(self, work: Work, attempt: _Attempt) -> Sample:
        faults = attempt.faults
        grade_s = 0.0
        while True:
            if faults and not faults[-1].retryable:
                # A mended suite has another version, and its run another name: nothing of it can be resumed.
                mended = "then add --resume" if faults[-1].stage == "subject" else "and start the run anew"
                where = f"{work.case.id}, sample {work.index}"
                raise DataError(faults[-1].detail, where=where, fix=f"mend it, {mended}")
            if len(faults) >= self.retry.attempts:
                return self._errored(work, attempt)
            if faults:
                time.sleep(self.retry.wait_s(len(faults), attempt.seed))
            if attempt.response is None:
                clock = time.perf_counter()
                try:
                    returned = self.subject.sample(view_of(work.case), attempt.seed)
                    attempt.response = check_response(returned, self.subject.name)
                except BaseException as error:
                    if _is_ctrl_c(error):
                        raise
                    attempt.failed(error)
                attempt.subject_s += time.perf_counter() - clock
            if attempt.response is None:
                continue
            clock = time.perf_counter()
            verdict = self.grading.grade(work.case, attempt.response.output)
            grade_s += time.perf_counter() - clock
            if isinstance(verdict, Fault):
                faults.append(verdict)
                continue
            return Sample(
                index=work.index,
                seed=attempt.seed,
                output=attempt.response.output,
                verdict=verdict,
                trace=attempt.response.trace,
                usage=_add(attempt.lost, attempt.response.usage),
                timing=Timing(started_at=attempt.started_at, subject_s=attempt.subject_s, grade_s=grade_s),
                faults=(*attempt.response.faults, *faults),
            )

    @staticmethod
    def _errored(work: Work, attempt: _Attempt) -> Sample:
        response = attempt.response
        return Sample(
            index=work.index,
            seed=attempt.seed,
            output=response.output if response else None,
            verdict=None,
            status=Status.ERRORED,
            usage=_add(attempt.lost, response.usage) if response else attempt.lost,
            timing=Timing(started_at=attempt.started_at, subject_s=attempt.subject_s),
            faults=(*(response.faults if response else ()), *attempt.faults),
        )


def _add(lost: Usage, usage: Usage) -> Usage:
    """Sum two usages; what attempts that failed have used was paid for too."""
    if lost == Usage():
        return usage
    known = lost.cost_usd is not None and usage.cost_usd is not None
    return Usage(
        input_tokens=lost.input_tokens + usage.input_tokens,
        output_tokens=lost.output_tokens + usage.output_tokens,
        cost_usd=(lost.cost_usd or 0.0) + (usage.cost_usd or 0.0) if known else None,
    )
