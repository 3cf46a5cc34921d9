"""A comparison read as a pilot: how many tasks the next one needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays
from passband.errors import DataError, UsageError
from passband.stats import paired_detectable, paired_difference, paired_tasks, required_units

if TYPE_CHECKING:
    from passband.records import SampleTable

__all__ = ["PilotPower", "pilot_power"]

_POWER = 0.8
_ALPHA = 0.05


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
    """What the paired interval of the pilot's own tasks finds; None where it finds nothing, or no difference varies."""


def pilot_power(baseline: SampleTable, candidate: SampleTable, effect: float) -> PilotPower:
    """Size the next comparison by the spreads of this one: to find a difference 80% of the time, two-sided at 5%.

    Parameters
    ----------
    baseline, candidate : SampleTable
        The pilot; the tasks both have graded samples of count.
    effect : float
        The difference to find, as a fraction.

    Raises
    ------
    UsageError
        Where `effect` is not a positive fraction.
    DataError
        Where fewer than two tasks are shared.
    """
    if not 0 < effect < 1:
        raise UsageError(f"a difference of {100 * effect:g} points cannot be planned for", fix="give 2 for two points")
    sides = []
    for table in (baseline, candidate):
        arrays = run_arrays(table)
        found = zip(table.header.case_ids, arrays.passed.tolist(), arrays.graded.tolist(), strict=True)
        sides.append({case: (passed, graded) for case, passed, graded in found if graded})
    shared = sorted(sides[0].keys() & sides[1].keys())
    if len(shared) < 2:
        raise DataError("fewer than two shared tasks tell nothing of their spread", where="--power")
    (c_a, n_a), (c_b, n_b) = (np.array([side[case] for case in shared]).T for side in sides)
    a, b = c_a / n_a, c_b / n_b
    paired = float((b - a).std(ddof=1))
    unpaired = float(np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2))
    doubt = paired_difference(c_a, n_a, c_b, n_b).doubt
    assert isinstance(doubt, float)
    return PilotPower(
        effect=effect,
        power=_POWER,
        alpha=_ALPHA,
        n_tasks=len(shared),
        sd_paired=paired,
        sd_unpaired=unpaired,
        tasks_paired=paired_tasks(effect, paired, doubt=doubt, alpha=_ALPHA, power=_POWER) if paired > 0 else None,
        tasks_unpaired=int(required_units(effect, unpaired, _ALPHA, _POWER, paired=False)) if unpaired > 0 else None,
        detectable=paired_detectable(len(shared), paired, doubt=doubt, alpha=_ALPHA, power=_POWER)
        if paired > 0
        else None,
    )
