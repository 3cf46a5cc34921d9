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
from passband.stats._numeric import expit

if TYPE_CHECKING:
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
    For a fixed correlation the log likelihood is concave in the mean, so that its profile over a grid of correlations
    is found for certain; Newton's method climbs from the best place of the grid.

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

    mu, rho, log, log_zero = _best_of_grid(counts)
    if log_zero >= log - 1e-9:
        text = "tasks differ no more than by chance: an intra-task correlation of 0, an edge"
        return edge(overall, 0.0, log_zero, text)
    mu, rho = _climb(counts, mu, rho)
    mean_se, icc_se = _standard_errors(counts, mu, rho)
    scale = (1.0 - rho) / rho
    return BetaBinomialFit(
        mean=mu,
        icc=rho,
        alpha=mu * scale,
        beta=(1.0 - mu) * scale,
        mean_se=mean_se,
        icc_se=icc_se,
        log_likelihood=_at(counts, mu, rho) + constant,
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


def _best_of_grid(counts: Exceedances) -> tuple[float, float, float, float]:
    """Best (mean, correlation) on a grid even in logit rho, its log likelihood, and that at rho = 0.

    For each rho the best mean is found by bisection: the slope falls from +inf to -inf, as both passes and failures
    were seen.
    """
    rho = np.concatenate([[0.0], expit(np.linspace(-14.0, 14.0, 57))])
    i = np.arange(len(counts.samples), dtype=np.float64) * (rho / (1.0 - rho))[:, None]
    low, high = np.zeros(len(rho)), np.ones(len(rho))
    for _ in range(50):
        mu = (low + high) / 2.0
        rising = (counts.passes / (mu[:, None] + i)).sum(axis=1) > (counts.failures / (1.0 - mu[:, None] + i)).sum(
            axis=1
        )
        low, high = np.where(rising, mu, low), np.where(rising, high, mu)
    log = np.array([_at(counts, float(m), float(r)) for m, r in zip(mu, rho, strict=True)])
    best = 1 + int(log[1:].argmax())
    return float(mu[best]), float(rho[best]), float(log[best]), float(log[0])


def _climb(counts: Exceedances, mu: float, rho: float) -> tuple[float, float]:
    """Newton's steps, halved while they leave the square or lose height."""
    here = _at(counts, mu, rho)
    for _ in range(60):
        gradient, hessian = _derivatives(counts, mu, rho)
        step = np.linalg.solve(hessian, -gradient)
        if gradient @ step <= 0.0:  # not downhill of a concave place: go along the gradient, scaled
            step = gradient / np.abs(np.diag(hessian))
        size = 1.0
        while size > 1e-12:
            ahead = mu + size * step[0], rho + size * step[1]
            if (
                0.0 < ahead[0] < 1.0
                and 0.0 < ahead[1] < 1.0
                and (there := _at(counts, *ahead)) >= here - 1e-13 * abs(here)
            ):
                break
            size /= 2.0
        else:
            break
        moved = abs(ahead[0] - mu) + abs(ahead[1] - rho)
        (mu, rho), here = ahead, there
        if moved < 1e-13:
            break
    return float(mu), float(rho)


def _derivatives(counts: Exceedances, mu: float, rho: float) -> tuple[FloatArray, FloatArray]:
    """Gradient and second derivatives of the log likelihood, exact: those of sums of logs."""
    i = np.arange(len(counts.samples), dtype=np.float64)
    rest = 1.0 - rho
    gradient, hessian = np.zeros(2), np.zeros((2, 2))
    for weights, rate, sign in ((counts.passes, mu, 1.0), (counts.failures, 1.0 - mu, -1.0)):
        value = rate * rest + i * rho
        by_mu, by_rho = sign * rest / value, (i - rate) / value
        gradient += (weights * by_mu).sum(), (weights * by_rho).sum()
        hessian[0, 0] -= (weights * by_mu**2).sum()
        hessian[1, 1] -= (weights * by_rho**2).sum()
        hessian[0, 1] += (weights * (-sign / value - by_mu * by_rho)).sum()
    by_rho = (i - 1.0) / (rest + i * rho)
    gradient[1] -= (counts.samples * by_rho).sum()
    hessian[1, 1] += (counts.samples * by_rho**2).sum()
    hessian[1, 0] = hessian[0, 1]
    return gradient, hessian


def _standard_errors(counts: Exceedances, mu: float, rho: float) -> tuple[float | None, float | None]:
    """Invert the observed information."""
    _, hessian = _derivatives(counts, mu, rho)
    determinant = hessian[0, 0] * hessian[1, 1] - hessian[0, 1] ** 2
    if hessian[0, 0] >= 0.0 or determinant <= 0.0:
        return None, None
    return math.sqrt(-hessian[1, 1] / determinant), math.sqrt(-hessian[0, 0] / determinant)


def _log_coefficients(c: IntArray, n: IntArray) -> float:
    from scipy.special import gammaln

    return float((gammaln(n + 1.0) - gammaln(c + 1.0) - gammaln(n - c + 1.0)).sum())
