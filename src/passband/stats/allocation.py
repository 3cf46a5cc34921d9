"""Where further samples shrink the variance of a pass rate most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import task_counts, whole_numbers
from passband.stats._table import distinct_pairs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["Allocation", "allocate_samples"]


@dataclass(frozen=True, slots=True)
class Allocation:
    """How many more samples each task gets.

    Attributes
    ----------
    extra : ndarray of int, shape (tasks,)
        Further samples of each task; they sum to the budget.
    total : ndarray of int, shape (tasks,)
        With those of the pilot.
    variance_before, variance_after, variance_even : float
        Variance of the mean pass rate over *these* tasks: from the pilot, with this allocation, and with the same
        budget spread evenly; all at the pass rates the pilot suggests.
    warnings : tuple of str
        What a reader must know before spending.
    """

    extra: IntArray
    total: IntArray
    variance_before: float
    variance_after: float
    variance_even: float
    warnings: tuple[str, ...] = ()


def allocate_samples(c: ArrayLike, n: ArrayLike, budget: int) -> Allocation:
    """Spend `budget` further samples where they shrink the variance of the mean over these tasks most.

    Parameters
    ----------
    c, n : array_like of int, shape (tasks,)
        Successes and samples of a pilot.
    budget : int
        Further samples, over all tasks.

    Returns
    -------
    Allocation
        The best whole-number allocation: no other has a smaller ``variance_after``.

    Raises
    ------
    InvalidInputError
        For impossible counts, more than one axis, or a negative budget.

    Notes
    -----
    Neyman (1934): samples in proportion to the standard deviation sqrt(p (1 - p)) of each task; for whole numbers the
    next sample always goes where ``p (1 - p) / (m (m + 1))`` is largest (Wright 2012, The American Statistician 66).
    The pilot's rates are Jeffreys' (c + 1/2) / (n + 1), so that a task without a success yet is not written off.

    Pooling pilot and further samples of a task whose share depended on the pilot biases its rate a little (see
    docs/methods/power.md for how much). The spread *between* tasks is untouched: for "tasks like these" add tasks.

    Examples
    --------
    >>> allocate_samples([0, 4, 8], [8, 8, 8], 24).extra
    array([ 3, 17,  4])
    """
    c_all, n_all = task_counts(c, n)
    if c_all.ndim != 1:
        raise InvalidInputError(f"one pilot at a time, not shape {c_all.shape}", where="c")
    left = int(whole_numbers(budget, "budget"))
    spread = _spread(c_all, n_all)
    total = _water_fill(c_all, n_all, left)
    tasks = len(total)
    even = n_all + left // tasks + (np.arange(tasks) < left % tasks)
    warnings = () if tasks > 1 else ("one task: there is nothing to allocate",)
    return Allocation(
        extra=total - n_all,
        total=total,
        variance_before=float((spread / n_all).sum()) / tasks**2,
        variance_after=float((spread / total).sum()) / tasks**2,
        variance_even=float((spread / even).sum()) / tasks**2,
        warnings=warnings,
    )


def _water_fill(c: IntArray, n: IntArray, budget: int) -> IntArray:
    """Give samples one by one to the largest gain ``spread / (m (m + 1))``, in one bisection for the last gain."""
    start, passes, index = distinct_pairs(n, c)
    tasks = np.bincount(index)
    spread = _spread(passes, start)

    def filled(gain: float) -> IntArray:
        level = np.ceil((np.sqrt(1.0 + 4.0 * spread / gain) - 1.0) / 2.0)
        return np.maximum(start, level.astype(np.int64))

    total_budget = int(n.sum()) + budget
    low = float((spread / (total_budget * (total_budget + 1.0))).min()) / 2.0
    high = float((spread / (start * (start + 1.0))).max()) * 2.0
    for _ in range(200):
        middle = float(np.sqrt(low * high))
        low, high = (middle, high) if filled(middle) @ tasks > total_budget else (low, middle)
    total = filled(high)[index]
    gains = _spread(c, n) / (total * (total + 1.0))
    for task in np.argsort(-gains, kind="stable")[: total_budget - int(total.sum())]:
        total[task] += 1
    return total


def _spread(c: IntArray, n: IntArray) -> FloatArray:
    rate = (c + 0.5) / (n + 1.0)
    return np.asarray(rate * (1.0 - rate), dtype=np.float64)
