"""Whether a leak moves the number: leaked cases against clean ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays
from passband.compare.pairing import pair_runs
from passband.errors import DataError
from passband.stats import TwoGroups, group_difference

if TYPE_CHECKING:
    from collections.abc import Collection

    from passband.records import SampleTable

__all__ = ["LeakEffect", "leak_effect"]


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


def leak_effect(
    table: SampleTable, leaked: Collection[str], baseline: SampleTable | None = None, *, level: float = 0.95
) -> LeakEffect:
    """Measure one channel.

    Parameters
    ----------
    table : SampleTable
        The run whose number is in doubt.
    leaked : collection of str
        Cases that the channel reaches.
    baseline : SampleTable, optional
        A run that can't have profited: a model of before the training data, another model.
    level : float
        Of the interval.

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
    inside = np.array([case in set(leaked) for case in names], dtype=np.bool_)
    if not inside.any() or inside.all():
        what = "no leaked" if not inside.any() else "no clean"
        raise DataError(f"has verdicts of {what} case: nothing to compare", where=table.header.run_id)
    effect = group_difference(values[~inside], values[inside], level=level, spread=1.0 if baseline is not None else 0.5)
    return LeakEffect(
        n_leaked=int(inside.sum()),
        n_clean=int((~inside).sum()),
        paired=baseline is not None,
        effect=effect,
        pass_at_1_clean=float(rates[~inside].mean()),
        pass_at_1_all=float(rates.mean()),
    )
