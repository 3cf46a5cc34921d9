"""Samples of one task share its difficulty: how alike they are, and what that costs.

Model: task j passes with probability p_j, drawn from a population with mean mu and variance sigma²; its n_j samples are
independent given p_j. Then a mean over N tasks of n samples has the variance (sigma² + E[p(1-p)] / n) / N, which is
``1 + (n - 1) rho`` times that of N n independent samples, with rho = sigma² / (mu (1 - mu)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import task_counts
from passband.stats._result import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand, FloatArray

__all__ = [
    "VarianceComponents",
    "design_effect",
    "effective_sample_size",
    "intra_task_correlation",
    "standard_error",
    "variance_components",
]


@dataclass(frozen=True, slots=True)
class VarianceComponents:
    """Where the spread of a pass rate comes from; floats, or arrays over leading axes.

    Attributes
    ----------
    between : float or ndarray
        Variance of the true pass rate between tasks. The moment estimate: unbiased, hence sometimes negative.
    within : float or ndarray
        Mean over tasks of p (1 - p), the variance of one sample of a task. Unbiased.
    """

    between: float | FloatArray
    within: float | FloatArray


def variance_components(c: ArrayLike, n: ArrayLike) -> VarianceComponents:
    """Split the variance of samples into between tasks and within a task, without bias.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task; n may differ between tasks.

    Returns
    -------
    VarianceComponents
        In squared units of the pass rate.

    Raises
    ------
    InvalidInputError
        With fewer than two tasks, or where a task has fewer than two samples (use the tasks that have two).

    Notes
    -----
    c (n - c) / (n (n - 1)) is unbiased for p (1 - p), and the variance of task rates is unbiased for
    sigma² + mean of p (1 - p) / n: the law of total variance, task by task, so unequal n need no weights.
    """
    c_all, n_all = _two_tasks(c, n)
    if (n_all < 2).any():
        raise InvalidInputError("a task with one sample says nothing of the spread within it", where="n")
    spread = c_all * (n_all - c_all) / (n_all * (n_all - 1.0))
    between = (c_all / n_all).var(axis=-1, ddof=1) - (spread / n_all).mean(axis=-1)
    return VarianceComponents(between=scalar(between), within=scalar(spread.mean(axis=-1)))


def intra_task_correlation(c: ArrayLike, n: ArrayLike) -> float | FloatArray:
    """Correlation of two samples of one task, by one-way analysis of variance.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task; n may differ between tasks.

    Returns
    -------
    float or ndarray
        (MSB - MSW) / (MSB + (n0 - 1) MSW). Not truncated: below 0 where tasks differ less than chance makes them.
        0 where all samples of all tasks agree, which says nothing either way.

    Raises
    ------
    InvalidInputError
        With fewer than two tasks, or with one sample a task throughout.

    Notes
    -----
    Fleiss, Levin and Paik (2003), Statistical Methods for Rates and Proportions, section 15.3; for unequal n,
    n0 = (M - sum n_j² / M) / (N - 1) with M = sum n_j (Donner 1986).
    """
    c_all, n_all = _two_tasks(c, n)
    tasks = c_all.shape[-1]
    total = n_all.sum(axis=-1)
    if (total <= tasks).any():
        raise InvalidInputError("one sample a task says nothing of how alike samples of a task are", where="n")
    rate = c_all / n_all
    pooled = c_all.sum(axis=-1) / total
    between = (n_all * (rate - pooled[..., None]) ** 2).sum(axis=-1) / (tasks - 1)
    within = (c_all * (1 - rate)).sum(axis=-1) / (total - tasks)
    n0 = (total - (n_all.astype(np.float64) ** 2).sum(axis=-1) / total) / (tasks - 1)
    scale = between + (n0 - 1) * within
    return scalar(np.where(scale > 0, (between - within) / np.where(scale > 0, scale, 1.0), 0.0))


def design_effect(c: ArrayLike, n: ArrayLike) -> float | FloatArray:
    """How many times larger the variance of the pooled rate is than with independent samples.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task.

    Returns
    -------
    float or ndarray
        1 + (sum n_j² / sum n_j - 1) rho with rho cut to [0, 1]; 1 with one sample a task.

    Raises
    ------
    InvalidInputError
        With fewer than two tasks.

    Notes
    -----
    Kish (1965), section 5.4; Miller (2024), arXiv:2411.00640, section 2.2, for language-model evaluations.
    """
    c_all, n_all = _two_tasks(c, n)
    total = n_all.sum(axis=-1)
    if (total == c_all.shape[-1]).all():
        return scalar(np.ones(total.shape))
    rho = np.clip(intra_task_correlation(c_all, n_all), 0.0, 1.0)
    return scalar(1.0 + ((n_all.astype(np.float64) ** 2).sum(axis=-1) / total - 1.0) * rho)


def effective_sample_size(c: ArrayLike, n: ArrayLike) -> float | FloatArray:
    """How many independent samples the evaluation is worth: all samples over :func:`design_effect`.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task.

    Returns
    -------
    float or ndarray
        At least about the number of tasks, at most the number of samples.

    Raises
    ------
    InvalidInputError
        With fewer than two tasks.
    """
    c_all, n_all = _two_tasks(c, n)
    return scalar(n_all.sum(axis=-1) / np.asarray(design_effect(c_all, n_all)))


def standard_error(c: ArrayLike, n: ArrayLike, estimand: Estimand = "tasks-like-these") -> float | FloatArray:
    """Return the standard error of the mean pass rate over tasks.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task.
    estimand : {"tasks-like-these", "these-tasks"}
        Whether the tasks are a sample of a population, or all there is and only samples are random.

    Returns
    -------
    float or ndarray
        Its square is unbiased. 0 where all tasks (or all samples of each task) agree, which is no certainty: quote
        :func:`pass_rate_interval` instead.

    Raises
    ------
    InvalidInputError
        With fewer than two tasks (tasks like these), with one sample in any task (these tasks), or for another
        estimand.
    """
    if estimand == "tasks-like-these":
        c_all, n_all = _two_tasks(c, n)
        return scalar((c_all / n_all).std(axis=-1, ddof=1) / np.sqrt(c_all.shape[-1]))
    if estimand != "these-tasks":
        raise InvalidInputError(f"{estimand!r} has no standard error from one run's counts", where="estimand")
    passes, samples = task_counts(c, n)
    if (samples < 2).any():
        raise InvalidInputError("a task with one sample says nothing of the spread within it", where="n")
    spread = passes * (samples - passes) / (samples.astype(np.float64) ** 2 * (samples - 1))
    return scalar(np.sqrt(spread.sum(axis=-1)) / passes.shape[-1])


def _two_tasks(c: ArrayLike, n: ArrayLike) -> tuple[FloatArray, FloatArray]:
    c_all, n_all = task_counts(c, n)
    if c_all.shape[-1] < 2:
        raise InvalidInputError("one task says nothing of the spread between tasks", where="c")
    return c_all.astype(np.float64), n_all.astype(np.float64)
