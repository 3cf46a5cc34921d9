"""Which samples of two runs belong together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.aggregate import scheduled_samples
from passband.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from passband.records import SampleTable

__all__ = ["CommonSeeds", "Pairing", "grid", "pair_runs"]


@dataclass(frozen=True)
class CommonSeeds:
    """What common random numbers did: both runs drew sample i of a case with one seed."""

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
class Pairing:
    """Counts of the cases that two runs share.

    Attributes
    ----------
    cases : tuple of str
        Shared cases, in the baseline's order.
    c_a, n_a, c_b, n_b : ndarray of int, shape (cases,)
        Passed and graded samples. Paired by sample, a sample counts where both sides have its verdict.
    samples : tuple of int
        Samples a case was to have at most, on each side.
    scheduled : tuple of ndarray of int
        Samples each case was to have, on each side.
    passed, graded : tuple of ndarray of int
        Counts of each side with nothing left out, for bounds.
    only_baseline, only_candidate : tuple of str
        Cases that only one side has verdicts of.
    by : {"case", "sample"}
        What is paired.
    """

    cases: tuple[str, ...]
    c_a: NDArray[np.int64]
    n_a: NDArray[np.int64]
    c_b: NDArray[np.int64]
    n_b: NDArray[np.int64]
    samples: tuple[int, int]
    scheduled: tuple[NDArray[np.int64], NDArray[np.int64]]
    passed: tuple[NDArray[np.int64], NDArray[np.int64]]
    graded: tuple[NDArray[np.int64], NDArray[np.int64]]
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
    scheduled = [
        scheduled_samples(table)[[place[case] for case in shared]] for table, place in zip(tables, places, strict=True)
    ]
    common = (
        baseline.header.seed == candidate.header.seed
        and baseline.header.samples_per_case == candidate.header.samples_per_case
        and a.shape == b.shape
    )
    both = (a >= 0) & (b >= 0) if common else np.zeros(a.shape, dtype=bool)
    # Where errors leave some case without a single pair, pairing by sample would lose it: its verdicts count by case.
    common = common and bool(both.any(axis=1).all())
    used_a, used_b = (both, both) if common else (a >= 0, b >= 0)
    slices_of = dict(zip(baseline.header.case_ids, baseline.header.case_slices, strict=False))
    return Pairing(
        cases=tuple(shared),
        c_a=_count((a == 1) & used_a),
        n_a=_count(used_a),
        c_b=_count((b == 1) & used_b),
        n_b=_count(used_b),
        samples=(baseline.header.samples_per_case, candidate.header.samples_per_case),
        scheduled=(scheduled[0], scheduled[1]),
        passed=(_count(a == 1), _count(b == 1)),
        graded=(_count(a >= 0), _count(b >= 0)),
        only_baseline=tuple(sorted(places[0].keys() - places[1].keys())),
        only_candidate=tuple(sorted(places[1].keys() - places[0].keys())),
        by="sample" if common else "case",
        common_seeds=_common_seeds(a == 1, b == 1, both) if common else None,
        slices=tuple(slices_of.get(case, {}) for case in shared),
    )


def _count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.asarray(mask.sum(axis=1), dtype=np.int64)


def _common_seeds(a: NDArray[np.bool_], b: NDArray[np.bool_], both: NDArray[np.bool_]) -> CommonSeeds:
    n = both.sum(axis=1)
    rate_a, rate_b = (a & both).sum(axis=1) / n, (b & both).sum(axis=1) / n
    joint = (a & b & both).sum(axis=1) / n
    several = n > 1
    inflate = np.where(several, n / np.maximum(n - 1, 1), 0.0)  # unbiased within-case moments
    covariance = (joint - rate_a * rate_b) * inflate
    var_a, var_b = rate_a * (1 - rate_a) * inflate, rate_b * (1 - rate_b) * inflate
    scale = float(np.sqrt(var_a.sum() * var_b.sum()))
    difference = rate_b - rate_a
    cases = len(n)
    se_without = None
    if cases > 1 and several.all():
        squared = difference.var(ddof=1) / cases + 2 * (covariance / n).sum() / cases**2
        se_without = float(np.sqrt(max(squared, 0.0)))
    return CommonSeeds(
        both=int((a & b & both).sum()),
        only_baseline=int((a & ~b & both).sum()),
        only_candidate=int((~a & b & both).sum()),
        neither=int((~a & ~b & both).sum()),
        correlation=float(covariance.sum() / scale) if scale > 0 else None,
        se_without=se_without,
    )
