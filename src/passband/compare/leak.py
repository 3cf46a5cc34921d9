"""Whether a leak moves the number: leaked cases against clean ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import restrict, run_arrays
from passband.compare.pairing import pair_runs
from passband.compare.verdict import Word, settled, verdict_of
from passband.errors import DataError
from passband.stats import PairedDifference, TwoGroups, group_difference, paired_difference

if TYPE_CHECKING:
    from collections.abc import Collection

    from passband.records import SampleTable

__all__ = ["LeakEffect", "RemovalEffect", "leak_effect", "removal_effect"]


@dataclass(frozen=True)
class LeakEffect:
    """How much more a run gains on leaked cases than on clean ones."""

    n_leaked: int
    n_clean: int
    paired: bool
    """Each case is held against the same case of a baseline that can't have seen the leak: difficulty drops out.
    Without a baseline the two halves' pass rates are compared, and a difference may be one of difficulty."""
    effect: TwoGroups
    """Leaked less clean."""
    pass_at_1_clean: float
    """Of the run, on clean cases alone."""
    pass_at_1_all: float


def leak_effect(table: SampleTable, leaked: Collection[str], baseline: SampleTable | None = None) -> LeakEffect:
    """Measure one channel.

    Parameters
    ----------
    table : SampleTable
        The run whose number is in doubt.
    leaked : collection of str
        Cases that the channel reaches.
    baseline : SampleTable, optional
        A run that can't have profited: a model of before the training data, another model.

    Returns
    -------
    LeakEffect

    Raises
    ------
    DataError
        Where the run has verdicts of no leaked case, or of no clean one.
    """
    if baseline is not None:
        pairs = pair_runs(baseline, table)
        names = list(pairs.cases)
        rates = pairs.c_b / pairs.n_b
        values = rates - pairs.c_a / pairs.n_a
    else:
        arrays = run_arrays(table)
        kept = arrays.graded > 0
        names = [case for case, keep in zip(table.header.case_ids, kept, strict=True) if keep]
        rates = values = arrays.passed[kept] / arrays.graded[kept]
    reached = set(leaked)
    inside = np.array([case in reached for case in names], dtype=np.bool_)
    if not inside.any() or inside.all():
        what = "no leaked" if not inside.any() else "no clean"
        raise DataError(f"has verdicts of {what} case: nothing to compare", where=table.header.run_id)
    effect = group_difference(values[~inside], values[inside], spread=1.0 if baseline is not None else 0.5)
    return LeakEffect(
        n_leaked=int(inside.sum()),
        n_clean=int((~inside).sum()),
        paired=baseline is not None,
        effect=effect,
        pass_at_1_clean=float(rates[~inside].mean()),
        pass_at_1_all=float(rates.mean()),
    )


@dataclass(frozen=True)
class RemovalEffect:
    """What a subject gains from what cases give away: the same cases with it and without, paired."""

    n_cases: int
    samples: int
    """Of each case, with and without."""
    rates: tuple[float, float]
    """Pass@1 without it and with it."""
    difference: PairedDifference
    """With it less without."""
    verdict: Word
    """``better``: it moves the number up, whatever samples without a verdict would have been."""
    errored: int


def removal_effect(clean: SampleTable, leaking: SampleTable, cases: Collection[str]) -> RemovalEffect:
    """Measure a channel by removing it.

    Parameters
    ----------
    clean, leaking : SampleTable
        One subject on the cases without the leak, and with it.
    cases : collection of str
        Those that the channel reaches.

    Returns
    -------
    RemovalEffect

    Raises
    ------
    DataError
        Where no case has verdicts in both runs.
    """
    pairs = pair_runs(*(restrict(table, cases) for table in (clean, leaking)))
    found = paired_difference(pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b)
    lost = int(sum(side.sum() for side in pairs.drawn.lost))
    said = verdict_of(found.estimate, 0.0)
    return RemovalEffect(
        n_cases=len(pairs.cases),
        samples=max(pairs.samples),
        rates=(float((pairs.c_a / pairs.n_a).mean()), float((pairs.c_b / pairs.n_b).mean())),
        difference=found,
        verdict=settled(said, pairs.drawn.bounds(), 0.0) if lost else said,
        errored=lost,
    )
