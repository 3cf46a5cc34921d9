"""A mean over tasks as a binomial rate: how many trials it is worth, and the ends of its interval.

Arrays of counts have the shape (..., tasks); means, variances and sizes have the leading axes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats._correlation import posterior_correlation
from passband.stats._quantile import upper_quantile
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from passband.stats._result import FloatArray, IntArray

__all__ = ["binomial_ends", "clustered_size", "count_variance", "fixed_size", "harmonic_total"]

_ENOUGH_TASKS = 200


def harmonic_total(n: IntArray) -> FloatArray:
    """Return the number of independent samples that a mean of task rates is worth where all tasks are alike."""
    return np.asarray(n.shape[-1] / (1.0 / n).mean(axis=-1))


def count_variance(c: IntArray, n: IntArray) -> FloatArray:
    """Variance of the mean task rate: by moments, raised where few tasks leave doubt about their correlation.

    The moment estimate, the variance of the rates over N, is unbiased for any n. The posterior's is
    m (1 - m) mean(rho + (1 - rho) / n) / N. Where that is larger, it is believed in full with few tasks and not at
    all from 200 on, when the moments speak for themselves.
    """
    tasks = c.shape[-1]
    rates = c / n
    moments = rates.var(axis=-1, ddof=1) / tasks
    mean = rates.mean(axis=-1)
    doubt = max(0.0, 1.0 - tasks / _ENOUGH_TASKS)
    mixed = (mean > 0) & (mean < 1) & (n > 1).any(axis=-1)
    if doubt == 0.0 or not mixed.any():
        return np.asarray(moments)
    rho = np.zeros(mean.shape)
    rho[mixed] = posterior_correlation(c[mixed], n[mixed], mean[mixed])
    single = (1.0 / n).mean(axis=-1)
    posterior = mean * (1 - mean) * (rho + (1 - rho) * single) / tasks
    return np.asarray(moments + doubt * np.where(mixed, np.maximum(posterior - moments, 0.0), 0.0))


def clustered_size(mean: FloatArray, variance: FloatArray, tasks: int, most: FloatArray) -> FloatArray:
    """Trials that the mean is worth where the tasks are a sample.

    m (1 - m) / variance is what independent trials would need for the variance that the task means show. It is kept
    within [N, `most`]: N where samples of a task are copies of each other, `most` (all samples) where they are
    independent. Where all values are 0, or all 1, nothing tells the two apart and it is N.
    """
    bernoulli = mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bernoulli == 0, tasks, np.clip(bernoulli / variance, tasks, np.maximum(most, tasks)))


def fixed_size(mean: FloatArray, variance: FloatArray, least: FloatArray) -> FloatArray:
    """Trials that the mean is worth where the tasks are fixed.

    `variance` is that of the mean (infinite where it cannot be told) and `least` the number of trials that the mean
    is worth beyond doubt. One pass or failure more is added to the variance, as samples that all agree within their
    tasks do not make a rate certain.
    """
    return np.maximum(mean * (1 - mean) / (variance + 1.0 / least**2), least)


def binomial_ends(
    mean: FloatArray, size: FloatArray, df: float, alpha: float | FloatArray
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
    from scipy.special import betainc, betaincinv

    passes = mean * size
    # Asking first is cheaper than inverting: the limit is lower exactly where `unless` leaves more than `tail` above.
    lower = (passes > 0) & (betainc(np.maximum(passes, 1e-300), size - passes + 1, unless) > tail)
    limit = np.array(unless)
    limit[lower] = betaincinv(passes[lower], (size - passes + 1)[lower], np.broadcast_to(tail, lower.shape)[lower])
    return limit
