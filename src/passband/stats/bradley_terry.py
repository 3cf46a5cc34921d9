"""Strengths from pairwise comparisons, with what is not known about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._numeric import expit, real_numbers, t_quantiles

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._numeric import BoolArray
    from passband.stats._result import FloatArray

__all__ = ["BradleyTerry", "bradley_terry"]


@dataclass(frozen=True, slots=True)
class BradleyTerry:
    """Strengths of systems that were compared in pairs.

    Attributes
    ----------
    strength : ndarray, shape (systems,)
        Log strengths, of mean 0: i beats j with log odds ``strength[i] - strength[j]``. Times 400 / ln 10 they are Elo
        points.
    low, high : ndarray, shape (systems,)
        Interval of each strength, against the mean of all. For two systems look at `win_low` and `win_high` instead.
    covariance : ndarray, shape (systems, systems)
        Of the strengths.
    win, win_low, win_high : ndarray, shape (systems, systems)
        Probability that the row's system beats the column's, and its interval.
    level : float
        Nominal coverage of each interval.
    log_likelihood : float
        At the strengths.
    method : str
        ``"information"``: comparisons independent; ``"tasks"``: clustered by task.
    n_systems : int
        How many systems there are.
    n_comparisons : float
        How many comparisons, a tie counting as one.
    n_tasks : int or None
        How many tasks, if comparisons were given task by task.
    warnings : tuple of str
        What a reader must know before quoting the numbers.
    """

    strength: FloatArray
    low: FloatArray
    high: FloatArray
    covariance: FloatArray
    win: FloatArray
    win_low: FloatArray
    win_high: FloatArray
    level: float
    log_likelihood: float
    method: str
    n_systems: int
    n_comparisons: float
    n_tasks: int | None = None
    warnings: tuple[str, ...] = ()


def bradley_terry(wins: ArrayLike, *, level: float = 0.95) -> BradleyTerry:
    """Fit the Bradley-Terry model by maximum likelihood.

    Parameters
    ----------
    wins : array_like, shape (systems, systems) or (tasks, systems, systems)
        ``wins[i, j]``: how often i beat j, a tie as half a win for each; the diagonal is 0. With a leading axis of
        tasks, comparisons on one task may depend on each other, and the variance is that of tasks (the sandwich).
    level : float
        Nominal coverage.

    Returns
    -------
    BradleyTerry
        Strengths, their covariance, and the probability of winning for each pair.

    Raises
    ------
    InvalidInputError
        For negative or misshapen counts, and where a group of systems never lost to the others, or never met them:
        its strength is then infinite, or unknown.

    Notes
    -----
    Bradley and Terry (1952), Biometrika 39; the condition for finite strengths is Ford's (1957). Newton's method on a
    concave likelihood. Not for the mean of pass rates: it answers who wins on a task, not by how much.

    Examples
    --------
    >>> fit = bradley_terry([[0, 7, 8], [3, 0, 6], [2, 4, 0]])
    >>> fit.strength.round(2), fit.win[0, 1].round(2)
    (array([ 0.74, -0.15, -0.59]), np.float64(0.71))
    """
    check_level(level)
    by_task = real_numbers(wins, "wins", at_least=0.0)
    if (
        by_task.ndim not in {2, 3}
        or by_task.shape[-1] != by_task.shape[-2]
        or by_task.shape[-1] < 2
        or not len(by_task)
    ):
        raise InvalidInputError(f"(systems, systems) are wanted, not shape {by_task.shape}", where="wins")
    if np.diagonal(by_task, axis1=-2, axis2=-1).any():
        raise InvalidInputError("a system can't be compared with itself", where="wins")
    total = by_task.sum(axis=0) if by_task.ndim == 3 else by_task
    _check_connected(total > 0.0)
    strength = _fit(total)
    bread = _inverse(_information(total, strength))
    tasks = len(by_task) if by_task.ndim == 3 else None
    covariance, df, warnings = bread, np.inf, []
    if tasks == 1:
        warnings.append("one task: comparisons are taken as independent")
    elif tasks is not None:
        scores = by_task.sum(axis=-1) - (
            (by_task + by_task.swapaxes(-2, -1)) * expit(strength[:, None] - strength)
        ).sum(axis=-1)
        covariance = bread @ (scores.T @ scores * (tasks / (tasks - 1.0))) @ bread
        df = tasks - 1.0
        if tasks < 10:
            warnings.append(f"{tasks} tasks: the variance between tasks is itself uncertain")
    quantile = float(t_quantiles((1.0 + level) / 2.0, df))
    half = quantile * np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
    gap = strength[:, None] - strength
    own = np.diagonal(covariance)
    gap_half = quantile * np.sqrt(np.maximum(own[:, None] + own - 2.0 * covariance, 0.0))
    return BradleyTerry(
        strength=strength,
        low=strength - half,
        high=strength + half,
        covariance=covariance,
        win=expit(gap),
        win_low=expit(gap - gap_half),
        win_high=expit(gap + gap_half),
        level=level,
        log_likelihood=float((total * -np.logaddexp(0.0, -gap)).sum()),
        method="tasks" if np.isfinite(df) else "information",
        n_systems=len(strength),
        n_comparisons=float(total.sum()),
        n_tasks=tasks,
        warnings=tuple(warnings),
    )


def _check_connected(beat: BoolArray) -> None:
    """Strengths are finite when each system can be reached from each other along wins (Ford 1957)."""
    reach = beat | np.eye(len(beat), dtype=bool)
    for _ in range(max(int(len(beat) - 1).bit_length(), 1)):
        reach = (reach.astype(np.int64) @ reach.astype(np.int64)) > 0
    if reach.all():
        return
    # Whom nobody outside beat: the systems that reach a given one, for the one that fewest reach.
    unbeaten = np.flatnonzero(reach[:, int(reach.sum(axis=0).argmin())])
    names = ", ".join(str(i) for i in unbeaten.tolist())
    met = (beat | beat.T)[unbeaten][:, np.setdiff1d(np.arange(len(beat)), unbeaten)].any()
    if met:
        raise InvalidInputError(
            f"system(s) {names} never lost to the others: no finite strength fits", where="wins", fix="add comparisons"
        )
    raise InvalidInputError(f"system(s) {names} never met the others", where="wins", fix="add comparisons")


def _fit(total: FloatArray) -> FloatArray:
    strength = np.zeros(len(total))
    met = total + total.T

    def log_likelihood(at: FloatArray) -> float:
        return float((total * -np.logaddexp(0.0, at - at[:, None])).sum())

    for _ in range(200):
        score = total.sum(axis=1) - (met * expit(strength[:, None] - strength)).sum(axis=1)
        step = _inverse(_information(total, strength)) @ score
        now = log_likelihood(strength)
        while log_likelihood(strength + step) < now - 1e-12 * abs(now):
            step = step / 2.0
        strength = strength + step
        if np.abs(step).max() < 1e-12:
            break
    return np.asarray(strength - strength.mean(), dtype=np.float64)


def _information(total: FloatArray, strength: FloatArray) -> FloatArray:
    win = expit(strength[:, None] - strength)
    pairs = (total + total.T) * win * (1.0 - win)
    return np.diag(pairs.sum(axis=1)) - pairs


def _inverse(information: FloatArray) -> FloatArray:
    """Invert on the strengths of mean 0: the information knows nothing of a shift of all."""
    size = len(information)
    shift = np.full((size, size), 1.0 / size)
    return np.asarray(np.linalg.inv(information + shift) - shift, dtype=np.float64)
