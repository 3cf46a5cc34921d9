"""The grader: answer and case in, verdict out; for any input, from many threads.

What runs code is imported when the first case needs it: a run whose answers are text starts in half the time.
"""

from __future__ import annotations

import contextlib
import hashlib
import platform
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Self

from passband.errors import SuiteError
from passband.grade.text import grade_exact, grade_predicate
from passband.records import (
    Answer,
    EvalCase,
    ExactMatchSpec,
    ExecutionSpec,
    Fault,
    Outcome,
    PredicateSpec,
    Verdict,
)
from passband.suite import case_digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.grade.execute import Execution
    from passband.grade.plan import Plan
    from passband.grade.report import TestRun
    from passband.sandbox.tiers import TierReport

__all__ = ["GRADER_VERSION", "Grading"]

GRADER_VERSION = 5
"""Moves when the same answer to the same case could get another verdict."""

_CACHE, _DIGESTS = 50_000, 10_000


class Grading:
    """Grades answers; a context manager, safe to use from many threads at once.

    Parameters
    ----------
    sandbox : str
        Isolation for code, as for :func:`passband.sandbox.detect`; found and probed when the first case needs it.
    unsafe : bool
        Allow running candidates without isolation.
    workers : int, optional
        How many candidates may run at once; unbounded by default, since the callers' threads are the bound.
    confirmations : int
        Times this a passing candidate that chance may have helped is run again before it counts as resolved: twice
        where the order of a set may show, four times where it uses anything that is not known to be the same in each
        run. Each time sets have another order, and the same again when the candidate is graded again.
    reuse : bool
        Give the same answer to the same case the verdict it got before, which is quick where answers repeat. A run does
        not: there every sample is graded, and equal answers with other verdicts are how flaky tests show.

    Examples
    --------
    >>> from passband.grade import Grading
    >>> from passband.records import Answer, EvalCase, ExactMatchSpec
    >>> case = EvalCase(id="sum", inputs={}, reference="4", grader_spec=ExactMatchSpec())
    >>> with Grading() as grading:
    ...     grading.grade(case, Answer.of(" 4")).passed
    True
    """

    def __init__(
        self,
        sandbox: str = "auto",
        *,
        unsafe: bool = False,
        workers: int | None = None,
        confirmations: int = 1,
        reuse: bool = False,
    ) -> None:
        self._sandbox, self._unsafe = sandbox, unsafe
        self._confirmations = confirmations
        self._reuse = reuse
        self._slots = threading.BoundedSemaphore(workers) if workers else None
        self._lock = threading.Lock()
        self._report: TierReport | None = None
        self._running: Execution | None = None
        self._digests: dict[int, tuple[EvalCase, bytes]] = {}
        self._cache: OrderedDict[bytes, Verdict] = OrderedDict()

    @property
    def sandbox(self) -> TierReport:
        """The isolation in use.

        Raises
        ------
        SandboxUnavailableError, UsageError
            As for :func:`passband.sandbox.detect`.
        """
        from passband.sandbox.tiers import detect

        with self._lock:
            if self._report is None:
                self._report = detect(self._sandbox, unsafe=self._unsafe)
            return self._report

    def describe(self) -> dict[str, Any]:
        """Return what a run's harness must name: grader, sandbox tier, and the versions that can move a verdict.

        Raises
        ------
        SandboxUnavailableError, UsageError
            Where no permitted isolation is to be had: better before a run than at its first answer.
        """
        from importlib.metadata import version

        return {
            "grader": f"passband@{GRADER_VERSION}",
            "sandbox_tier": self.sandbox.label,
            "packages": {"python": platform.python_version(), "pytest": version("pytest")},
        }

    def grade(self, case: EvalCase, answer: Answer) -> Verdict | Fault:
        """Grade one answer.

        Parameters
        ----------
        case : EvalCase
            Its ``grader_spec`` says how.
        answer : Answer
            Any bytes.

        Returns
        -------
        Verdict or Fault
            A fault is a failure of the sandbox or of this grader, never of the candidate; it may be tried again.
        """
        try:
            if self._reuse:
                return self._grade_once(case, answer)
            return self._grade(case, answer)
        except Exception as error:  # noqa: BLE001 - a grader is total: whatever went wrong here is ours, and is said
            return _fault(error)

    def _grade_once(self, case: EvalCase, answer: Answer) -> Verdict:
        key = self._key(case, answer)
        with self._lock:
            if key in self._cache:
                self._cache.move_to_end(key)
                return self._cache[key]
        verdict = self._grade(case, answer)
        with self._lock:
            self._cache[key] = verdict
            if len(self._cache) > _CACHE:
                self._cache.popitem(last=False)
        return verdict

    def _key(self, case: EvalCase, answer: Answer) -> bytes:
        with self._lock:
            held = self._digests.get(id(case))
        # The case is held with its digest: an id alone may come to belong to another object.
        if held is None or held[0] is not case:
            held = (case, case_digest(case).encode())
            with self._lock:
                if len(self._digests) >= _DIGESTS:
                    self._digests.clear()
                self._digests[id(case)] = held
        digest = hashlib.sha256(held[1])
        digest.update(f"\n{GRADER_VERSION}\n{answer.format.value}\n".encode())
        digest.update(answer.payload)
        return digest.digest()

    def _grade(self, case: EvalCase, answer: Answer) -> Verdict:
        spec = case.grader_spec
        if isinstance(spec, ExactMatchSpec):
            return grade_exact(case, answer, spec)
        if isinstance(spec, PredicateSpec):
            return grade_predicate(case, answer, spec)
        return self._execute(case, answer, spec)

    def _execute(self, case: EvalCase, answer: Answer, spec: ExecutionSpec) -> Verdict:
        from passband.grade.chance import reruns
        from passband.grade.patch import Refused, apply_answer

        applied = apply_answer(answer, case.workspace, allowed_files=spec.allowed_files, forbidden=spec.forbidden)
        if isinstance(applied, Refused):
            return Verdict(False, 0.0, f"{applied.detail} [static]", applied.outcome, "static")
        tree = applied.tree(case.workspace)
        run = self.run_tests(case, tree)
        again = 0 if run.failed else reruns(applied.changes, self._confirmations, tree, case.hidden)
        for turn in range(again):
            run = self.run_tests(case, tree, turn=turn + 1)
            if run.failed:
                break
        return _verdict(spec, run)

    def plan(self, case: EvalCase) -> Plan:
        """Return how the answers of a case graded by execution are graded, and why.

        Raises
        ------
        SuiteError
            Where the hidden tests are not Python, or tier 1 is asked for and cannot be had.
        SandboxFaultError
            Where the sandbox failed.
        """
        return self._execution().plan(case, _execution_spec(case))

    def run_tests(
        self, case: EvalCase, tree: Mapping[str, bytes], ids: Sequence[str] | None = None, *, turn: int = 0
    ) -> TestRun:
        """Run a case's hidden tests on a tree, with no regard to how the tree came about.

        Parameters
        ----------
        case : EvalCase
            With an :class:`~passband.records.ExecutionSpec`.
        tree : mapping
            Relative path → content.
        ids : sequence of str, optional
            Test ids; every one of FAIL_TO_PASS and PASS_TO_PASS by default.
        turn : int
            Which run of this tree it is; sets have another order in the next.

        Returns
        -------
        TestRun
            An outcome for every id.

        Raises
        ------
        SuiteError
            Where the case cannot be graded as it asks.
        SandboxFaultError
            Where the sandbox failed.
        """
        spec = _execution_spec(case)
        execution = self._execution()
        ids = ids or (*spec.fail_to_pass, *spec.pass_to_pass)
        with self._slots or contextlib.nullcontext():
            return execution.run(case, spec, tree, ids, spec.limits, turn=turn)

    def _execution(self) -> Execution:
        from passband.grade.execute import Execution

        report = self.sandbox
        with self._lock:
            if self._running is None:
                self._running = Execution(report)
            return self._running

    def close(self) -> None:
        """End every server."""
        with self._lock:
            if self._running is not None:
                self._running.close()
                self._running = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _fault(error: Exception) -> Fault:
    from passband.sandbox.runs import SandboxFaultError

    if isinstance(error, SandboxFaultError):
        return Fault("sandbox", error.what)
    if isinstance(error, SuiteError):
        return Fault("grade", str(error), retryable=False)
    return Fault("grade", f"{type(error).__name__}: {error}")


def _execution_spec(case: EvalCase) -> ExecutionSpec:
    if not isinstance(case.grader_spec, ExecutionSpec):
        raise TypeError(f"case {case.id} is not graded by execution")
    return case.grader_spec


def _verdict(spec: ExecutionSpec, run: TestRun) -> Verdict:
    tier, failed = f"execution/{run.tier}", run.failed
    if not failed:
        bare = f", {len(run.unguarded)} of them with no twin that must fail" if run.unguarded else ""
        detail = f"all {len(run.outcomes)} tests passed{bare} [{tier}]"
        return Verdict(True, 1.0, detail, Outcome.RESOLVED, tier)
    first = failed[0]
    name = "FAIL_TO_PASS" if first in spec.fail_to_pass else "PASS_TO_PASS"
    detail = (
        f"{len(failed)} of {len(run.outcomes)} tests did not pass; {name} {first}: {run.outcomes[first].why} [{tier}]"
    )
    return Verdict(False, 0.0, detail, Outcome.UNRESOLVED, tier)
