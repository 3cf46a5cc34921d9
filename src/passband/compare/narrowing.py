"""Does training narrow what a subject can do? pass@k of both over k, and the cases that carry a loss."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.aggregate import COUNTED
from passband.compare.harness import check_allowed, harness_differences
from passband.compare.pairing import pair_runs
from passband.compare.result import CaseChange
from passband.stats import paired_curve_difference, pass_at_k

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.records import SampleTable
    from passband.stats import PairedMean

__all__ = ["LostCoverage", "Narrowing", "compare_coverage"]


@dataclass(frozen=True)
class LostCoverage:
    """A case that the candidate covers less at the largest k."""

    case: CaseChange
    loss: float
    """pass@k of the baseline less that of the candidate, at the largest k."""
    share: float
    """Of all that is lost over cases."""


@dataclass(frozen=True)
class Narrowing:
    """Two pass@k curves on the same cases."""

    baseline: str
    candidate: str
    n_shared: int
    ks: tuple[int, ...]
    points: tuple[PairedMean, ...]
    """Candidate less baseline at each k; the intervals hold for all k at once."""
    verdict: Literal["narrows", "widens", "shifts up", "shifts down", "unclear"]
    """``narrows``: shown above at some k and shown below at a larger one. ``widens``: the other way round. ``shifts``:
    shown on one side only."""
    crosses_at: int | None
    """First k at which the curves as observed have changed sides; None where they do not."""
    lost: tuple[LostCoverage, ...]
    """Largest loss first. Where one or two cases carry all of it, the finding rests on them."""
    answers: tuple[float, float] | None
    """Different answers a case, on average over cases, on each side: of equally many samples. None for counts."""


def compare_coverage(
    baseline: SampleTable, candidate: SampleTable, *, level: float = 0.95, allow: Iterable[str] = ()
) -> Narrowing:
    """Compare two runs over all k that both can estimate.

    Parameters
    ----------
    baseline, candidate : SampleTable
        Two runs, many samples a case.
    level : float
        Chance that all intervals hold at once.
    allow : iterable of str
        As for :func:`passband.compare.compare_runs`.

    Returns
    -------
    Narrowing

    Raises
    ------
    UsageError, DataError
        As for :func:`passband.compare.compare_runs`.
    """
    harness = baseline.header.harness
    check_allowed(harness_differences(harness, candidate.header.harness), allow, harness.__struct_fields__)
    pairs = pair_runs(baseline, candidate)
    most = int(min(pairs.n_a.min(), pairs.n_b.min()))
    ks = tuple(sorted({k for k in (2**i for i in range(24)) if k <= most} | {most}))
    points = paired_curve_difference(pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b, ks, level=level)
    a = np.asarray(pass_at_k(pairs.n_a, pairs.c_a, most), dtype=np.float64)
    b = np.asarray(pass_at_k(pairs.n_b, pairs.c_b, most), dtype=np.float64)
    loss = np.maximum(a - b, 0.0)
    order = sorted(np.flatnonzero(loss > 0).tolist(), key=lambda i: (-loss[i], pairs.cases[i]))
    return Narrowing(
        baseline=baseline.header.run_id,
        candidate=candidate.header.run_id,
        n_shared=len(pairs.cases),
        ks=ks,
        points=points,
        verdict=_verdict(points),
        crosses_at=_crossing(ks, points),
        lost=tuple(
            LostCoverage(
                CaseChange(
                    pairs.cases[i],
                    (int(pairs.c_a[i]), int(pairs.n_a[i])),
                    (int(pairs.c_b[i]), int(pairs.n_b[i])),
                ),
                float(loss[i]),
                float(loss[i] / loss.sum()),
            )
            for i in order
        ),
        answers=None
        if COUNTED in {harness.grader, candidate.header.harness.grader}
        else (_answers(baseline, pairs.cases, most), _answers(candidate, pairs.cases, most)),
    )


def _verdict(points: Iterable[PairedMean]) -> Literal["narrows", "widens", "shifts up", "shifts down", "unclear"]:
    sides = []
    for point in points:
        low, high = point.estimate.low, point.estimate.high
        if low is not None and float(low) > 0:
            sides.append(1)
        elif high is not None and float(high) < 0:
            sides.append(-1)
    if not sides:
        return "unclear"
    if len(set(sides)) == 1:
        return "shifts up" if sides[0] > 0 else "shifts down"
    return "narrows" if sides[0] > 0 else "widens"


def _crossing(ks: tuple[int, ...], points: Iterable[PairedMean]) -> int | None:
    first = 0.0
    for k, point in zip(ks, points, strict=True):
        value = float(point.estimate.value)
        if value != 0.0 and first != 0.0 and (value > 0) != (first > 0):
            return k
        first = first or value
    return None


def _answers(table: SampleTable, cases: tuple[str, ...], most: int) -> float:
    """Different answers among the first `most` graded samples of each case, averaged over cases."""
    found: dict[int, list[int]] = defaultdict(list)
    for case, answer, passed in zip(table.case, table.answer, table.passed, strict=True):
        if passed >= 0 and len(found[case]) < most:
            found[case].append(answer)
    wanted = {i for i, case in enumerate(table.header.case_ids) if case in set(cases)}
    return float(np.mean([len(set(found[i])) for i in sorted(wanted)]))
