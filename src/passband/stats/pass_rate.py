"""The interval of a benchmark's pass rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, task_counts
from passband.stats._mean import clustered_bounds, count_variance, fixed_task_bounds, harmonic_total, t_bounds
from passband.stats._result import Estimate, scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand

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
        ``"auto"``, or ``"wilson-cluster"`` (its choice) or ``"t"`` for tasks like these and ``"stratified-wilson"``
        for these tasks.
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
    """
    c_all, n_all = task_counts(c, n)
    check_level(level)
    rates = c_all / n_all
    harmonic = harmonic_total(n_all)
    warnings: tuple[str, ...] = ()
    low, high = None, None
    if estimand == "tasks-like-these":
        method = "wilson-cluster" if method == "auto" else method
        if method not in {"wilson-cluster", "t"}:
            raise InvalidInputError(f"{method!r} is unknown for {estimand}", where="method")
        if rates.shape[-1] == 1:
            warnings = (ONE_TASK,)
        elif method == "wilson-cluster":
            variance = count_variance(c_all, n_all)
            low, high = clustered_bounds(rates.mean(axis=-1), variance, rates.shape[-1], harmonic, level)
        else:
            low, high = t_bounds(rates, level)
    elif estimand == "these-tasks":
        method = "stratified-wilson" if method == "auto" else method
        if method != "stratified-wilson":
            raise InvalidInputError(f"{method!r} is unknown for {estimand}", where="method")
        single = n_all < 2
        spread = np.where(single, 0.0, rates * (1 - rates) / np.maximum(n_all - 1, 1)).sum(axis=-1)
        variance = np.where(single.any(axis=-1), np.inf, spread / rates.shape[-1] ** 2)
        warnings = (ONE_SAMPLE,) if single.any() else ()
        low, high = fixed_task_bounds(rates.mean(axis=-1), variance, harmonic, level)
    else:
        raise InvalidInputError(f"{estimand!r} is not an estimand of one run", where="estimand")
    total = n_all.sum(axis=-1)
    return Estimate(
        value=scalar(rates.mean(axis=-1)),
        low=None if low is None else scalar(low),
        high=None if high is None else scalar(high),
        level=level,
        method=method,
        estimand=estimand,
        n_tasks=rates.shape[-1],
        n_samples=int(total) if total.ndim == 0 else total,
        warnings=warnings,
    )
