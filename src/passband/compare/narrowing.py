"""Does training narrow what a subject can do? pass@k of both over k, and the cases that carry a loss."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import repeat
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.aggregate import COUNTED
from passband.compare.actions import action_shifts
from passband.compare.crossing import Crossing, find_crossing
from passband.compare.harness import check_allowed, harness_differences
from passband.compare.missing import difference_bounds
from passband.compare.pairing import pair_runs
from passband.compare.result import CaseChange
from passband.stats import paired_curve_difference, pass_at_k

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from passband.compare.actions import ActionShift
    from passband.compare.pairing import Pairing
    from passband.records import Sample, SampleTable
    from passband.stats import PairedMean

__all__ = ["LostCoverage", "Narrowing", "compare_coverage", "name_actions"]


_EQUAL = 1e-12  # a difference of equal fractions, computed in two ways

CoverageWord = Literal["narrows", "widens", "shifts up", "shifts down", "unclear"]


@dataclass(frozen=True)
class LostCoverage:
    """A case that the candidate covers less at `Narrowing.lost_at`."""

    case: CaseChange
    loss: float
    """pass@k of the baseline less that of the candidate."""
    share: float
    """Of all that is lost over cases."""
    actions: tuple[ActionShift, ...] = ()
    """Which actions replaced the old ones: :func:`passband.compare.name_actions` fills it in."""


@dataclass(frozen=True)
class Narrowing:
    """Two pass@k curves on the same cases."""

    baseline: str
    candidate: str
    n_shared: int
    ks: tuple[int, ...]
    points: tuple[PairedMean, ...]
    """Candidate less baseline at each k; the intervals hold for all k at once."""
    verdict: CoverageWord
    """``narrows``: shown above at some k and shown below at a larger one. ``widens``: the other way round. ``shifts``:
    shown on one side only. A side is shown where the interval lies on it, and `bounds` too."""
    missing: tuple[int, int]
    """Samples of each run, of the cases that both drew, without a verdict."""
    bounds: tuple[tuple[float, float], ...]
    """At each k the least and the greatest the difference can be, whatever those would have been."""
    taken_back: bool
    """Whether they could turn what the intervals say."""
    crossing: Crossing
    """Where the curves change sides, as observed, as shown and over resampled cases."""
    lost_at: int
    """The k at which what cases lose, gains apart, sums to most; at the largest k, one success is as good as many."""
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
    bounds = tuple(difference_bounds(f"pass@{k}", pairs.drawn) for k in ks)
    missing = int(pairs.drawn.lost[0].sum()), int(pairs.drawn.lost[1].sum())
    observed = _verdict(points)
    verdict = _verdict(points, bounds) if any(missing) else observed
    differences = _differences(pairs, ks)
    losses = np.where(differences < -_EQUAL, -differences, 0.0)
    place = int(losses.sum(axis=1).argmax())
    loss = losses[place]
    order = sorted(np.flatnonzero(loss > 0).tolist(), key=lambda i: (-loss[i], pairs.cases[i]))
    return Narrowing(
        baseline=baseline.header.run_id,
        candidate=candidate.header.run_id,
        n_shared=len(pairs.cases),
        ks=ks,
        points=points,
        verdict=verdict,
        missing=missing,
        bounds=bounds,
        taken_back=verdict != observed,
        crossing=find_crossing(ks, points, differences),
        lost_at=ks[place],
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


def _verdict(points: Iterable[PairedMean], bounds: Iterable[tuple[float, float]] | None = None) -> CoverageWord:
    sides = []
    for point, (least, most) in zip(points, bounds or repeat((1.0, -1.0))):  # noqa: B905 - repeat has no end
        low, high = point.estimate.low, point.estimate.high
        if low is not None and float(low) > 0 and least > 0:
            sides.append(1)
        elif high is not None and float(high) < 0 and most < 0:
            sides.append(-1)
    if not sides:
        return "unclear"
    if len(set(sides)) == 1:
        return "shifts up" if sides[0] > 0 else "shifts down"
    return "narrows" if sides[0] > 0 else "widens"


def _differences(pairs: Pairing, ks: tuple[int, ...]) -> NDArray[np.float64]:
    """Candidate less baseline of each case at each k, shape (k, cases)."""
    sides = ((pairs.n_a, pairs.c_a), (pairs.n_b, pairs.c_b))
    a, b = (np.array([pass_at_k(n, c, k) for k in ks], np.float64) for n, c in sides)
    return b - a


def _answers(table: SampleTable, cases: tuple[str, ...], most: int) -> float:
    """Different answers among the first `most` graded samples of each case, averaged over cases."""
    found: dict[int, list[int]] = defaultdict(list)
    for case, answer, passed in zip(table.case, table.answer, table.passed, strict=True):
        if passed >= 0 and len(found[case]) < most:
            found[case].append(answer)
    shared = set(cases)
    return float(np.mean([len(set(found[i])) for i, case in enumerate(table.header.case_ids) if case in shared]))


def name_actions(
    found: Narrowing,
    baseline: Mapping[str, Iterable[Sample]],
    candidate: Mapping[str, Iterable[Sample]],
    *,
    pattern: re.Pattern[str] | None = None,
) -> Narrowing:
    """Say of each case that lost coverage which actions replaced the old ones.

    Parameters
    ----------
    found : Narrowing
    baseline, candidate : mapping of str to iterable of Sample
        Case → its samples; cases that are not there keep no actions.
    pattern
        As for :func:`passband.compare.action_shifts`.

    Returns
    -------
    Narrowing
        With `LostCoverage.actions` filled.
    """
    lost = tuple(
        replace(entry, actions=action_shifts(baseline[name], candidate[name], pattern=pattern))
        if (name := entry.case.id) in baseline and name in candidate
        else entry
        for entry in found.lost
    )
    return replace(found, lost=lost)
