"""Two systems on the same tasks: the difference b - a, task by task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, task_counts
from passband.stats._quantile import t_quantile
from passband.stats._result import Estimate, scalar
from passband.stats.sign_flip import sign_flip_p

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["PairedDifference", "paired_difference"]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """How far b is from a on the same tasks; floats, or arrays over leading axes.

    Attributes
    ----------
    estimate : Estimate
        Mean over tasks of rate(b) - rate(a), positive where b is better, with its interval.
    p_value : float, ndarray or None
        Two-sided p of no difference, from the model that made the interval: below 1 - level exactly where the
        interval leaves 0 out. None where there is no interval.
    sign_flip_p : float or ndarray
        Exact p under exchangeability of the two systems; with one sample a task, McNemar's exact p.
    mcnemar_mid_p : float, ndarray or None
        McNemar's mid-p, where every task has one sample.
    n_better, n_worse, n_equal : int or ndarray
        Tasks where b's rate is above, below, or at a's.
    se_paired, se_unpaired : float, ndarray or None
        Standard error of the difference with pairing, and what it would be had the two been run on separate task
        samples. None with one task.
    correlation : float, ndarray or None
        Correlation of the two systems' task rates, the source of the gain; 0 where one of them is constant.
    """

    estimate: Estimate
    p_value: float | FloatArray | None
    sign_flip_p: float | FloatArray
    mcnemar_mid_p: float | FloatArray | None
    n_better: int | IntArray
    n_worse: int | IntArray
    n_equal: int | IntArray
    se_paired: float | FloatArray | None
    se_unpaired: float | FloatArray | None
    correlation: float | FloatArray | None


def paired_difference(
    c_a: ArrayLike, n_a: ArrayLike, c_b: ArrayLike, n_b: ArrayLike, *, level: float = 0.95
) -> PairedDifference:
    """Compare b with a on the tasks both were run on.

    Parameters
    ----------
    c_a, n_a : array_like of int, shape (..., tasks)
        Successes and samples of the baseline.
    c_b, n_b : array_like of int, shape (..., tasks)
        Successes and samples of the candidate, the same tasks in the same order.
    level : float
        Nominal coverage.

    Returns
    -------
    PairedDifference
        Difference b - a, with everything a report shows of it.

    Raises
    ------
    InvalidInputError
        Where the two hold different numbers of tasks, and for counts that make no sense.
    """
    ca, na = task_counts(c_a, n_a)
    cb, nb = task_counts(c_b, n_b)
    if ca.shape[-1] != cb.shape[-1]:
        raise InvalidInputError(
            f"{ca.shape[-1]} tasks against {cb.shape[-1]}", where="paired_difference", fix="pass the shared tasks"
        )
    check_level(level)
    ca, na, cb, nb = np.broadcast_arrays(ca, na, cb, nb)
    tasks = ca.shape[-1]
    rate_a, rate_b = ca / na, cb / nb
    difference = rate_b - rate_a
    # One common step for all tasks: counts over the least common multiple of the sample numbers.
    step = np.lcm.reduce(np.concatenate([na.ravel(), nb.ravel()]))
    whole = cb * (step // nb) - ca * (step // na)
    better, worse = (whole > 0).sum(axis=-1), (whole < 0).sum(axis=-1)
    mean = difference.mean(axis=-1)
    low = high = p_value = se = se_unpaired = correlation = None
    warnings: tuple[str, ...] = ()
    if tasks == 1:
        warnings = ("one task tells nothing of tasks like it: no interval",)
    else:
        low, high, p_value = _t_interval(difference, level)
        va, vb = rate_a.var(axis=-1, ddof=1), rate_b.var(axis=-1, ddof=1)
        se = difference.std(axis=-1, ddof=1) / np.sqrt(tasks)
        se_unpaired = np.sqrt((va + vb) / tasks)
        scale = np.sqrt(va * vb)
        covariance = (va + vb - se**2 * tasks) / 2
        correlation = np.where(scale > 0, covariance / np.where(scale > 0, scale, 1.0), 0.0)
    mid_p = None
    exact = sign_flip_p(whole)
    if step == 1:
        mid_p = exact - _point_mass(better, worse)
    total = na.sum(axis=-1) + nb.sum(axis=-1)
    return PairedDifference(
        estimate=Estimate(
            value=scalar(mean),
            low=_optional(low),
            high=_optional(high),
            level=level,
            method="paired t",
            estimand="tasks-like-these",
            n_tasks=tasks,
            n_samples=_count(total),
            warnings=warnings,
        ),
        p_value=_optional(p_value),
        sign_flip_p=scalar(exact),
        mcnemar_mid_p=_optional(mid_p),
        n_better=_count(better),
        n_worse=_count(worse),
        n_equal=_count(tasks - better - worse),
        se_paired=_optional(se),
        se_unpaired=_optional(se_unpaired),
        correlation=_optional(correlation),
    )


def _t_interval(difference: FloatArray, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Student's interval and p; where all differences are equal, after adding one task at +1 and one at -1.

    Equal differences would give an interval of width zero. The two added tasks are the adjustment of Bonett and Price
    (2012) for paired proportions, here at its widest: as if each task were one sample.
    """
    from scipy.special import stdtr

    tasks = difference.shape[-1]
    mean = difference.mean(axis=-1)
    variance = difference.var(axis=-1, ddof=1)
    flat = np.ptp(difference, axis=-1) == 0
    added_mean = mean * tasks / (tasks + 2)
    added_variance = ((difference**2).sum(axis=-1) + 2 - (tasks + 2) * added_mean**2) / (tasks + 1)
    centre = np.where(flat, added_mean, mean)
    error = np.sqrt(np.where(flat, added_variance / (tasks + 2), variance / tasks))
    df = np.where(flat, tasks + 1, tasks - 1)
    quantile = np.where(flat, t_quantile((1 + level) / 2, tasks + 1), t_quantile((1 + level) / 2, tasks - 1))
    p_value = 2 * stdtr(df, -np.abs(centre) / error)
    return np.maximum(centre - quantile * error, -1.0), np.minimum(centre + quantile * error, 1.0), p_value


def _point_mass(better: IntArray, worse: IntArray) -> FloatArray:
    """Probability of the split seen among the discordant tasks, which the mid-p takes off; a tie stays at p = 1."""
    from scipy.special import gammaln

    total = better + worse
    log_mass = gammaln(total + 1) - gammaln(better + 1) - gammaln(worse + 1) - total * np.log(2.0)
    return np.asarray(np.where(better == worse, 0.0, np.exp(log_mass)), dtype=np.float64)


def _optional(values: FloatArray | None) -> float | FloatArray | None:
    return None if values is None else scalar(values)


def _count(values: IntArray) -> int | IntArray:
    return int(values) if np.ndim(values) == 0 else values
