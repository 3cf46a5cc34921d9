"""Which samples of two runs belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from passband.records import SampleTable

__all__ = ["CommonSeeds", "Drawn", "Pairing", "grid", "pair_runs"]


@dataclass(frozen=True)
class CommonSeeds:
    """What common random numbers did, seen on the pairs that are complete: sample i of a case graded on both sides."""

    both: int
    """Pairs of samples that passed on both sides."""
    only_baseline: int
    only_candidate: int
    neither: int
    correlation: float | None
    """Of paired samples within cases; None where one side never varies within a case."""
    se_without: float | None
    """What the standard error of the difference would be with seeds of their own."""


@dataclass(frozen=True)
class Drawn:
    """Every case that both runs drew, those without a verdict included: what bounds are made of.

    Attributes
    ----------
    cases : tuple of str
        In the baseline's order.
    passed, graded, drawn : tuple of ndarray of int, shape (cases,)
        Counts of each side. Samples that are not drawn yet are in none: a run that is stopped has lost nothing.
    slices : tuple of mapping
        Of each case.
    """

    cases: tuple[str, ...]
    passed: tuple[NDArray[np.int64], NDArray[np.int64]]
    graded: tuple[NDArray[np.int64], NDArray[np.int64]]
    drawn: tuple[NDArray[np.int64], NDArray[np.int64]]
    slices: tuple[Mapping[str, str], ...]

    @property
    def lost(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Samples of each side that errored."""
        return self.drawn[0] - self.graded[0], self.drawn[1] - self.graded[1]

    @property
    def shared(self) -> NDArray[np.bool_]:
        """Cases with verdicts on both sides."""
        return np.asarray((self.graded[0] > 0) & (self.graded[1] > 0))

    def extremes(self) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...]:
        """(baseline, candidate) passes of drawn samples with all that errored against the candidate, and for it."""
        return (
            (self.passed[0] + self.lost[0], self.passed[1]),
            (self.passed[0], self.passed[1] + self.lost[1]),
        )

    def at(self, places: NDArray[np.int64] | NDArray[np.bool_]) -> Drawn:
        """Some of the cases."""
        kept = np.arange(len(self.slices))[places]
        (pa, pb), (ga, gb), (da, db) = self.passed, self.graded, self.drawn
        slices = tuple(self.slices[i] for i in kept)
        return Drawn(
            tuple(self.cases[i] for i in kept), (pa[kept], pb[kept]), (ga[kept], gb[kept]), (da[kept], db[kept]), slices
        )

    def bounds(self) -> tuple[float, float]:
        """The least and the greatest difference, of the cases graded on both sides or of all."""
        ends = [
            float((b / side.drawn[1] - a / side.drawn[0]).mean())
            for side in (self, self.at(self.shared))
            for a, b in side.extremes()
        ]
        return min(ends), max(ends)


@dataclass(frozen=True)
class Pairing:
    """Counts of the cases that two runs share.

    Attributes
    ----------
    cases : tuple of str
        Shared cases, in the baseline's order.
    c_a, n_a, c_b, n_b : ndarray of int, shape (cases,)
        Passed and graded samples of each run, all that have a verdict: the rates are those the runs have alone.
    samples : tuple of int
        Samples drawn of a shared case at most, on each side.
    drawn : Drawn
        The cases that both runs drew, graded or not, for bounds.
    only_baseline, only_candidate : tuple of str
        Cases that only one side has verdicts of.
    by : {"case", "sample"}
        What is paired: samples where both runs drew with one seed and every case has a complete pair.
    """

    cases: tuple[str, ...]
    c_a: NDArray[np.int64]
    n_a: NDArray[np.int64]
    c_b: NDArray[np.int64]
    n_b: NDArray[np.int64]
    samples: tuple[int, int]
    drawn: Drawn
    only_baseline: tuple[str, ...]
    only_candidate: tuple[str, ...]
    by: Literal["case", "sample"]
    common_seeds: CommonSeeds | None
    slices: tuple[Mapping[str, str], ...]


def grid(table: SampleTable) -> NDArray[np.int8]:
    """Lay a run out as (cases, samples): 1 passed, 0 failed, -1 errored or not drawn."""
    width = max(table.header.samples_per_case, max(table.index, default=-1) + 1)
    out = np.full((len(table.header.case_ids), width), -1, dtype=np.int8)
    if len(table):
        out[np.frombuffer(table.case, dtype=np.int64), np.frombuffer(table.index, dtype=np.int64)] = np.frombuffer(
            table.passed, dtype=np.int8
        )
    return out


