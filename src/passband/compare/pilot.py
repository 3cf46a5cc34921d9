"""A comparison read as a pilot: how many tasks the next one needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays
from passband.errors import DataError, UsageError
from passband.stats import minimum_detectable_effect, required_units

if TYPE_CHECKING:
    from passband.records import SampleTable

__all__ = ["PilotPower", "pilot_power"]


@dataclass(frozen=True)
class PilotPower:
    """Tasks that a difference needs, at the samples per task of the pilot."""

    effect: float
    """The difference to find, as a fraction."""
    power: float
    alpha: float
    n_tasks: int
    """Tasks of the pilot."""
    sd_paired: float
    """Spread of the per-task difference."""
    sd_unpaired: float
    """Spread of the per-task rate, the mean of both systems' variances."""
    tasks_paired: int | None
    """None where the pilot's differences do not vary at all: it tells nothing of what is needed."""
    tasks_unpaired: int | None
    """In each arm."""
    detectable: float | None
    """What a t-test of the pilot's own number of tasks finds, paired; None where the differences do not vary."""


def pilot_power(
    baseline: SampleTable, candidate: SampleTable, effect: float, *, power: float = 0.8, alpha: float = 0.05
) -> PilotPower:
    """Size the next comparison by the spreads of this one.

    Parameters
    ----------
    baseline, candidate : SampleTable
        The pilot; the tasks both have graded samples of count.
    effect : float
        The difference to find, as a fraction.
    power, alpha : float
        Probability of finding it; size of the two-sided test.

    Raises
    ------
    UsageError
        Where `effect` is not a positive fraction.
    DataError
        Where fewer than two tasks are shared.
    """
    if not 0 < effect < 1:
        raise UsageError(f"a difference of {100 * effect:g} points cannot be planned for", fix="give 2 for two points")
    rates = []
    for table in (baseline, candidate):
        arrays = run_arrays(table)
        rates.append(
            {
                case: arrays.passed[i] / arrays.graded[i]
                for i, case in enumerate(table.header.case_ids)
                if arrays.graded[i]
            }
        )
    shared = sorted(rates[0].keys() & rates[1].keys())
    if len(shared) < 2:
        raise DataError("fewer than two shared tasks tell nothing of their spread", where="--power")
    a, b = (np.array([rate[case] for case in shared]) for rate in rates)
    paired = float((b - a).std(ddof=1))
    unpaired = float(np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2))

    def units(sd: float, *, pair: bool) -> int | None:
        return int(required_units(effect, sd, alpha, power, paired=pair)) if sd > 0 else None

    return PilotPower(
        effect=effect,
        power=power,
        alpha=alpha,
        n_tasks=len(shared),
        sd_paired=paired,
        sd_unpaired=unpaired,
        tasks_paired=units(paired, pair=True),
        tasks_unpaired=units(unpaired, pair=False),
        detectable=_detectable(len(shared), paired, alpha, power),
    )


def _detectable(tasks: int, sd: float, alpha: float, power: float) -> float | None:
    # The t-test's, as the comparison itself is one: of few tasks the normal formula promises too much.
    return float(minimum_detectable_effect(tasks, sd, alpha, power, method="t")) if sd > 0 else None
