"""Two recipes, several seeds each: the unit is the training seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.compare.harness import check_allowed, harness_differences
from passband.compare.paired import check_margin
from passband.compare.together import bring_together
from passband.compare.verdict import Word, settled, verdict_of
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
    """Of the interval, or unclear where `bounds` do not lie on its side: samples without a verdict could turn it."""
    errored: tuple[int, int]
    """Samples of each arm without a verdict."""
    bounds: tuple[float, float]
    """The least and the greatest the difference can be, whatever they would have been."""


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
    found = bring_together(tables)
    if not found.cases:
        raise DataError(f"no case is shared by all {len(tables)} runs", where=", ".join(names[:4]))
    c, n = found.passed, found.graded
    cut = len(baseline)
    difference = recipe_difference((c[:cut], n[:cut]), (c[cut:], n[cut:]), level=level)
    # Means over the seeds of an arm: the least and the greatest difference are of one run of each, averaged.
    low, high = float(found.least[:cut, cut:].mean()), -float(found.least[cut:, :cut].mean())
    said = verdict_of(difference.estimate, margin)
    return RecipeComparison(
        baseline=tuple(names[:cut]),
        candidate=tuple(names[cut:]),
        suite=f"{first.suite}@{first.suite_version[:6]}",
        n_shared=len(found.cases),
        n_union=found.n_union,
        margin=margin,
        rates=(float(difference.means[0].mean()), float(difference.means[1].mean())),
        difference=difference,
        verdict=settled(said, (low, high), margin) if any(found.errored) else said,
        errored=(sum(found.errored[:cut]), sum(found.errored[cut:])),
        bounds=(low, high),
    )
