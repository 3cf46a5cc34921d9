"""The structured aggregate: every number of one run, none folded into another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate.arrays import UNISOLATED
from passband.aggregate.causes import ErrorCause, count_causes
from passband.aggregate.fold import Folded, fold
from passband.records import OUTCOME_CODES, Harness, SampleTable
from passband.stats import (
    Estimate,
    PassCurve,
    design_effect,
    intra_task_correlation,
    pass_rate_interval,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from passband.aggregate.arrays import RunArrays
    from passband.records import RunHeader

__all__ = ["CaseSummary", "ErrorAccount", "RunSummary", "RunTiming", "SafetyVerdict", "SliceSummary", "summarize"]

_LEVEL = 0.95


@dataclass(frozen=True)
class CaseSummary:
    """Counts of one case."""

    id: str
    n: int
    """Graded samples."""
    c: int
    """Of them, passed."""
    errored: int
    mixed: bool
    flaky: bool
    """Equal answers got different verdicts."""


@dataclass(frozen=True)
class SliceSummary:
    """Pass rate of the cases that share a slice's value."""

    slice: str
    value: str
    n_cases: int
    pass_at_1: Estimate | None
    """Its interval holds simultaneously for all values of the slice (Bonferroni); None where nothing was graded."""


@dataclass(frozen=True)
class ErrorAccount:
    """Infrastructure failures, and what they could have been."""

    scheduled: int
    missing: int
    """Scheduled and not drawn yet."""
    errored: int
    graded: int
    pass_rate_over_scheduled: float
    """Passes over all scheduled samples, pooled: `worst`, where every case was to have equally many."""
    worst: float
    """Pass rate if everything without a verdict failed (task average)."""
    best: float
    """Pass rate if everything without a verdict passed (task average)."""
    causes: tuple[ErrorCause, ...] = ()
    """Why samples errored, the most frequent first; empty where only the narrow rows were read."""

    @property
    def too_many(self) -> bool:
        """Whether fewer than half of the samples drawn could be graded: what is left is no result of the run."""
        return self.errored > self.graded


@dataclass(frozen=True)
class SafetyVerdict:
    """A veto beside the mean, never a term in it."""

    failed: bool
    samples: tuple[tuple[str, int], ...]
    """(case id, sample index) of every violation."""


@dataclass(frozen=True)
class RunTiming:
    """When a run was made and how long it took."""

    created_at: float
    """Seconds since the epoch."""
    seconds: float
    """Subject and grader, summed over samples."""


class Curve(Mapping[int, Estimate]):
    """An estimate for every k from 1 to `last`, each computed when it is first asked for.

    A report shows the powers of two among hundreds of k, and an interval takes time.

    Parameters
    ----------
    at : callable
        Computes the estimate at k.
    last : int
        The largest k; 0 where there is none.
    """

    def __init__(self, at: Callable[[int], Estimate], last: int) -> None:
        self._at = at
        self._ks = range(1, last + 1)
        self._known: dict[int, Estimate] = {}

    def __getitem__(self, k: int) -> Estimate:
        if k not in self._ks:
            raise KeyError(k)
        if k not in self._known:
            self._known[k] = self._at(k)
        return self._known[k]

    def __iter__(self) -> Iterator[int]:
        return iter(self._ks)

    def __len__(self) -> int:
        return len(self._ks)


@dataclass(frozen=True)
class RunSummary:
    """Every number of one run. Field names are those of ``--format json`` and stay."""

    run_id: str
    subject: str
    suite: str
    suite_version: str
    harness: Harness
    harness_fingerprint: str
    seed: int
    samples_per_case: int
    n_cases: int
    pass_at_1: Estimate | None
    """Tasks like these: the tasks are a sample. None where nothing was graded."""
    pass_at_1_these_tasks: Estimate | None
    pass_at_k: Mapping[int, Estimate]
    """For every k up to the smallest number of graded samples a case has; each is computed when it is asked for."""
    pass_hat_k: Mapping[int, Estimate]
    intra_task_correlation: float | None
    design_effect: float | None
    slices: tuple[SliceSummary, ...]
    outcomes: dict[str, int]
    errors: ErrorAccount
    safety: SafetyVerdict
    mixed_count: int
    flaky_count: int
    cases: tuple[CaseSummary, ...]
    enough: str
    """Why a rule ended the run before n samples of each case; empty where none did."""
    cost_usd: float | None
    """Sum over the samples with a known price; None where there is none."""
    tokens: int
    warnings: tuple[str, ...]
    timing: RunTiming
    """The only part in which two equal runs differ."""


