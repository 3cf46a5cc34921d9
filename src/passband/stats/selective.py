"""An interval for the best of several systems that still covers after choosing it for being the best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, task_counts
from passband.stats._mean import binomial_ends, clustered_size, fixed_size, harmonic_total, rate_size
from passband.stats._numeric import check_choice, normal_cdf
from passband.stats._quantile import normal_quantile, upper_quantile
from passband.stats._result import scalar, whole_scalar
from passband.stats.pass_rate import pass_rate_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._numeric import BoolArray
    from passband.stats._result import Estimand, Estimate, FloatArray, IntArray

__all__ = ["SelectionInterval", "selection_interval"]

_SCREENING = 0.05  # share of the error that the screening of contenders may spend, twice
_GRID = 0.02  # correlations are rounded down to it: conservative, and few distinct quantiles to find
_MOST_ALIKE = 0.98


@dataclass(frozen=True, slots=True)
class SelectionInterval:
    """The best of several systems on the data that chose it.

    One comparison gives numbers, a batch (leading axes) arrays.

    Attributes
    ----------
    chosen : int or ndarray of int
        Index of the best observed rate; of equal ones the first.
    estimate : Estimate
        Its rate as observed (too high on average: see :func:`passband.stats.winners_curse`) and the interval that
        covers its true rate in spite of the choice.
    unadjusted : Estimate
        The interval that ignores the choice, to show the difference.
    contenders : ndarray of bool, shape (..., systems)
        Systems close enough to the best to have been chosen by luck; only they widen the interval.
    n_systems : int
        How many were compared.
    """

    chosen: int | IntArray
    estimate: Estimate
    unadjusted: Estimate
    contenders: BoolArray
    n_systems: int


def selection_interval(
    c: ArrayLike, n: ArrayLike, *, estimand: Estimand = "tasks-like-these", level: float = 0.95
) -> SelectionInterval:
    """Interval for the true rate of the system with the best observed rate.

    Parameters
    ----------
    c, n : array_like of int, shape (..., systems, tasks)
        Successes and samples of every system that was a candidate, on the same tasks.
    estimand : {"tasks-like-these", "these-tasks"}
        Whether the tasks are a sample of a population, or all there is and only samples are random.
    level : float
        Nominal coverage, over repetitions of comparing *and* choosing.

    Returns
    -------
    SelectionInterval
        With one task (tasks like these) there is a value and no interval.

    Raises
    ------
    InvalidInputError
        For counts that make no sense, fewer than two axes, or another estimand.

    Notes
    -----
    Locally simultaneous inference (Zrnic and Fithian 2024, Annals of Statistics 52): a system whose paired difference
    from the best is more than twice its own simultaneous bound could not have been chosen, and costs nothing. (The
    runner-up always counts: with few tasks that holds the coverage up.) Over the k contenders left, the lower end
    takes the quantile of the largest of k errors. Their correlation is that of the task rates, at a 95% lower
    confidence bound (Fisher's z), so that checkpoints that pass the same tasks cost less than k independent ones. An
    error that made its system the best is rarely low, so the upper end needs no more than one system's quantile. The
    spread between tasks is that of all contenders where it is larger than the chosen one's: luck makes its tasks look
    alike too.

    Examples
    --------
    >>> found = selection_interval([[6, 2, 8, 5, 7], [7, 1, 8, 6, 7], [5, 2, 8, 6, 6]], 8)
    >>> found.chosen, found.estimate.low < found.unadjusted.low
    (1, True)
    """
    c_all, n_all = task_counts(c, n)
    if c_all.ndim < 2 or c_all.shape[-2] == 0:
        raise InvalidInputError(f"(systems, tasks) are wanted, not shape {c_all.shape}", where="c")
    check_level(level)
    check_choice(estimand, "estimand", ("tasks-like-these", "these-tasks"))
    rates = c_all / n_all
    systems, tasks = rates.shape[-2:]
    means = rates.mean(axis=-1)
    chosen = means.argmax(axis=-1)
    best_c, best_n = (np.take_along_axis(part, chosen[..., None, None], -2)[..., 0, :] for part in (c_all, n_all))
    plain = pass_rate_interval(best_c, best_n, estimand, level=level)
    contenders = np.ones(means.shape, dtype=bool)
    estimate = plain
    if plain.low is not None and systems > 1:
        best = means.max(axis=-1)
        alpha = 1.0 - level
        screen = _SCREENING * alpha
        tail = alpha / 2.0 - screen
        if estimand == "tasks-like-these":
            df, difference, size = tasks - 1.0, _paired_variance(rates, n_all, chosen), rate_size(best_c, best_n)
        else:
            df, difference = np.inf, _fixed_variance(rates, n_all, chosen)
            size = _fixed_size(best, best_c, best_n)
        bound = 2.0 * upper_quantile(screen / (systems - 1), df) * np.sqrt(difference)
        runner_up = np.partition(means, -2, axis=-1)[..., -2, None]
        contenders = (best[..., None] - means <= bound) | (means >= runner_up)
        alike = np.zeros(best.shape)
        if estimand == "tasks-like-these":
            alike = _correlation(rates, contenders)
            size = np.minimum(size, _pooled_size(rates, n_all, contenders))
        low, _ = binomial_ends(best, size, df, 2.0 * _tail_of_each(contenders.sum(axis=-1), alike, tail))
        _, high = binomial_ends(best, size, df, 2.0 * tail)
        estimate = replace(plain, low=scalar(low), high=scalar(high), method=f"locally simultaneous {plain.method}")
    return SelectionInterval(
        chosen=whole_scalar(chosen),
        estimate=estimate,
        unadjusted=plain,
        contenders=contenders,
        n_systems=systems,
    )


def _pooled_size(rates: FloatArray, n: IntArray, contenders: BoolArray) -> FloatArray:
    """Trials that a contender's mean is worth on average: the harmonic mean of their effective sizes.

    With few tasks the luck that makes a system the best also makes its tasks look alike, so that its own variance says
    too little.
    """
    tasks = rates.shape[-1]
    sizes = clustered_size(rates.mean(axis=-1), rates.var(axis=-1, ddof=1) / tasks, tasks, harmonic_total(n))
    return np.asarray(contenders.sum(axis=-1) / (contenders / sizes).sum(axis=-1), dtype=np.float64)


def _fixed_size(mean: FloatArray, c: IntArray, n: IntArray) -> FloatArray:
    """Trials that the mean is worth, as in :func:`passband.stats.pass_rate_interval` for these tasks."""
    rates, single = c / n, n < 2
    spread = np.where(single, 0.0, rates * (1.0 - rates) / np.maximum(n - 1, 1)).sum(axis=-1) / c.shape[-1] ** 2
    return fixed_size(mean, np.where(single.any(axis=-1), np.inf, spread), harmonic_total(n))


def _fixed_variance(rates: FloatArray, n: IntArray, chosen: IntArray) -> FloatArray:
    """Variance over samples of each system's mean difference from the chosen one, never 0."""
    spread = np.where(n < 2, 0.25, rates * (1.0 - rates) / np.maximum(n - 1, 1)) + 0.25 / (n + 1.0) ** 2
    own = spread.sum(axis=-1) / rates.shape[-1] ** 2
    return np.asarray(own + np.take_along_axis(own, chosen[..., None], -1), dtype=np.float64)


def _paired_variance(rates: FloatArray, n: IntArray, chosen: IntArray) -> FloatArray:
    """Variance of each system's mean difference from the chosen one, never 0.

    Two made-up tasks, on which one system leads by one sample and the other by as much, keep the few real ones from
    claiming certainty.
    """
    tasks = rates.shape[-1]
    winner = np.take_along_axis(rates, chosen[..., None, None], -2)
    gaps = winner - rates
    squares = ((gaps - gaps.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return np.asarray((squares + 2.0 / n.mean(axis=-1)) / (tasks + 1.0) / tasks, dtype=np.float64)


def _correlation(rates: FloatArray, contenders: BoolArray) -> FloatArray:
    """Lower bound for the mean correlation of task rates between contenders, rounded down to the grid."""
    tasks = rates.shape[-1]
    centred = rates - rates.mean(axis=-1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=-1, keepdims=True))
    units = np.where(length > 0.0, centred / np.where(length > 0.0, length, 1.0), 0.0) * contenders[..., None]
    k = contenders.sum(axis=-1)
    pairs = (units.sum(axis=-2) ** 2).sum(axis=-1) - (units**2).sum(axis=(-2, -1))
    mean = np.where(k > 1, pairs / np.maximum(k * (k - 1), 1), 0.0)
    if tasks <= 3:
        return np.zeros(mean.shape)
    z = np.arctanh(np.clip(mean, 0.0, 1.0 - 1e-12)) - normal_quantile(0.95) / np.sqrt(tasks - 3.0)
    return np.asarray(np.clip(np.floor(np.tanh(z) / _GRID) * _GRID, 0.0, _MOST_ALIKE), dtype=np.float64)


def _tail_of_each(k: IntArray, alike: FloatArray, tail: float) -> FloatArray:
    """Tail probability of one system's error at the quantile that the largest of `k` exceeds with probability `tail`.

    Found for equally correlated normal errors, where the largest is one integral over the part that all share. Tail
    probabilities carry over to the t law (a Gaussian copula): each system has a variance estimate of its own.
    """
    steps = np.rint(alike / _GRID).astype(np.int64)
    keys, index = np.unique(k * 100 + steps, return_inverse=True)
    count, rho = (keys // 100).astype(np.float64)[:, None], (keys % 100 * _GRID)[:, None]
    shared = np.linspace(-8.5, 8.5, 341)
    weights = np.exp(-(shared**2) / 2.0)
    weights /= weights.sum()
    low, high = np.zeros(len(keys)), np.full(len(keys), 40.0)
    for _ in range(60):
        middle = (low + high) / 2.0
        below = normal_cdf((middle[:, None] - np.sqrt(rho) * shared) / np.sqrt(1.0 - rho))
        enough = (below**count) @ weights >= 1.0 - tail
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(normal_cdf(-high)[index.reshape(k.shape)], dtype=np.float64)
