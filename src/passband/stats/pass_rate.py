"""The interval of a benchmark's pass rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, task_counts
from passband.stats._mean import binomial_ends, fixed_size, harmonic_total, rate_size
from passband.stats._quantile import t_quantile
from passband.stats._result import Estimate, optional_scalar, scalar, whole_scalar
from passband.stats.binomial import clopper_pearson_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand, FloatArray, IntArray

__all__ = ["pass_rate_interval"]

ONE_TASK = "one task tells nothing of tasks like it: no interval"
ONE_SAMPLE = "one sample in some task: the spread within tasks is taken at its largest"


def pass_rate_interval(
    c: ArrayLike,
    n: ArrayLike,
    estimand: Estimand = "tasks-like-these",
    method: str = "auto",
    level: float = 0.95,
) -> Estimate:
    """Mean pass rate over tasks (pass@1), with its interval.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and samples of each task, at least one sample in each.
    estimand : {"tasks-like-these", "these-tasks"}
        Whether the tasks are a sample of a population, or all there is and only samples are random.
    method : str
        "auto" is "wilson-cluster" for tasks like these and "stratified-wilson" for these tasks. Others, all for tasks
        like these: "t" (Student's over task rates), "percentile" and "bca" (exact bootstraps), "bootstrap-t" (9,999
        resamples from a fixed seed), "beta-binomial" (the credible interval of
        :func:`passband.stats.hierarchical_beta_binomial`; a batch takes one posterior a row).
    level : float
        Nominal coverage.

    Returns
    -------
    Estimate
        Every task counts the same, however many samples it has. With one task and "tasks-like-these" there is a value
        and no interval.

    Raises
    ------
    InvalidInputError
        For an estimand or method that is unknown or do not fit together; where c > n, n < 1, there is no task, or a
        count is not whole.

    Notes
    -----
    "wilson-cluster": Wilson's interval at the effective number of samples m (1 - m) / v, kept between the number of
    tasks and the number of samples, with Student's t at N - 1 degrees of freedom; v is the variance of the task rates
    over N, raised to what a beta-binomial posterior of the intra-task correlation expects while tasks are few; each
    end is moved out to Clopper and Pearson's one-sided limit at 0.6 of the error where that lies further out. With
    one sample a task it covers at least 94% for every pass rate and every N from 5 to 500. docs/methods/intervals.md
    shows its coverage over 120 cells of populations and designs, and where no interval from so few tasks can cover.

    Examples
    --------
    >>> found = pass_rate_interval([3, 0, 4, 4, 1, 2], 4)
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.583, 0.222, 0.876)
    """
    c_all, n_all = task_counts(c, n)
    check_level(level)
    tasks = c_all.shape[-1]
    low: FloatArray | None = None
    high: FloatArray | None = None
    warnings: tuple[str, ...] = ()
    if estimand == "tasks-like-these":
        method = "wilson-cluster" if method == "auto" else method
        if method not in _METHODS:
            raise InvalidInputError(
                f"{method!r} is unknown for {estimand}", where="method", fix=f"use one of {', '.join(sorted(_METHODS))}"
            )
        if tasks == 1:
            warnings = (ONE_TASK,)
        else:
            low, high = _METHODS[method](c_all, n_all, level)
    elif estimand == "these-tasks":
        alone = tasks == 1 and method == "auto"
        method = "stratified-wilson" if method == "auto" else method
        if method != "stratified-wilson":
            raise InvalidInputError(
                f"{method!r} is unknown for {estimand}", where="method", fix="use 'stratified-wilson'"
            )
        if alone:  # a binomial count, for which there is an exact interval
            method = "clopper-pearson"
            found = clopper_pearson_interval(c_all[..., 0], n_all[..., 0], level=level)
            low, high = np.asarray(found.low), np.asarray(found.high)
        else:
            low, high = _stratified_wilson(c_all, n_all, level)
            warnings = (ONE_SAMPLE,) if (n_all < 2).any() else ()
    else:
        raise InvalidInputError(f"{estimand!r} is not an estimand of one run", where="estimand")
    return Estimate(
        value=scalar((c_all / n_all).mean(axis=-1)),
        low=optional_scalar(low),
        high=optional_scalar(high),
        level=level,
        method=method,
        estimand=estimand,
        n_tasks=tasks,
        n_samples=whole_scalar(n_all.sum(axis=-1)),
        warnings=warnings,
    )


def _wilson_cluster(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    return binomial_ends((c / n).mean(axis=-1), rate_size(c, n), c.shape[-1] - 1, 1 - level)


def _stratified_wilson(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    rates = c / n
    told = (n >= 2).all(axis=-1)
    spread = (rates * (1 - rates) / np.maximum(n - 1, 1)).sum(axis=-1)
    variance = np.where(told, spread / c.shape[-1] ** 2, np.inf)
    mean = rates.mean(axis=-1)
    df = np.where(told, (n - 1).sum(axis=-1), np.inf)
    return binomial_ends(mean, fixed_size(mean, variance, harmonic_total(n)), df, 1 - level)


def _student(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    rates = c / n
    tasks = c.shape[-1]
    half = t_quantile((1 + level) / 2, tasks - 1) * rates.std(axis=-1, ddof=1) / np.sqrt(tasks)
    mean = rates.mean(axis=-1)
    return np.maximum(mean - half, 0.0), np.minimum(mean + half, 1.0)


def _percentile(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    from passband.stats.bootstrap import bootstrap_ci

    found = bootstrap_ci(c / n, level, "percentile")
    return np.asarray(found.low), np.asarray(found.high)


def _bca(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    from passband.stats.bootstrap import bootstrap_ci

    found = bootstrap_ci(c / n, level, "bca")
    return np.asarray(found.low), np.asarray(found.high)


def _bootstrap_t(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    from passband.stats.bootstrap_t import bootstrap_t_ends

    return bootstrap_t_ends(c / n, level)


def _beta_binomial(c: IntArray, n: IntArray, level: float) -> tuple[FloatArray, FloatArray]:
    from passband.stats.hierarchical import hierarchical_beta_binomial

    shape = c.shape[:-1]
    rows = zip(c.reshape(-1, c.shape[-1]), n.reshape(-1, n.shape[-1]), strict=True)
    posteriors = [hierarchical_beta_binomial(c_row, n_row, level=level).mean for c_row, n_row in rows]
    low, high = (np.array([getattr(mean, end) for mean in posteriors]) for end in ("low", "high"))
    return low.reshape(shape), high.reshape(shape)


_METHODS = {
    "bca": _bca,
    "beta-binomial": _beta_binomial,
    "bootstrap-t": _bootstrap_t,
    "percentile": _percentile,
    "t": _student,
    "wilson-cluster": _wilson_cluster,
}
