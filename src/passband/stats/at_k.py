"""Intervals of a benchmark's pass@k and pass^k."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, task_counts, whole_numbers
from passband.stats._mean import binomial_ends, count_size, fixed_size, harmonic_total
from passband.stats._result import Estimate, optional_scalar, scalar, whole_scalar
from passband.stats._special import log_beta, log_gamma
from passband.stats.pass_at_k import pass_at_k, pass_at_k_variance, pass_hat_k
from passband.stats.pass_rate import ONE_TASK, pass_rate_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand, FloatArray, IntArray

__all__ = ["pass_at_k_interval", "pass_hat_k_interval"]


def pass_at_k_interval(
    c: ArrayLike, n: ArrayLike, k: int, estimand: Estimand = "tasks-like-these", level: float = 0.95
) -> Estimate:
    """Mean pass@k over tasks, unbiased, with its interval.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task, at least `k` samples in each.
    k : int
        Attempts allowed. At k = 1 this is :func:`passband.stats.pass_rate_interval`.
    estimand : {"tasks-like-these", "these-tasks"}
        Whether the tasks are a sample of a population, or all there is and only samples are random.
    level : float
        Nominal coverage.

    Returns
    -------
    Estimate
        With one task and "tasks-like-these" there is a value and no interval.

    Raises
    ------
    InvalidInputError
        Where a task has fewer than k samples, and for counts or an estimand that make no sense.
    """
    return _interval(c, n, k, estimand, level, hat=False)


def pass_hat_k_interval(
    c: ArrayLike, n: ArrayLike, k: int, estimand: Estimand = "tasks-like-these", level: float = 0.95
) -> Estimate:
    """Mean pass^k over tasks (all k attempts pass), unbiased, with its interval.

    Parameters
    ----------
    c, n, k, estimand, level
        As for :func:`pass_at_k_interval`.

    Returns
    -------
    Estimate
        As for :func:`pass_at_k_interval`.

    Raises
    ------
    InvalidInputError
        As for :func:`pass_at_k_interval`.
    """
    return _interval(c, n, k, estimand, level, hat=True)


def _interval(c: ArrayLike, n: ArrayLike, k: int, estimand: Estimand, level: float, *, hat: bool) -> Estimate:
    c_all, n_all = task_counts(c, n)
    attempts = int(whole_numbers(k, "k", minimum=1))
    if attempts == 1:
        return pass_rate_interval(c_all, n_all, estimand, level=level)
    check_level(level)
    estimator = pass_hat_k if hat else pass_at_k
    values = np.asarray(estimator(n_all, c_all, attempts))
    tasks = values.shape[-1]
    mean = values.mean(axis=-1)
    harmonic = harmonic_total(n_all)
    low, high = None, None
    warnings: tuple[str, ...] = ()
    if estimand == "tasks-like-these":
        method = "wilson-cluster"
        if tasks == 1:
            warnings = (ONE_TASK,)
        else:
            size = count_size(c_all, n_all, values, partial(_model_trials, estimator, attempts))
            low, high = binomial_ends(mean, size, tasks - 1, 1 - level)
    elif estimand == "these-tasks":
        method = "stratified-wilson"
        variance, warnings = _fixed_task_variance(n_all - c_all if hat else c_all, n_all, attempts)
        # Hoeffding (1948): the variance of a U-statistic of order k is at most k / n of its kernel's, and the kernel
        # here is an indicator.
        df = np.where(np.isinf(variance), np.inf, (n_all / attempts - 1).sum(axis=-1))
        low, high = binomial_ends(mean, fixed_size(mean, variance, harmonic / attempts), df, 1 - level)
    else:
        raise InvalidInputError(f"{estimand!r} is not an estimand of one run", where="estimand")
    return Estimate(
        value=scalar(mean),
        low=optional_scalar(low),
        high=optional_scalar(high),
        level=level,
        method=method,
        estimand=estimand,
        n_tasks=tasks,
        n_samples=whole_scalar(n_all.sum(axis=-1)),
        warnings=warnings,
    )


def _model_trials(
    estimator: Callable[..., float | FloatArray], k: int, rate: FloatArray, rho: FloatArray, samples: IntArray
) -> FloatArray:
    """Trials that one task is worth on average: the Bernoulli variance of the estimate's mean over its variance.

    Task rates are Beta(rate (1/rho - 1), (1 - rate) (1/rho - 1)); the estimate is a function of a beta-binomial count.
    """
    a, b = (rate * (1 / rho - 1))[:, None], ((1 - rate) * (1 / rho - 1))[:, None]
    variance = np.zeros(len(rate))
    mean = np.zeros(len(rate))
    for size in np.unique(samples).tolist():
        passes = np.arange(size + 1)
        ways = log_gamma(size + 1) - log_gamma(passes + 1) - log_gamma(size - passes + 1)
        chance = np.exp(ways + log_beta(a + passes, b + (size - passes)) - log_beta(a, b))
        value = np.asarray(estimator(size, passes, k))
        mean = chance @ value  # the same for every size: the estimate is unbiased
        share = (samples == size).mean(axis=-1)
        variance += share * ((value - mean[:, None]) ** 2 * chance).sum(axis=-1)
    # A power of a rate may be too small for its square: then the model leaves all to the moments.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, mean * (1 - mean) / variance, np.inf)


def _fixed_task_variance(c: IntArray, n: IntArray, k: int) -> tuple[FloatArray, tuple[str, ...]]:
    """Return the variance over samples of the mean of pass@k; pass^k has that of pass@k of the failures."""
    if (n < 2 * k).any():
        warning = f"fewer than {2 * k} samples in some task: the spread within tasks is taken at its largest"
        return np.full(c.shape[:-1], np.inf), (warning,)
    variance = np.asarray(pass_at_k_variance(n, k, c=c))
    return np.maximum(variance.sum(axis=-1), 0.0) / c.shape[-1] ** 2, ()
