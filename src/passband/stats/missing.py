"""From samples to counts, and what missing samples could do at most."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import counts, whole_numbers
from passband.stats._result import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["missing_bounds", "success_counts"]


def success_counts(passed: ArrayLike, present: ArrayLike | None = None) -> tuple[IntArray, IntArray]:
    """Count passes and samples of each task.

    Parameters
    ----------
    passed : array_like of bool, shape (..., tasks, samples)
        Whether each sample passed; anything where `present` is false.
    present : array_like of bool, same shape, optional
        Which samples there are; all where left out.

    Returns
    -------
    c, n : ndarray of int, shape (..., tasks)
        Tasks without a sample have n = 0: leave them out before estimating.

    Raises
    ------
    InvalidInputError
        Where `passed` is not boolean (or 0 and 1) or the shapes differ.

    Examples
    --------
    >>> c, n = success_counts([[True, False], [True, True]], [[True, True], [True, False]])
    >>> c.tolist(), n.tolist()
    ([1, 1], [2, 1])
    """
    marks = np.asarray(passed)
    there = np.ones(marks.shape, dtype=bool) if present is None else np.asarray(present)
    if marks.ndim < 2 or there.shape != marks.shape or there.dtype != bool:
        raise InvalidInputError(
            f"shapes {marks.shape} and {there.shape}", where="passed and present", fix="pass (tasks, samples) booleans"
        )
    if not np.isin(marks[there], (0, 1)).all():
        raise InvalidInputError("a sample that is neither passed nor failed", where="passed", fix="mark it not present")
    return (there & (marks == 1)).sum(axis=-1), there.sum(axis=-1)


def missing_bounds(c: ArrayLike, n: ArrayLike, scheduled: ArrayLike) -> tuple[float | FloatArray, float | FloatArray]:
    """Bound the mean pass rate over scheduled samples, whatever the missing ones would have done.

    Parameters
    ----------
    c, n : array_like of int, shape (..., tasks)
        Successes and graded samples; n may be 0 here.
    scheduled : array_like of int, shape (..., tasks)
        Samples that were wanted, at least one a task.

    Returns
    -------
    low, high : float or ndarray
        With every missing sample failed, and passed. A difference b - a lies between low of b minus high of a, and
        high of b minus low of a.

    Raises
    ------
    InvalidInputError
        Where c > n, n > scheduled, or a count makes no sense.

    Examples
    --------
    >>> low, high = missing_bounds([80], [90], [100])
    >>> low, high
    (0.8, 0.9)
    """
    graded, wanted = counts(n, scheduled)
    passes = whole_numbers(c, "c")
    if wanted.ndim == 0 or wanted.shape[-1] == 0 or passes.shape != graded.shape:
        raise InvalidInputError("one count a task is wanted", where="c, n and scheduled")
    if (passes > graded).any():
        raise InvalidInputError("more successes than samples in some task", where="c")
    low = (passes / wanted).mean(axis=-1)
    high = ((passes + wanted - graded) / wanted).mean(axis=-1)
    return scalar(low), scalar(high)
