"""Several systems on the same tasks: which of them may be the best, and which ranks each may hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, fractions
from passband.stats._t_law import value_t_law

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._numeric import BoolArray
    from passband.stats._result import FloatArray, IntArray

__all__ = ["BestSet", "best_set"]


@dataclass(frozen=True, slots=True)
class BestSet:
    """Which systems can't be told apart from the best; arrays hold an entry a system, in the order given.

    Attributes
    ----------
    means : ndarray of float
        Mean over tasks.
    leader : int
        The best observed mean; of equal ones the first.
    behind : ndarray of float
        The system is behind the best of the others by at least this much (0 or less: it may itself be the best).
    in_set : ndarray of bool
        ``behind <= 0``. The truly best system is in the set with probability `level` at least.
    rank_low, rank_high : ndarray of int
        Best and worst rank the system may hold; each end holds with probability `level`, and ``rank_low`` is above 1
        exactly where the system is not in the set.
    level : float
        Nominal coverage.
    n_tasks : int
        Tasks they share.
    """

    means: FloatArray
    leader: int
    behind: FloatArray
    in_set: BoolArray
    rank_low: IntArray
    rank_high: IntArray
    level: float
    n_tasks: int


def best_set(values: ArrayLike, *, level: float = 0.95, least: ArrayLike | None = None) -> BestSet:
    """Find the systems that the data can't tell apart from the best.

    Parameters
    ----------
    values : array_like, shape (systems, tasks)
        One value in [0, 1] a system and task: pass rates, scores.
    level : float
        Probability with which the best system is in the set.
    least : array_like, shape (systems, systems), optional
        Entry (i, j): the least that the mean of j less that of i can be, whatever values are missing. Where it is not
        above 0, nothing is claimed of j over i.

    Returns
    -------
    BestSet

    Raises
    ------
    InvalidInputError
        With fewer than two systems or two tasks, a value outside [0, 1], or `least` of another shape.

    Notes
    -----
    Subset selection (Gupta 1965, Technometrics 7) with paired differences: a system leaves the set where some other
    beats it by a one-sided paired t bound at 1 - (1 - level) / (systems - 1). For the true best each of those
    systems - 1 bounds fails with at most that probability, so by Bonferroni it stays. Counting the systems that beat
    one, and that it beats, by the same bounds gives the ends of its rank (Mogstad, Romano, Shaikh and Wilhelm 2024,
    Review of Economic Studies 91).

    Examples
    --------
    >>> found = best_set([[1, 1, 0, 1] * 10, [1, 1, 0, 0] * 10, [0, 0, 0, 0] * 10])
    >>> found.in_set.tolist(), found.rank_low.tolist()
    ([True, False, False], [1, 2, 3])
    """
    rates = fractions(values, "values")
    if rates.ndim != 2 or rates.shape[0] < 2 or rates.shape[1] < 2:
        raise InvalidInputError(f"two systems on two tasks at least, not shape {rates.shape}", where="values")
    check_level(level)
    systems, tasks = rates.shape
    two_sided = 1.0 - 2.0 * min((1.0 - level) / (systems - 1), 0.499)
    bounds = np.full((systems, systems), np.inf) if least is None else np.asarray(least, dtype=np.float64)
    if bounds.shape != (systems, systems):
        raise InvalidInputError(f"{systems} × {systems} are wanted, not shape {bounds.shape}", where="least")
    means = rates.mean(axis=-1)
    behind = np.empty(systems)
    beaten_by = np.empty(systems, dtype=np.int64)
    beats = np.empty(systems, dtype=np.int64)
    for i in range(systems):
        others = np.arange(systems) != i
        low, high = value_t_law(rates[i], rates[others]).interval(two_sided)
        low = np.where(bounds[i, others] > 0.0, low, np.minimum(low, 0.0))
        high = np.where(bounds[others, i] > 0.0, high, np.maximum(high, 0.0))
        behind[i] = low.max()
        beaten_by[i], beats[i] = (low > 0.0).sum(), (high < 0.0).sum()
    return BestSet(
        means=means,
        leader=int(means.argmax()),
        behind=behind,
        in_set=behind <= 0.0,
        rank_low=1 + beaten_by,
        rank_high=systems - beats,
        level=level,
        n_tasks=tasks,
    )
