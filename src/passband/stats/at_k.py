"""Intervals of a benchmark's pass@k and pass^k."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from itertools import count, takewhile
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
    from passband.stats.paired_at_k import CurveKind

__all__ = ["PassCurve", "pass_at_k_interval", "pass_hat_k_interval"]


class PassCurve:
    """Intervals of mean pass@k or pass^k for one k after another, without computing anything twice.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task.
    kind : {"pass@k", "pass^k"}
        Whether any of k attempts has to pass, or all of them.
    estimand : {"tasks-like-these", "these-tasks"}
        As for :func:`pass_at_k_interval`.
    level : float
        Nominal coverage of each interval.

    Examples
    --------
    >>> at = PassCurve([1, 4, 8, 0, 6, 2], 8, "pass@k")
    >>> [round(at(k).value, 3) for k in (1, 2, 4)]
    [0.438, 0.577, 0.712]
    """

    def __init__(
        self,
        c: ArrayLike,
        n: ArrayLike,
        kind: CurveKind,
        estimand: Estimand = "tasks-like-these",
        level: float = 0.95,
    ) -> None:
        self._counts = (c, n)
        self._hat = kind == "pass^k"
        self._estimand = estimand
        self._level = level
        self._alone = cache(self._seen)

    def __call__(self, k: int) -> Estimate:
        """Return the estimate at `k`: what :func:`pass_at_k_interval` and :func:`pass_hat_k_interval` return."""
        attempts = int(whole_numbers(k, "k", minimum=1))
        found = self._alone(attempts)
        if found.low is None or found.high is None:
            return found
        # More attempts never pass less: what a smaller k has ruled out is ruled out.
        for fewer in takewhile(attempts.__gt__, (1 << power for power in count())):
            bound = self._alone(fewer)
            if self._hat:
                found = replace(found, high=scalar(np.minimum(np.asarray(found.high), np.asarray(bound.high))))
            else:
                found = replace(found, low=scalar(np.maximum(np.asarray(found.low), np.asarray(bound.low))))
        return found

    def _seen(self, k: int) -> Estimate:
        """Return the mean and its interval by what is seen at this `k` alone."""
        c, n = task_counts(*self._counts)
        if k == 1:
            return pass_rate_interval(c, n, self._estimand, level=self._level)
        check_level(self._level)
        estimator = pass_hat_k if self._hat else pass_at_k
        values = np.asarray(estimator(n, c, k))
        tasks = values.shape[-1]
        mean = values.mean(axis=-1)
        harmonic = harmonic_total(n)
        low, high = None, None
        warnings: tuple[str, ...] = ()
        if self._estimand == "tasks-like-these":
            method = "wilson-cluster"
            if tasks == 1:
                warnings = (ONE_TASK,)
            else:
                size = count_size(c, n, values, partial(_model_trials, estimator, k))
                low, high = binomial_ends(mean, size, tasks - 1, 1 - self._level)
        elif self._estimand == "these-tasks":
            method = "stratified-wilson"
            variance, warnings = _fixed_task_variance(n - c if self._hat else c, n, k)
            # Hoeffding (1948): the variance of a U-statistic of order k is at most k / n of its kernel's, which is
            # an indicator here.
            df = np.where(np.isinf(variance), np.inf, (n / k - 1).sum(axis=-1))
            low, high = binomial_ends(mean, fixed_size(mean, variance, harmonic / k), df, 1 - self._level)
        else:
            raise InvalidInputError(f"{self._estimand!r} is not an estimand of one run", where="estimand")
        return Estimate(
            value=scalar(mean),
            low=optional_scalar(low),
            high=optional_scalar(high),
            level=self._level,
            method=method,
            estimand=self._estimand,
            n_tasks=tasks,
            n_samples=whole_scalar(n.sum(axis=-1)),
            warnings=warnings,
        )


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

    Notes
    -----
    pass@k grows with k, so the low end is the highest of those at k and at the powers of two below it. Where k comes
    near n every task may show the same value, and the spread of tasks is then seen at a smaller k alone.
    """
    return PassCurve(c, n, "pass@k", estimand, level)(k)


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
        As for :func:`pass_at_k_interval`, mirrored: pass^k falls with k, and the high end is the lowest.

    Raises
    ------
    InvalidInputError
        As for :func:`pass_at_k_interval`.
    """
    return PassCurve(c, n, "pass^k", estimand, level)(k)


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
