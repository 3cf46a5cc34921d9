"""A Bayesian account of a benchmark: every task has a pass rate of its own, and they come from one Beta law.

Priors: the mean of the law is uniform on (0, 1), and so is the intra-task correlation. The posterior has two dimensions
and is integrated on a grid: no sampler, no seed, the same numbers each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._check import check_level, whole_numbers
from passband.stats._numeric import expit
from passband.stats._posterior import PosteriorGrid, logit
from passband.stats._predictive import PredictiveCheck, predictive_check
from passband.stats._result import Estimate
from passband.stats._table import distinct_pairs
from passband.stats.beta_binomial import Exceedances, one_evaluation

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["HierarchicalPosterior", "hierarchical_beta_binomial"]

_MODEL = "hierarchical beta-binomial"


@dataclass(frozen=True, slots=True)
class HierarchicalPosterior:
    """Posterior of the hierarchical beta-binomial model.

    Attributes
    ----------
    mean : Estimate
        Mean pass rate of tasks like these: posterior mean, and equal-tailed credible interval.
    icc : Estimate
        Intra-task correlation.
    pass_at_k : dict of int to Estimate
        Mean pass@k of tasks like these, for each k that was asked for.
    task_means, task_sds : ndarray, shape (tasks,)
        Posterior mean and standard deviation of each task's own pass rate: its observed rate drawn towards the rest,
        the more so the fewer samples it has and the more alike tasks are.
    check : PredictiveCheck
        Whether tasks that never (or always) pass are as many as a Beta law has them.
    warnings : tuple of str
        What a reader must know before quoting the posterior; among them a failed check.
    """

    mean: Estimate
    icc: Estimate
    pass_at_k: dict[int, Estimate]
    task_means: FloatArray
    task_sds: FloatArray
    check: PredictiveCheck
    warnings: tuple[str, ...] = ()


def hierarchical_beta_binomial(
    c: ArrayLike, n: ArrayLike, *, k: int | tuple[int, ...] = (), level: float = 0.95
) -> HierarchicalPosterior:
    """Posterior of the mean pass rate, of every task's own, and of pass@k.

    Parameters
    ----------
    c, n : array_like of int, shape (tasks,)
        Successes and samples of each task; n may differ between tasks, and one task is enough.
    k : int or tuple of int
        Attempts for pass@k. A k beyond the samples of a task is allowed: the shape of the Beta law then answers for
        what no sample has shown, and a warning says so.
    level : float
        Probability inside the credible intervals.

    Returns
    -------
    HierarchicalPosterior
        Deterministic; means are right to about ten digits, interval ends to five.

    Raises
    ------
    InvalidInputError
        For counts, `k` or `level` that make no sense, or more than one evaluation.

    Notes
    -----
    Gelman et al. (2013), Bayesian Data Analysis, section 5.3, with the priors of this page; given (mu, rho) a task's
    rate has the mean ``(mu (1 - rho) + c rho) / (1 - rho + n rho)``, and pass@k of a new task is one less the product
    over i < k of ``((1 - mu)(1 - rho) + i rho) / (1 - rho + i rho)``.

    Examples
    --------
    >>> posterior = hierarchical_beta_binomial([1, 2, 8, 7, 0, 8, 5, 8], 8)
    >>> round(posterior.mean.value, 3), posterior.task_means.round(2)
    (0.607, array([0.17, 0.28, 0.97, 0.85, 0.06, 0.97, 0.62, 0.97]))
    """
    c_all, n_all = one_evaluation(c, n)
    check_level(level)
    attempts = [int(value) for value in np.atleast_1d(whole_numbers(k, "k", minimum=1)).tolist()] if k != () else []
    grid = PosteriorGrid(Exceedances.of(c_all, n_all))
    tails = np.array([(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    check = predictive_check(grid, c_all, n_all)
    warnings = check.warnings
    if (least := int(n_all.min())) < max(attempts, default=0):
        warnings = (*warnings, f"pass@k beyond {least} samples a task rests on the shape of the Beta law alone")

    def estimate(value: float, ends: FloatArray) -> Estimate:
        return Estimate(
            value=value,
            low=float(ends[0]),
            high=float(ends[1]),
            level=level,
            method=_MODEL,
            estimand="tasks-like-these",
            n_tasks=len(c_all),
            n_samples=int(n_all.sum()),
            warnings=warnings,
        )

    means, sds = _task_moments(grid, c_all, n_all)
    return HierarchicalPosterior(
        mean=_pass_at(grid, 1, tails, estimate),
        icc=estimate(grid.mean(grid.rho[None, :]), grid.correlation_quantiles(tails)),
        pass_at_k={size: _pass_at(grid, size, tails, estimate) for size in attempts},
        task_means=means,
        task_sds=sds,
        check=check,
        warnings=warnings,
    )


def _pass_at(grid: PosteriorGrid, k: int, tails: FloatArray, estimate: Callable[..., Estimate]) -> Estimate:
    def missed(nu: FloatArray, rho: FloatArray, rest: FloatArray) -> FloatArray:
        product = nu
        for i in range(1, k):
            product = product * (nu * rest + i * rho) / (rest + i * rho)
        return product

    def places(value: float) -> FloatArray:
        if k == 1:
            return np.full(len(grid.rho), logit(value))
        return grid.solve(lambda x: 1.0 - missed(expit(-x), grid.rho, grid.rest), value)

    if k == 1:
        value = grid.mean(grid.mu[:, None])
    else:
        value = 1.0 - grid.mean(missed(grid.nu[:, None], grid.rho, grid.rest))
    return estimate(value, grid.quantiles(places, tails))


def _task_moments(grid: PosteriorGrid, c: IntArray, n: IntArray) -> tuple[FloatArray, FloatArray]:
    """Posterior mean and standard deviation of each task's rate, once for each distinct (n, c)."""
    sizes, passes, index = distinct_pairs(n, c)
    means, seconds = np.empty(len(sizes)), np.empty(len(sizes))
    prior = grid.mu[:, None] * grid.rest
    for i, (size, passed) in enumerate(zip(sizes.tolist(), passes.tolist(), strict=True)):
        first = (prior + passed * grid.rho) / (grid.rest + size * grid.rho)
        again = (prior + (passed + 1.0) * grid.rho) / (grid.rest + (size + 1.0) * grid.rho)
        means[i], seconds[i] = grid.mean(first), grid.mean(first * again)
    return means[index], np.sqrt(np.maximum(seconds - means**2, 0.0))[index]
