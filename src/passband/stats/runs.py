"""Comparing recipes over several training runs: the interquartile mean, and the probability of improvement.

Both are for scores of shape (runs, tasks): the checkpoint of each training seed, evaluated on the same tasks (Agarwal
et al. 2021, "Deep reinforcement learning at the edge of the statistical precipice", arXiv:2108.13264). The unit is the
run: scores of one checkpoint rise and fall together over tasks. Intervals are about the recipe on these tasks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._numeric import real_numbers, t_quantiles
from passband.stats._quantile import t_quantile
from passband.stats._result import Estimate, scalar
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["interquartile_mean", "probability_of_improvement"]

_ONE_RUN = "one run says nothing of the recipe's other runs: no interval"


def interquartile_mean(scores: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Mean of the middle half of all scores: less noisy than the median, less moved by outliers than the mean.

    Parameters
    ----------
    scores : array_like, shape (..., runs, tasks)
        Scores on any scale that is shared by the tasks.
    level : float
        Nominal coverage.

    Returns
    -------
    Estimate
        Of the recipe's interquartile mean on these tasks; `n_tasks` counts runs. With one run there is a value and no
        interval.

    Raises
    ------
    InvalidInputError
        For anything but finite scores on two axes or more.

    Notes
    -----
    A quarter of the scores, rounded down, is cut from each end, as scipy's ``trim_mean(scores, 0.25)`` does. The
    interval is Student's over what each run contributes: scores beyond the quartiles count as the quartile, divided by
    the number kept (the influence function of the trimmed mean; Tukey and McLaughlin 1963). No seed is needed. Tasks
    that fall outside the middle half do not count at all: look at them before quoting it.

    Examples
    --------
    >>> iqm = interquartile_mean([[0.1, 0.5, 0.9], [0.2, 0.4, 0.8], [0.1, 0.6, 1.0]])
    >>> round(iqm.value, 3), round(iqm.low, 2), round(iqm.high, 2)
    (0.5, 0.35, 0.65)
    """
    check_level(level)
    x = _runs(scores, "scores")
    runs, tasks = x.shape[-2:]
    size = runs * tasks
    cut = size // 4
    ordered = np.sort(x.reshape(*x.shape[:-2], size), axis=-1)
    kept = ordered[..., cut : size - cut]
    value = kept.mean(axis=-1)
    low: FloatArray | None = None
    high: FloatArray | None = None
    warnings: tuple[str, ...] = (_ONE_RUN,)
    if runs > 1:
        clipped = np.clip(x, kept[..., 0, None, None], kept[..., -1, None, None])
        parts = clipped.sum(axis=-1) * (runs / kept.shape[-1])
        half = t_quantile((1.0 + level) / 2.0, min(runs, kept.shape[-1]) - 1.0) * parts.std(axis=-1, ddof=1)
        half = half / np.sqrt(runs)
        low, high = value - half, value + half
        warnings = ("all runs are alike: the interval has no width",) if (half == 0.0).any() else ()
    return _recipe(value, low, high, level, "trimmed t over runs", runs, size, warnings)


def probability_of_improvement(a: ArrayLike, b: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Probability that a run of recipe A scores higher than a run of recipe B, on a task picked at random.

    Parameters
    ----------
    a, b : array_like, shape (..., runs, tasks)
        Scores of each recipe's runs on the same tasks; the numbers of runs may differ.
    level : float
        Nominal coverage.

    Returns
    -------
    Estimate
        Ties count one half; `n_tasks` counts runs of both. With one run of either there is a value and no interval.

    Raises
    ------
    InvalidInputError
        Where the tasks differ, or scores are not finite.

    Notes
    -----
    The Mann-Whitney statistic over pairs of runs, averaged over tasks. Its variance is DeLong's (1988), from the mean
    placement of each run among the other recipe's; the interval is Wilson's at the number of coin flips that variance
    makes it worth, with Student's t at Welch's degrees of freedom, so that A above B in all pairs of three runs each
    does not claim certainty.

    Examples
    --------
    >>> found = probability_of_improvement([[0.5, 0.7], [0.6, 0.9], [0.7, 0.8]], [[0.4, 0.8], [0.5, 0.6], [0.6, 0.7]])
    >>> round(found.value, 3)
    0.778
    """
    check_level(level)
    x, y = _runs(a, "a"), _runs(b, "b")
    if x.shape[:-2] != y.shape[:-2] or x.shape[-1] != y.shape[-1]:
        raise InvalidInputError(f"shapes {x.shape} and {y.shape} do not fit", where="a and b")
    runs = x.shape[-2], y.shape[-2]
    ahead = (np.sign(x[..., :, None, :] - y[..., None, :, :]).mean(axis=-1) + 1.0) / 2.0
    value = ahead.mean(axis=(-2, -1))
    low: FloatArray | None = None
    high: FloatArray | None = None
    if min(runs) > 1:
        parts = [ahead.mean(axis=-1 - i).var(axis=-1, ddof=1) / runs[i] for i in (0, 1)]
        variance = parts[0] + parts[1]
        weight = parts[0] ** 2 / (runs[0] - 1.0) + parts[1] ** 2 / (runs[1] - 1.0)
        df = np.where(weight > 0.0, variance**2 / np.where(weight > 0.0, weight, 1.0), min(runs) - 1.0)
        flips = value * (1.0 - value)
        certain = (variance <= 0.0) | (flips <= 0.0)
        size = np.where(certain, min(runs), flips / np.where(certain, 1.0, variance))
        size = np.clip(size, min(runs), runs[0] * runs[1] * x.shape[-1])
        z = t_quantiles((1.0 + level) / 2.0, df)
        low, high = wilson_bounds(value, size, z)
    warnings = () if min(runs) > 1 else (_ONE_RUN,)
    total = (runs[0] + runs[1]) * x.shape[-1]
    return _recipe(value, low, high, level, "wilson over runs", runs[0] + runs[1], total, warnings)


def _runs(scores: ArrayLike, name: str) -> FloatArray:
    x = real_numbers(scores, name)
    if x.ndim < 2 or x.shape[-1] == 0 or x.shape[-2] == 0:
        raise InvalidInputError(f"(runs, tasks) are wanted, not shape {x.shape}", where=name)
    return x


def _recipe(
    value: FloatArray,
    low: FloatArray | None,
    high: FloatArray | None,
    level: float,
    method: str,
    runs: int,
    scores: int,
    warnings: tuple[str, ...],
) -> Estimate:
    return Estimate(
        value=scalar(value),
        low=None if low is None else scalar(low),
        high=None if high is None else scalar(high),
        level=level,
        method=method,
        estimand="recipe",
        n_tasks=runs,
        n_samples=scores,
        warnings=warnings,
    )
