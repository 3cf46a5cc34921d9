"""The beta-binomial model: task pass rates drawn from a Beta law, samples independent given the rate.

Parametrised by the mean mu of the Beta law and the intra-task correlation rho in [0, 1]: alpha = mu (1 - rho) / rho,
beta = (1 - mu) (1 - rho) / rho. At rho = 0 all tasks are alike, at rho = 1 a task passes always or never.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import task_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["BetaBinomialFit", "Exceedances", "beta_binomial_mle", "one_evaluation"]

_CHUNK = 2**22  # floats at a time


@dataclass(frozen=True, slots=True)
class BetaBinomialFit:
    """Maximum-likelihood fit of the beta-binomial model.

    Attributes
    ----------
    mean : float
        Mean pass rate of the population of tasks.
    icc : float or None
        Intra-task correlation; None where the data say nothing of it.
    alpha, beta : float or None
        Parameters of the Beta law; None at an intra-task correlation of 0 or 1 and where there is none.
    mean_se, icc_se : float or None
        Standard errors from the observed information; None at the edge of the parameter space, where there are none.
    log_likelihood : float
        At the fit, with all constants.
    n_tasks, n_samples : int
        What it was fitted to.
    warnings : tuple of str
        What a reader must know before quoting the fit.
    """

    mean: float
    icc: float | None
    alpha: float | None
    beta: float | None
    mean_se: float | None
    icc_se: float | None
    log_likelihood: float
    n_tasks: int
    n_samples: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exceedances:
    """All that the likelihood needs of the counts: how many tasks have more than i passes, failures, samples.

    With them the likelihood is a product over i of ``mu (1 - rho) + i rho`` and its like, whose cost does not grow
    with the number of tasks, and which loses no digits at any rho from 0 to 1 (Griffiths 1973, Biometrics 29).
    """

    passes: IntArray
    failures: IntArray
    samples: IntArray

    @classmethod
    def of(cls, c: IntArray, n: IntArray) -> Exceedances:
        """Count them for i = 0, …, max(n) - 1."""
        size = int(n.max())

        def above(values: IntArray) -> IntArray:
            return np.bincount(values, minlength=size + 1)[::-1].cumsum()[::-1][1:]

        return cls(above(c), above(n - c), above(n))

    @property
    def mixed(self) -> int:
        """How many tasks have both passes and failures."""
        return int(self.passes[0] + self.failures[0] - self.samples[0])

    def log_likelihood(self, mu: FloatArray, rho: FloatArray, nu: FloatArray, rest: FloatArray) -> FloatArray:
        """Log likelihood, without the binomial coefficients, on the grid (mu, rho): shape (mus, rhos).

        `nu` is 1 - mu and `rest` 1 - rho, given apart so that nothing is lost near 1.
        """
        log_rest = np.log(rest) if self.mixed else np.zeros(rest.shape)
        total = self.mixed * log_rest + (self.passes[0] * np.log(mu) if self.passes[0] else np.zeros(mu.shape))[:, None]
        if self.failures[0]:
            total = total + self.failures[0] * np.log(nu)[:, None]
        size = max(_CHUNK // max(total.size, 1), 1)
        for start in range(1, len(self.samples), size):
            i = np.arange(start, min(start + size, len(self.samples)), dtype=np.float64)
            total -= np.log(rest[:, None] + i * rho[:, None]) @ self.samples[start : start + size]
            for rate, counts in ((mu, self.passes), (nu, self.failures)):
                least = (rate[:, None] * rest)[..., None]
                total += np.log(least + i * rho[:, None]) @ counts[start : start + size]
        return np.asarray(total, dtype=np.float64)


def beta_binomial_mle(c: ArrayLike, n: ArrayLike) -> BetaBinomialFit:
    """Fit the beta-binomial model by maximum likelihood.

    Parameters
    ----------
    c, n : array_like of int, shape (tasks,)
        Successes and samples of each task; n may differ between tasks.

    Returns
    -------
    BetaBinomialFit
        With an intra-task correlation of 0 where tasks differ no more than chance makes them, of 1 where every task
        passes always or never, and None where all samples agree or each task has one.

    Raises
    ------
    InvalidInputError
        For counts that make no sense, or more than one evaluation.

    Notes
    -----
    For a fixed correlation the log likelihood is concave in the mean, so that the profile is found for certain; the
    correlation by golden sections of the profile around the best of a grid.

    Examples
    --------
    >>> fit = beta_binomial_mle([1, 2, 8, 7, 0, 8, 5, 8], 8)
    >>> round(fit.mean, 3), round(fit.icc, 3)
    (0.624, 0.589)
    """
    c_all, n_all = one_evaluation(c, n)
    constant = _log_coefficients(c_all, n_all)
    counts = Exceedances.of(c_all, n_all)
    tasks = len(c_all)

    def edge(mean: float, icc: float | None, log: float, warning: str, se: float | None = None) -> BetaBinomialFit:
        samples = int(n_all.sum())
        return BetaBinomialFit(mean, icc, None, None, se, None, log + constant, tasks, samples, (warning,))

    overall = float(c_all.sum() / n_all.sum())
    if overall in {0.0, 1.0}:
        return edge(overall, None, 0.0, "all samples agree: nothing tells how alike samples of a task are")
    if len(counts.samples) == 1:
        log = tasks * (overall * math.log(overall) + (1.0 - overall) * math.log1p(-overall))
        se = math.sqrt(overall * (1.0 - overall) / tasks)
        return edge(overall, None, log, "one sample a task: nothing tells how alike samples of a task are", se)
    if counts.mixed == 0:
        passing = int(counts.passes[0]) / tasks
        log = tasks * (passing * math.log(passing) + (1.0 - passing) * math.log1p(-passing))
        return edge(passing, 1.0, log, "every task passes always or never: an intra-task correlation of 1, an edge")

    def profile(rho: float) -> tuple[float, float]:
        mu = _best_mean(counts, rho)
        return _at(counts, mu, rho), mu

    rho = _golden(lambda r: profile(r)[0])
    log, mu = profile(rho)
    log_zero, mu_zero = profile(0.0)
    if log_zero >= log - 1e-9:
        return edge(
            mu_zero, 0.0, log_zero, "tasks differ no more than by chance: an intra-task correlation of 0, an edge"
        )
    mean_se, icc_se = _standard_errors(counts, mu, rho)
    scale = (1.0 - rho) / rho
    return BetaBinomialFit(
        mean=mu,
        icc=rho,
        alpha=mu * scale,
        beta=(1.0 - mu) * scale,
        mean_se=mean_se,
        icc_se=icc_se,
        log_likelihood=log + constant,
        n_tasks=tasks,
        n_samples=int(n_all.sum()),
    )


def one_evaluation(c: ArrayLike, n: ArrayLike) -> tuple[IntArray, IntArray]:
    """Return counts of shape (tasks,), or say that a batch was given."""
    c_all, n_all = task_counts(c, n)
    if c_all.ndim != 1:
        raise InvalidInputError(f"one evaluation at a time, not shape {c_all.shape}", where="c")
    return c_all, n_all


def _at(counts: Exceedances, mu: float, rho: float) -> float:
    grid = [np.array([value]) for value in (mu, rho, 1.0 - mu, 1.0 - rho)]
    return float(counts.log_likelihood(grid[0], grid[1], grid[2], grid[3])[0, 0])


def _best_mean(counts: Exceedances, rho: float) -> float:
    """Maximise over the mean: the slope falls from +inf to -inf, since both passes and failures were seen."""
    i = np.arange(len(counts.samples), dtype=np.float64) * rho / (1.0 - rho)

    def slope(mu: float) -> float:
        return float((counts.passes / (mu + i)).sum() - (counts.failures / (1.0 - mu + i)).sum())

    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (middle, high) if slope(middle) > 0.0 else (low, middle)
    return (low + high) / 2.0


def _golden(profile: Callable[[float], float]) -> float:
    """Maximise over rho in (0, 1): a grid even in logit rho, then golden sections on that scale."""
    grid = np.linspace(-14.0, 14.0, 57)
    best = int(np.argmax([profile(_expit(y)) for y in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    ratio = (math.sqrt(5.0) - 1.0) / 2.0
    inner, outer = high - ratio * (high - low), low + ratio * (high - low)
    at_inner, at_outer = profile(_expit(inner)), profile(_expit(outer))
    for _ in range(45):
        if at_inner >= at_outer:
            high, outer, at_outer = outer, inner, at_inner
            inner = high - ratio * (high - low)
            at_inner = profile(_expit(inner))
        else:
            low, inner, at_inner = inner, outer, at_outer
            outer = low + ratio * (high - low)
            at_outer = profile(_expit(outer))
    return _expit((low + high) / 2.0)


def _expit(y: float) -> float:
    return 1.0 / (1.0 + math.exp(-y))


def _standard_errors(counts: Exceedances, mu: float, rho: float) -> tuple[float | None, float | None]:
    """Invert the observed information, which is exact: second derivatives of sums of logs."""
    i = np.arange(len(counts.samples), dtype=np.float64)
    rest = 1.0 - rho
    hessian = np.zeros((2, 2))
    # each term is ± counts × log(u + v mu + w rho + x mu rho) with u + … = rate (1 - rho) + i rho
    for weights, rate, sign in ((counts.passes, mu, 1.0), (counts.failures, 1.0 - mu, -1.0)):
        value = rate * rest + i * rho
        by_mu, by_rho = sign * rest, i - rate
        hessian[0, 0] -= (weights * by_mu**2 / value**2).sum()
        hessian[1, 1] -= (weights * by_rho**2 / value**2).sum()
        hessian[0, 1] += (weights * (-sign / value - by_mu * by_rho / value**2)).sum()
    hessian[1, 1] += (counts.samples * ((i - 1.0) / (rest + i * rho)) ** 2).sum()
    hessian[1, 0] = hessian[0, 1]
    determinant = hessian[0, 0] * hessian[1, 1] - hessian[0, 1] ** 2
    if hessian[0, 0] >= 0.0 or determinant <= 0.0:
        return None, None
    return math.sqrt(-hessian[1, 1] / determinant), math.sqrt(-hessian[0, 0] / determinant)


def _log_coefficients(c: IntArray, n: IntArray) -> float:
    from scipy.special import gammaln

    return float((gammaln(n + 1.0) - gammaln(c + 1.0) - gammaln(n - c + 1.0)).sum())
