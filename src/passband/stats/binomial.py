"""Intervals for one task: n independent samples, c passes.

All of them have ends that are exactly 0 where c = 0 and exactly 1 where c = n (Jeffreys' by the usual convention of
Brown, Cai and DasGupta 2001, section 4.1.2). One-sided intervals put the whole error on one side: ``"lower"`` gives a
lower bound (the upper end is 1), ``"upper"`` an upper bound (the lower end is 0).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._check import check_alternative, check_level, counts
from passband.stats._quantile import normal_quantile
from passband.stats._result import Estimate, scalar, whole_scalar
from passband.stats._special import beta_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["clopper_pearson_interval", "jeffreys_interval", "wald_interval", "wilson_bounds", "wilson_interval"]


def wilson_interval(c: ArrayLike, n: ArrayLike, *, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """Wilson's score interval: every p that the score test does not reject.

    Parameters
    ----------
    c, n : int or array_like of int
        Passes and samples; arrays give one interval an entry.
    level : float
        Nominal coverage.
    alternative : {"two-sided", "lower", "upper"}
        Which bound is wanted.

    Returns
    -------
    Estimate
        Of the pass rate of one task.

    Raises
    ------
    InvalidInputError
        Where c > n, n < 1, a count is negative or not whole, or `level` is not in (0, 1).

    Notes
    -----
    Wilson (1927). Coverage is close to nominal on average over p, and dips (to 84% at worst, near p = 0.18 / n) where
    the lattice of counts is unlucky.

    Examples
    --------
    >>> interval = wilson_interval(0, 25)
    >>> interval.low, round(interval.high, 4)
    (0.0, 0.1332)
    """
    trials = _prepare(c, n, level, alternative)
    return trials.interval(*wilson_bounds(trials.rate, trials.size, normal_quantile(1 - trials.tail)), "wilson")


def wald_interval(c: ArrayLike, n: ArrayLike, *, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """Wald's interval, the estimate ± z standard errors, cut to [0, 1]: for showing why not to use it.

    Its width is zero at c = 0 and c = n; at 40 samples it covers p = 0.03 and p = 0.97 in 70% of evaluations.

    Parameters
    ----------
    c, n, level, alternative
        As for :func:`wilson_interval`.

    Returns
    -------
    Estimate
        Of the pass rate of one task.

    Raises
    ------
    InvalidInputError
        As for :func:`wilson_interval`.
    """
    trials = _prepare(c, n, level, alternative)
    rate = trials.rate
    half = normal_quantile(1 - trials.tail) * np.sqrt(rate * (1 - rate) / trials.size)
    return trials.interval(np.maximum(rate - half, 0.0), np.minimum(rate + half, 1.0), "wald")


def clopper_pearson_interval(
    c: ArrayLike, n: ArrayLike, *, level: float = 0.95, alternative: str = "two-sided"
) -> Estimate:
    """Clopper and Pearson's interval: never covers less than `level`, and usually more.

    Parameters
    ----------
    c, n, level, alternative
        As for :func:`wilson_interval`.

    Returns
    -------
    Estimate
        Of the pass rate of one task.

    Raises
    ------
    InvalidInputError
        As for :func:`wilson_interval`.

    Notes
    -----
    Clopper and Pearson (1934), as quantiles of the beta distribution.

    Examples
    --------
    >>> round(clopper_pearson_interval(0, 25).high, 4)
    0.1372
    """
    trials = _prepare(c, n, level, alternative)
    passes, size, tail = trials.rate * trials.size, trials.size, trials.tail
    low = np.where(passes == 0, 0.0, beta_quantile(np.maximum(passes, 0.5), size - passes + 1, tail))
    high = np.where(passes == size, 1.0, beta_quantile(passes + 1, np.maximum(size - passes, 0.5), 1 - tail))
    return trials.interval(low, high, "clopper-pearson")


def jeffreys_interval(c: ArrayLike, n: ArrayLike, *, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """Equal-tailed posterior interval under Jeffreys' prior Beta(1/2, 1/2).

    Parameters
    ----------
    c, n, level, alternative
        As for :func:`wilson_interval`.

    Returns
    -------
    Estimate
        Of the pass rate of one task.

    Raises
    ------
    InvalidInputError
        As for :func:`wilson_interval`.

    Notes
    -----
    Brown, Cai and DasGupta (2001), "Interval estimation for a binomial proportion", section 4.1.2.
    """
    trials = _prepare(c, n, level, alternative)
    passes, size, tail = trials.rate * trials.size, trials.size, trials.tail
    low = np.where(passes == 0, 0.0, beta_quantile(passes + 0.5, size - passes + 0.5, tail))
    high = np.where(passes == size, 1.0, beta_quantile(passes + 0.5, size - passes + 0.5, 1 - tail))
    return trials.interval(low, high, "jeffreys")


def wilson_bounds(
    rate: FloatArray, size: FloatArray | IntArray, z: float | FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Wilson's two ends for a rate that rests on `size` independent trials, which need not be whole.

    The lower end is taken from the product of the two roots, p² / (1 + z²/m), so that it is exactly 0 at p = 0 and
    keeps its digits near it.
    """
    passes, square = rate * size, z * z
    spread = z * np.sqrt(passes * (1.0 - rate) + square / 4)
    widened = size + square
    high = np.where(rate == 1.0, 1.0, (passes + square / 2 + spread) / widened)
    return rate * passes / (widened * np.maximum(high, 1e-300)), high  # high is 0 only at z = 0 and no pass


def _prepare(c: ArrayLike, n: ArrayLike, level: float, alternative: str) -> _Trials:
    c_all, n_all = counts(c, n)
    tail = 1 - check_level(level)
    if check_alternative(alternative) == "two-sided":
        tail /= 2
    return _Trials(c_all / n_all, n_all, level, alternative, tail)


@dataclass(frozen=True, slots=True)
class _Trials:
    rate: FloatArray
    size: IntArray
    level: float
    alternative: str
    tail: float

    def interval(self, low: FloatArray, high: FloatArray, method: str) -> Estimate:
        one_sided = self.alternative != "two-sided"
        return Estimate(
            value=scalar(self.rate),
            low=scalar(np.zeros_like(low) if self.alternative == "upper" else low),
            high=scalar(np.ones_like(high) if self.alternative == "lower" else high),
            level=self.level,
            method=f"{method}, {self.alternative} bound" if one_sided else method,
            estimand="these-tasks",
            n_tasks=1,
            n_samples=whole_scalar(self.size),
        )