def summarize(table: SampleTable | Iterable[SampleTable], *, causes: Iterable[str] = ()) -> RunSummary:
    """Fold a run's samples into its summary, whose intervals are 95% ones.

    Parameters
    ----------
    table : SampleTable or iterable of SampleTable
        The narrow rows of one run, finished or not; or the run cut into pieces between cases, at least one.
    causes : iterable of str
        Why each errored sample has no verdict, where that is known; not looked at where none errored.

    Returns
    -------
    RunSummary
    """
    run = fold([table] if isinstance(table, SampleTable) else table)
    header, arrays = run.header, run.arrays
    kept = arrays.graded > 0
    c, n = arrays.passed[kept], arrays.graded[kept]
    k_max = int(n.min()) if n.size else 0
    several = n.size > 1 and bool((n > 1).any())
    return RunSummary(
        run_id=header.run_id,
        subject=header.subject,
        suite=header.harness.suite,
        suite_version=header.harness.suite_version,
        harness=header.harness,
        harness_fingerprint=header.harness.fingerprint,
        seed=header.seed,
        samples_per_case=header.samples_per_case,
        n_cases=len(header.case_ids),
        pass_at_1=pass_rate_interval(c, n, level=_LEVEL) if n.size else None,
        pass_at_1_these_tasks=pass_rate_interval(c, n, estimand="these-tasks", level=_LEVEL) if n.size else None,
        pass_at_k=Curve(PassCurve(c, n, "pass@k", level=_LEVEL), k_max),
        pass_hat_k=Curve(PassCurve(c, n, "pass^k", level=_LEVEL), k_max),
        intra_task_correlation=_number(intra_task_correlation(c, n)) if several else None,
        design_effect=_number(design_effect(c, n)) if several else None,
        slices=tuple(_slices(header, arrays)),
        outcomes=_outcomes(run.outcomes),
        errors=_errors(run, causes),
        safety=SafetyVerdict(failed=bool(run.violations), samples=run.violations),
        mixed_count=int(arrays.mixed.sum()),
        flaky_count=int(arrays.answers_disagree.sum()),
        cases=tuple(_cases(header.case_ids, arrays)),
        enough=run.enough,
        cost_usd=run.cost_usd if run.priced else None,
        tokens=run.tokens,
        warnings=tuple(_warnings(run)),
        timing=RunTiming(created_at=header.created_at, seconds=run.seconds),
    )


def _cases(ids: Iterable[str], arrays: RunArrays) -> Iterable[CaseSummary]:
    columns = (arrays.graded, arrays.passed, arrays.errored, arrays.mixed, arrays.answers_disagree)
    return map(CaseSummary, ids, *(column.tolist() for column in columns))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float | np.floating) and np.isfinite(value) else None


def _slices(header: RunHeader, arrays: RunArrays) -> Iterable[SliceSummary]:
    groups: dict[str, dict[str, list[int]]] = {}
    for place, slices in enumerate(header.case_slices):
        for name, value in slices.items():
            groups.setdefault(name, {}).setdefault(value, []).append(place)
    for name, values in sorted(groups.items()):
        shared = 1 - (1 - _LEVEL) / len(values)  # Bonferroni: all intervals of a slice hold at once
        for value, places in sorted(values.items()):
            n = arrays.graded[places]
            c = arrays.passed[places][n > 0]
            n = n[n > 0]
            estimate = pass_rate_interval(c, n, level=shared) if n.size else None
            yield SliceSummary(slice=name, value=value, n_cases=len(places), pass_at_1=estimate)


def _outcomes(counted: NDArray[np.int64]) -> dict[str, int]:
    return {outcome.value: int(counted[code]) for code, outcome in enumerate(OUTCOME_CODES) if outcome is not None}


def _errors(run: Folded, causes: Iterable[str]) -> ErrorAccount:
    arrays = run.arrays
    errored = int(arrays.errored.sum())
    scheduled = int(arrays.scheduled.sum())
    unknown = arrays.scheduled - arrays.graded
    return ErrorAccount(
        scheduled=scheduled,
        missing=scheduled - run.samples,
        errored=errored,
        graded=int(arrays.graded.sum()),
        pass_rate_over_scheduled=float(arrays.passed.sum() / scheduled),
        worst=float((arrays.passed / arrays.scheduled).mean()),
        best=float(((arrays.passed + unknown) / arrays.scheduled).mean()),
        causes=count_causes(causes) if errored else (),
    )


def _warnings(run: Folded) -> Iterable[str]:
    arrays = run.arrays
    scheduled = int(arrays.scheduled.sum())
    missing = scheduled - run.samples
    if missing:
        yield f"{missing} of {scheduled} samples {'is' if missing == 1 else 'are'} not drawn yet: resume the run"
    if run.enough:
        yield (
            f"its rule ended the run early: {run.enough}. The intervals here are those of a fixed design: after such "
            "a stop, quote the rule's"
        )
    ungraded = int((arrays.graded == 0).sum())
    if ungraded:
        has, is_ = ("has", "is") if ungraded == 1 else ("have", "are")
        yield f"{ungraded} of {len(arrays.graded)} cases {has} no graded sample and {is_} in no rate"
    if run.header.harness.sandbox_tier == UNISOLATED:
        yield "candidates ran without isolation (--unsafe)"
    if 0 < run.priced < run.samples:
        yield f"the price of {run.samples - run.priced} of {run.samples} samples is not known; the cost leaves them out"
