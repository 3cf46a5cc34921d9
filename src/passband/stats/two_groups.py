"""Two groups of tasks that are not the same tasks: a value each, compared without pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._numeric import real_numbers
from passband.stats._quantile import t_quantile
from passband.stats._result import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["TwoGroups", "group_difference"]


@dataclass(frozen=True, slots=True)
class TwoGroups:
    """Mean of group b less that of group a.

    Attributes
    ----------
    estimate : Estimate
        The difference with its interval; ``n_tasks`` counts both groups.
    p_value : float or None
        Two-sided p of no difference, of the test that made the interval.
    means : tuple of float
        Of a and of b.
    """

    estimate: Estimate
    p_value: float | None
    means: tuple[float, float]


def group_difference(a: ArrayLike, b: ArrayLike, *, level: float = 0.95, spread: float = 1.0) -> TwoGroups:
    """Compare two groups of tasks by Welch's t.

    Parameters
    ----------
    a, b : array_like, shape (tasks,)
        One value a task: rates, or differences of rates between two runs.
    level : float
        Nominal coverage.
    spread : float
        Half the width of what a value can be: 0.5 for rates, 1 for their differences. Where a group's values are all
        equal two made-up tasks at its mean ± `spread` keep it from claiming certainty.

    Returns
    -------
    TwoGroups
        Without an interval where a group has fewer than two tasks.

    Raises
    ------
    InvalidInputError
        For an empty group, or values that are no numbers.

    Notes
    -----
    Welch (1947), Biometrika 34.
    """
    check_level(level)
    groups = [real_numbers(a, "a"), real_numbers(b, "b")]
    if any(group.ndim != 1 or group.size == 0 for group in groups):
        raise InvalidInputError("one value a task is wanted, and at least one task in each group", where="a and b")
    means = float(groups[0].mean()), float(groups[1].mean())
    value = means[1] - means[0]
    low = high = p_value = None
    warnings: tuple[str, ...] = ()
    if min(map(len, groups)) < 2:
        warnings = ("a group of one task shows no spread: no interval",)
    else:
        from scipy.special import stdtr

        parts = []
        for group in groups:
            n = len(group)
            if np.ptp(group) == 0.0:
                parts.append((2 * spread**2 / (n + 1) / (n + 2), n + 1))
            else:
                parts.append((float(group.var(ddof=1)) / n, n - 1))
        error = float(np.sqrt(sum(part for part, _ in parts)))
        df = error**4 / sum(part**2 / freedom for part, freedom in parts)
        reach = t_quantile((1 + level) / 2, df) * error
        low, high = value - reach, value + reach
        p_value = float(2 * stdtr(df, -abs(value) / error))
    return TwoGroups(
        estimate=Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            method="welch t",
            estimand="tasks-like-these",
            n_tasks=sum(map(len, groups)),
            n_samples=sum(map(len, groups)),
            warnings=warnings,
        ),
        p_value=p_value,
        means=means,
    )
