"""A mean over tasks as a binomial rate: how many trials it is worth, and the ends of its interval.

Arrays of counts have the shape (..., tasks); means, variances and sizes have the leading axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats._correlation import posterior_correlation
from passband.stats._quantile import upper_quantile
from passband.stats._special import beta_cdf, beta_quantile
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.stats._result import FloatArray, IntArray

__all__ = ["binomial_ends", "clustered_size", "count_size", "fixed_size", "harmonic_total", "rate_size"]

_ENOUGH_TASKS = 200


def harmonic_total(n: IntArray) -> FloatArray:
    """Return the number of independent samples that a mean of task rates is worth where all tasks are alike."""
    return np.asarray(n.shape[-1] / (1.0 / n).mean(axis=-1))


def clustered_size(mean: FloatArray, variance: FloatArray, tasks: int, most: FloatArray) -> FloatArray:
    """Trials that the mean is worth where the tasks are a sample.

    m (1 - m) / variance is what independent trials would need for the variance that the task means show. It is kept
    within [N, `most`]: N where samples of a task are copies of each other, `most` (all samples) where they are
    independent. Where all values are 0, or all 1, nothing tells the two apart and it is N.
    """
    bernoulli = mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bernoulli == 0, float(tasks), np.clip(bernoulli / variance, tasks, np.maximum(most, tasks)))


def count_size(
    c: IntArray, n: IntArray, values: FloatArray, trials: Callable[[FloatArray, FloatArray, IntArray], FloatArray]
) -> FloatArray:
    """Trials that the mean of per-task values of counts is worth where the tasks are a sample.

    By :func:`clustered_size` from the variance of the values, lowered where few tasks tell of it to what a
    beta-binomial population with the posterior mean of the correlation gives. The model is believed in full where all
    values are nearly 0 or nearly 1, and not at all where 4 N m (1 - m) >= 200, when the moments speak for themselves.

    Parameters
    ----------
    c, n : ndarray of int, shape (..., tasks)
        Successes and samples.
    values : ndarray, shape (..., tasks)
        What is averaged, in [0, 1].
    trials : callable
        Takes mean pass rates and correlations of shape (evaluations,) and samples (evaluations, tasks), and gives the
        trials that one task is worth on average.
    """
    tasks = c.shape[-1]
    mean = np.asarray(values.mean(axis=-1))
    most = harmonic_total(n)
    size = clustered_size(mean, values.var(axis=-1, ddof=1) / tasks, tasks, most)
    rate = np.asarray((c / n).mean(axis=-1))
    doubt = 1.0 - 4 * tasks * mean * (1 - mean) / _ENOUGH_TASKS
    told = (doubt > 0) & (mean > 0) & (mean < 1) & (rate > 0) & (rate < 1) & (n > 1).any(axis=-1)
    if told.any():
        c_told, n_told = c[told], n[told]
        model = tasks * trials(rate[told], posterior_correlation(c_told, n_told, rate[told]), n_told)
        moments = 1 / size[told]
        blend = 1 / (moments + doubt[told] * np.maximum(1 / model - moments, 0.0))
        size[told] = np.maximum(blend, tasks)
    return size


def rate_size(c: IntArray, n: IntArray) -> FloatArray:
    """Trials that a mean pass rate is worth where the tasks are a sample: :func:`count_size` of the rates."""

    def trials(_: FloatArray, rho: FloatArray, samples: IntArray) -> FloatArray:
        return np.asarray(1 / (rho + (1 - rho) * (1.0 / samples).mean(axis=-1)))

    return count_size(c, n, c / n, trials)


def fixed_size(mean: FloatArray, variance: FloatArray, least: FloatArray) -> FloatArray:
    """Trials that the mean is worth where the tasks are fixed.

    `variance` is that of the mean (infinite where it cannot be told) and `least` the number of trials that the mean
    is worth beyond doubt. One pass or failure more is added to the variance, as samples that all agree within their
    tasks do not make a rate certain.
    """
    return np.maximum(mean * (1 - mean) / (variance + 1.0 / least**2), least)


def binomial_ends(
    mean: FloatArray, size: FloatArray, df: float | FloatArray, alpha: float | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Ends for a rate that rests on `size` independent trials: Wilson's, moved out where the lattice is unlucky.

    Each end is the outer one of Wilson's with Student's quantile at `df` (the normal one where that is infinite) and
    of Clopper and Pearson's one-sided at 0.6 of the error `alpha`. Wilson's alone dips to 84% coverage where p is near
    0.18 / size. The two together stay above 94% for every p, for 8 to 500 trials with Student's quantile at size - 1
    or the normal one; that costs 3.5% (30 trials) to 0.3% (500) of the width.
    """
    low, high = wilson_bounds(mean, size, upper_quantile(alpha / 2, df))
    return _lower_limit(mean, size, 0.6 * alpha, low), 1 - _lower_limit(1 - mean, size, 0.6 * alpha, 1 - high)


def _lower_limit(mean: FloatArray, size: FloatArray, tail: float | FloatArray, unless: FloatArray) -> FloatArray:
    """Return Clopper and Pearson's lower limit where it lies below `unless`, and `unless` elsewhere."""
    passes = mean * size
    # Asking first is cheaper than inverting: the limit is lower exactly where `unless` leaves more than `tail` above.
    lower = (passes > 0) & (beta_cdf(np.maximum(passes, 1e-300), size - passes + 1, unless) > tail)
    limit = np.array(unless)
    limit[lower] = beta_quantile(passes[lower], (size - passes + 1)[lower], np.broadcast_to(tail, lower.shape)[lower])
    return limit
