"""Two recipes, several seeds each: the unit is the training seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays
from passband.compare.harness import check_allowed, harness_differences
from passband.compare.paired import check_margin
from passband.compare.verdict import Word, verdict_of
from passband.errors import DataError, UsageError
from passband.stats import recipe_difference

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passband.records import SampleTable
    from passband.stats import RecipeDifference

__all__ = ["RecipeComparison", "compare_recipes"]


@dataclass(frozen=True)
class RecipeComparison:
    """Candidate recipe against baseline recipe, on the cases that all seeds of both share."""

    baseline: tuple[str, ...]
    """Runs, a training seed each."""
    candidate: tuple[str, ...]
    suite: str
    n_shared: int
    n_union: int
    margin: float
    rates: tuple[float, float]
    difference: RecipeDifference
    verdict: Word


def compare_recipes(
    baseline: Sequence[SampleTable],
    candidate: Sequence[SampleTable],
    *,
    margin: float = 0.0,
    level: float = 0.95,
    allow: Iterable[str] = (),
) -> RecipeComparison:
    """Compare two recipes by the runs of their seeds.

    Parameters
    ----------
    baseline, candidate : sequence of SampleTable
        One run a training seed.
    margin, level, allow
        As for :func:`passband.compare.compare_runs`.

    Returns
    -------
    RecipeComparison
        ``unclear``, whatever the numbers, with fewer than three seeds in an arm.

    Raises
    ------
    UsageError
        Where an arm is empty, a run stands twice, or harnesses differ in a field that is not allowed.
    DataError
        Where no case is shared by all.
    """
    check_margin(margin)
    tables = [*baseline, *candidate]
    if not baseline or not candidate:
        raise UsageError("a recipe needs runs on both sides")
    names = [table.header.run_id for table in tables]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"run {twice!r} stands for two seeds", fix="one run a training seed")
    first = tables[0].header.harness
    for table in tables[1:]:
        check_allowed(harness_differences(first, table.header.harness), allow, first.__struct_fields__)
    arrays = [run_arrays(table) for table in tables]
    places = [
        {case: i for i, case in enumerate(table.header.case_ids) if found.graded[i]}
        for table, found in zip(tables, arrays, strict=True)
    ]
    shared = [case for case in tables[0].header.case_ids if all(case in place for place in places)]
    if not shared:
        raise DataError(f"no case is shared by all {len(tables)} runs", where=", ".join(names[:4]))
    rows = [[place[case] for case in shared] for place in places]
    c = np.array([found.passed[row] for found, row in zip(arrays, rows, strict=True)])
    n = np.array([found.graded[row] for found, row in zip(arrays, rows, strict=True)])
    cut = len(baseline)
    difference = recipe_difference((c[:cut], n[:cut]), (c[cut:], n[cut:]), level=level)
    return RecipeComparison(
        baseline=tuple(names[:cut]),
        candidate=tuple(names[cut:]),
        suite=f"{first.suite}@{first.suite_version[:6]}",
        n_shared=len(shared),
        n_union=len({case for place in places for case in place}),
        margin=margin,
        rates=(float(difference.means[0].mean()), float(difference.means[1].mean())),
        difference=difference,
        verdict=verdict_of(difference.estimate, margin),
    )
