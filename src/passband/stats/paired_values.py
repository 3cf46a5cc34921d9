"""Two systems on the same tasks where each task gives a value from 0 to 1 that is no count: pass@k, a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, fractions
from passband.stats._result import Estimate, optional_scalar, scalar
from passband.stats._t_law import TLaw, value_t_law
from passband.stats.pass_rate import ONE_TASK

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["PairedMean", "paired_mean_difference"]


@dataclass(frozen=True, slots=True)
class PairedMean:
    """Mean of b - a over tasks; floats, or arrays over leading axes.

    Attributes
    ----------
    estimate : Estimate
        The difference with its interval.
    p_value : float, ndarray or None
        Two-sided p of no difference, of the model that made the interval. None where there is none.
    rates : tuple of (float or ndarray)
        Means of a and of b.
    law : TLaw or None
        What interval and p-value are read off; :func:`passband.stats.decide` reads a verdict off it.
    """

    estimate: Estimate
    p_value: float | FloatArray | None
    rates: tuple[float | FloatArray, float | FloatArray]
    law: TLaw | None


def paired_mean_difference(
    a: ArrayLike, b: ArrayLike, *, level: float = 0.95, grain: float | None = None
) -> PairedMean:
    """Compare b with a by Student's t over per-task differences.

    Parameters
    ----------
    a, b : array_like, shape (..., tasks)
        One value in [0, 1] a task, the same tasks in the same order; leading axes broadcast.
    level : float
        Nominal coverage.
    grain : float, optional
        What one sample weighs in a task's value: 1/n for a rate of n samples, k/n for pass@k. With 1/n the interval
        is that of :func:`passband.stats.paired_difference`. Left out, values are taken to be exact.

    Returns
    -------
    PairedMean
        Where all differences are equal one imagined task is added, as in :func:`passband.stats.paired_difference`.

    Raises
    ------
    InvalidInputError
        Where the two hold different numbers of tasks or none, or a value lies outside [0, 1].

    Examples
    --------
    >>> found = paired_mean_difference([0.2, 0.4, 0.9], [0.5, 0.5, 1.0])
    >>> round(found.estimate.value, 4), found.p_value > 0.05
    (0.1667, True)
    """
    one, two = fractions(a, "a"), fractions(b, "b")
    if one.ndim == 0 or two.ndim == 0 or one.shape[-1] != two.shape[-1] or one.shape[-1] == 0:
        raise InvalidInputError(f"shapes {one.shape} and {two.shape} do not hold the same tasks", where="a and b")
    check_level(level)
    if grain is not None and not 0 < grain <= 1:
        raise InvalidInputError(f"{grain} is not in (0, 1]", where="grain")
    difference = two - one
    tasks = difference.shape[-1]
    low = high = p_value = law = None
    warnings: tuple[str, ...] = ()
    if tasks == 1:
        warnings = (ONE_TASK,)
    else:
        law = value_t_law(one, two, grain)
        low, high = (np.clip(end, -1.0, 1.0) for end in law.interval(level))
        p_value = law.p_value()
    return PairedMean(
        estimate=Estimate(
            value=scalar(difference.mean(axis=-1)),
            low=optional_scalar(low),
            high=optional_scalar(high),
            level=level,
            method="paired t",
            estimand="tasks-like-these",
            n_tasks=tasks,
            n_samples=tasks,
            warnings=warnings,
        ),
        p_value=optional_scalar(p_value),
        rates=(scalar(one.mean(axis=-1)), scalar(two.mean(axis=-1))),
        law=law,
    )
