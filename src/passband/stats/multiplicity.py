"""Many claims at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, fractions
from passband.stats.pass_rate import pass_rate_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand, Estimate, FloatArray

__all__ = ["adjust_p", "simultaneous_intervals"]


def adjust_p(p: ArrayLike, method: str = "holm") -> FloatArray:
    """Adjust p-values for their number: reject those that are at most alpha after it.

    Parameters
    ----------
    p : array_like, shape (..., claims)
        P-values.
    method : {"holm", "hochberg", "bonferroni", "bh", "by"}
        "holm" and "bonferroni" bound the chance of one false claim for any dependence, "hochberg" for p-values that
        are independent or positively dependent. "bh" (Benjamini-Hochberg) and "by" (Benjamini-Yekutieli, any
        dependence) bound the expected share of false claims among those made: for screening.

    Returns
    -------
    ndarray, shape (..., claims)
        Adjusted p-values, in the order given and never above 1.

    Raises
    ------
    InvalidInputError
        Where a p-value is not in [0, 1], there is none, or `method` is unknown.

    Notes
    -----
    Holm (1979); Hochberg (1988); Benjamini and Hochberg (1995); Benjamini and Yekutieli (2001).

    Examples
    --------
    >>> adjust_p([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = fractions(p, "p")
    if values.ndim == 0 or values.shape[-1] == 0:
        raise InvalidInputError("there is no p-value", where="p")
    claims = values.shape[-1]
    if method == "bonferroni":
        return np.asarray(np.minimum(values * claims, 1.0))
    order = np.argsort(values, axis=-1, kind="stable")
    ascending = np.take_along_axis(values, order, axis=-1)
    rank = np.arange(1, claims + 1)
    if method == "holm":
        adjusted = np.maximum.accumulate(ascending * (claims + 1 - rank), axis=-1)
    elif method in {"hochberg", "bh", "by"}:
        factor = {"hochberg": claims + 1.0 - rank, "bh": claims / rank, "by": claims / rank * (1.0 / rank).sum()}
        adjusted = np.minimum.accumulate((ascending * factor[method])[..., ::-1], axis=-1)[..., ::-1]
    else:
        raise InvalidInputError(
            f"{method!r} is unknown", where="method", fix="use 'holm', 'hochberg', 'bonferroni', 'bh' or 'by'"
        )
    out = np.empty_like(values)
    np.put_along_axis(out, order, np.minimum(adjusted, 1.0), axis=-1)
    return out


def simultaneous_intervals(
    groups: Sequence[tuple[ArrayLike, ArrayLike]], estimand: Estimand = "tasks-like-these", level: float = 0.95
) -> tuple[Estimate, ...]:
    """Pass rates of several groups of tasks, with intervals that all hold at once.

    Parameters
    ----------
    groups : sequence of (c, n)
        Successes and samples of the tasks of each group; groups may share tasks.
    estimand : {"tasks-like-these", "these-tasks"}
        As for :func:`passband.stats.pass_rate_interval`.
    level : float
        Wanted chance that all intervals cover.

    Returns
    -------
    tuple of Estimate
        One a group, each at the level 1 - (1 - level) / groups (Bonferroni: whatever their dependence).

    Raises
    ------
    InvalidInputError
        With no group, and as for :func:`passband.stats.pass_rate_interval`.

    Examples
    --------
    >>> [round(e.level, 3) for e in simultaneous_intervals([([1, 0, 1], 1), ([0, 0, 1], 1)])]
    [0.975, 0.975]
    """
    if not groups:
        raise InvalidInputError("there is no group", where="groups")
    each = 1 - (1 - check_level(level)) / len(groups)
    return tuple(pass_rate_interval(c, n, estimand, level=each) for c, n in groups)
