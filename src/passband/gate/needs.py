"""What would turn an inconclusive rule into a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.gate.result import Needs
from passband.stats import required_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["needs_of"]

_POWER = 0.8
_MOST = 10_000_000
_NOTHING = 1e-20  # a variance that rounding alone makes


def needs_of(
    values: NDArray[np.float64], within: NDArray[np.float64], gap: float, *, level: float, samples: int
) -> Needs | None:
    """Plan from what was seen.

    Parameters
    ----------
    values : ndarray, shape (tasks,)
        What is averaged: rates, or differences of rates.
    within : ndarray, shape (tasks,)
        Variance of each value from its samples alone.
    gap : float
        Distance from the mean to the threshold.
    level : float
        Of the interval.
    samples : int
        Samples a task now.

    Returns
    -------
    Needs or None
        None with one task; where the mean lies on the threshold, as nothing finite would decide; and where the tasks
        there are should have decided by this plan, as a spread of nothing seen plans nothing.
    """
    tasks = len(values)
    if tasks < 2 or gap == 0.0:
        return None
    total = float(values.var(ddof=1))
    if total <= _NOTHING:
        return None
    noise = min(float(within.mean()), total)
    alpha = 1.0 - level
    wanted = _units(gap, np.sqrt(total), alpha)
    if wanted is not None and wanted <= tasks:
        return None
    more = None
    # Samples alone: the variance that the tasks there are could bear, less what no sample takes away.
    # Bisect over whole numbers: power grows with samples.
    between = total - noise
    if _enough(tasks, gap, between, alpha):
        low, high = samples, samples
        while not _enough(tasks, gap, between + noise * samples / high, alpha) and high < _MOST:
            low, high = high, high * 2
        while low + 1 < high:
            middle = (low + high) // 2
            enough = _enough(tasks, gap, between + noise * samples / middle, alpha)
            low, high = (low, middle) if enough else (middle, high)
        more = high if high < _MOST else None
    return Needs(tasks=wanted, samples=more, n_tasks=tasks, n_samples=samples)


def _units(gap: float, spread: float, alpha: float) -> int | None:
    if spread == 0.0:
        return 2
    try:
        wanted = int(required_units(gap, spread, alpha, _POWER, method="t"))
    except InvalidInputError:
        return None
    return wanted if wanted <= _MOST else None


def _enough(tasks: int, gap: float, variance: float, alpha: float) -> bool:
    wanted = _units(gap, float(np.sqrt(max(variance, 0.0))), alpha)
    return wanted is not None and wanted <= tasks