def pair_runs(baseline: SampleTable, candidate: SampleTable) -> Pairing:
    """Match two runs: by case, and by sample where both were drawn with one seed and as many samples a case.

    Raises
    ------
    DataError
        Where no case has verdicts on both sides.
    """
    tables = (baseline, candidate)
    verdicts = tuple(grid(table) for table in tables)
    places = tuple(
        {case: i for i, case in enumerate(table.header.case_ids) if (found[i] >= 0).any()}
        for table, found in zip(tables, verdicts, strict=True)
    )
    shared = [case for case in baseline.header.case_ids if case in places[0] and case in places[1]]
    if not shared:
        names = f"{baseline.header.run_id}, {candidate.header.run_id}"
        raise DataError("the two runs share no graded case", where=names)
    a, b = (found[[place[case] for case in shared]] for found, place in zip(verdicts, places, strict=True))
    common = (
        baseline.header.seed == candidate.header.seed
        and baseline.header.samples_per_case == candidate.header.samples_per_case
        and a.shape == b.shape
    )
    both = (a >= 0) & (b >= 0) if common else np.zeros(a.shape, dtype=bool)
    # Complete pairs say how far seeds go together; the rates take every verdict, or errors would choose the samples.
    common = common and bool(both.any(axis=1).all())
    slices_of = dict(zip(baseline.header.case_ids, baseline.header.case_slices, strict=False))
    drawn = _drawn(tables, verdicts, slices_of)
    return Pairing(
        cases=tuple(shared),
        c_a=_count(a == 1),
        n_a=_count(a >= 0),
        c_b=_count(b == 1),
        n_b=_count(b >= 0),
        samples=(int(drawn.drawn[0].max()), int(drawn.drawn[1].max())),
        drawn=drawn,
        only_baseline=tuple(sorted(places[0].keys() - places[1].keys())),
        only_candidate=tuple(sorted(places[1].keys() - places[0].keys())),
        by="sample" if common else "case",
        common_seeds=_common_seeds(a, b, both) if common else None,
        slices=tuple(slices_of.get(case, {}) for case in shared),
    )


def _count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(mask.sum(axis=1), dtype=np.int64)


def _drawn(
    tables: tuple[SampleTable, SampleTable],
    verdicts: tuple[NDArray[np.int8], ...],
    slices_of: Mapping[str, Mapping[str, str]],
) -> Drawn:
    counts = [
        np.bincount(np.asarray(table.case, dtype=np.int64), minlength=len(table.header.case_ids)).astype(np.int64)
        for table in tables
    ]
    places = [
        {case: i for i, case in enumerate(table.header.case_ids) if drawn[i]}
        for table, drawn in zip(tables, counts, strict=True)
    ]
    cases = [case for case in tables[0].header.case_ids if case in places[0] and case in places[1]]
    rows = [[place[case] for case in cases] for place in places]
    a, b = (found[row] for found, row in zip(verdicts, rows, strict=True))
    return Drawn(
        cases=tuple(cases),
        passed=(_count(a == 1), _count(b == 1)),
        graded=(_count(a >= 0), _count(b >= 0)),
        drawn=(counts[0][rows[0]], counts[1][rows[1]]),
        slices=tuple(slices_of.get(case, {}) for case in cases),
    )


def _common_seeds(verdicts_a: NDArray[np.int8], verdicts_b: NDArray[np.int8], both: NDArray[np.bool_]) -> CommonSeeds:
    a, b = verdicts_a == 1, verdicts_b == 1
    n = both.sum(axis=1)
    rate_a, rate_b = (a & both).sum(axis=1) / n, (b & both).sum(axis=1) / n
    joint = (a & b & both).sum(axis=1) / n
    several = n > 1
    inflate = np.where(several, n / np.maximum(n - 1, 1), 0.0)  # unbiased within-case moments
    covariance = (joint - rate_a * rate_b) * inflate
    var_a, var_b = rate_a * (1 - rate_a) * inflate, rate_b * (1 - rate_b) * inflate
    scale = float(np.sqrt(var_a.sum() * var_b.sum()))
    n_a, n_b = (verdicts_a >= 0).sum(axis=1), (verdicts_b >= 0).sum(axis=1)
    difference = b.sum(axis=1) / n_b - a.sum(axis=1) / n_a
    cases = len(n)
    se_without = None
    if cases > 1 and several.all():
        squared = difference.var(ddof=1) / cases + 2 * (covariance * n / (n_a * n_b)).sum() / cases**2
        se_without = float(np.sqrt(max(squared, 0.0)))
    return CommonSeeds(
        both=int((a & b & both).sum()),
        only_baseline=int((a & ~b & both).sum()),
        only_candidate=int((~a & b & both).sum()),
        neither=int((~a & ~b & both).sum()),
        correlation=float(covariance.sum() / scale) if scale > 0 else None,
        se_without=se_without,
    )
