"""Curves over k, with intervals that hold for all k at once.

Values of one task at different k move together, so a Bonferroni bound over many k would be far too wide. The level of
each interval comes from the largest of correlated normals instead (the sup-t band: Montiel Olea and Plagborg-Møller
2019, Journal of Applied Econometrics 34).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, task_counts, whole_numbers
from passband.stats.at_k import pass_at_k_interval, pass_hat_k_interval
from passband.stats.paired_at_k import paired_at_k_difference
from passband.stats.pass_at_k import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from passband.stats._result import Estimand, Estimate, FloatArray, IntArray
    from passband.stats.paired_values import PairedMean

__all__ = ["paired_curve_difference", "pass_at_k_band", "pass_hat_k_band"]

_DRAWS = 50_000  # moves the level by less than 0.001
_SEED = 0


def pass_at_k_band(
    c: ArrayLike, n: ArrayLike, ks: Sequence[int], estimand: Estimand = "tasks-like-these", level: float = 0.95
) -> tuple[Estimate, ...]:
    """Mean pass@k for several k, with intervals that cover all of them at once.

    Parameters
    ----------
    c, n : array_like of int, shape (tasks,)
        Successes and samples of each task.
    ks : sequence of int
        Attempts allowed; no k above the least n.
    estimand : {"tasks-like-these", "these-tasks"}
        As for :func:`passband.stats.pass_at_k_interval`.
    level : float
        Wanted chance that the whole curve is covered.

    Returns
    -------
    tuple of Estimate
        One for each k; `level` of each is its pointwise level.

    Raises
    ------
    InvalidInputError
        As for :func:`passband.stats.pass_at_k_interval`, and with no k.

    Examples
    --------
    >>> band = pass_at_k_band([1, 4, 8, 0, 6, 2], 8, [1, 2, 4])
    >>> [round(e.value, 3) for e in band]
    [0.438, 0.577, 0.712]
    """
    c_all, n_all, k_all = _one_run(c, n, ks)
    values = np.asarray(pass_at_k(n_all, c_all, k_all[:, None]))
    each = _pointwise_level(values, level)
    return tuple(_simultaneous(pass_at_k_interval(c_all, n_all, k, estimand, each)) for k in k_all.tolist())


def pass_hat_k_band(
    c: ArrayLike, n: ArrayLike, ks: Sequence[int], estimand: Estimand = "tasks-like-these", level: float = 0.95
) -> tuple[Estimate, ...]:
    """Mean pass^k for several k, with intervals that cover all of them at once.

    Parameters
    ----------
    c, n, ks, estimand, level
        As for :func:`pass_at_k_band`.

    Returns
    -------
    tuple of Estimate
        As for :func:`pass_at_k_band`.

    Raises
    ------
    InvalidInputError
        As for :func:`pass_at_k_band`.
    """
    c_all, n_all, k_all = _one_run(c, n, ks)
    values = np.asarray(pass_hat_k(n_all, c_all, k_all[:, None]))
    each = _pointwise_level(values, level)
    return tuple(_simultaneous(pass_hat_k_interval(c_all, n_all, k, estimand, each)) for k in k_all.tolist())


def paired_curve_difference(
    c_a: ArrayLike, n_a: ArrayLike, c_b: ArrayLike, n_b: ArrayLike, ks: Sequence[int], *, level: float = 0.95
) -> tuple[PairedMean, ...]:
    """Difference b - a of pass@k for several k on the same tasks, with intervals that hold for all k at once.

    Whether two curves cross is a question about all k together: they do where one interval of this band lies above 0
    and another below.

    Parameters
    ----------
    c_a, n_a, c_b, n_b : array_like of int, shape (tasks,)
        Successes and samples of the baseline and of the candidate.
    ks : sequence of int
        Attempts allowed; no k above the least n.
    level : float
        Wanted chance that the whole curve of differences is covered.

    Returns
    -------
    tuple of PairedMean
        One for each k.

    Raises
    ------
    InvalidInputError
        Where the two hold different numbers of tasks, and as for :func:`pass_at_k_band`.
    """
    ca, na, k_all = _one_run(c_a, n_a, ks)
    cb, nb, _ = _one_run(c_b, n_b, ks)
    if len(ca) != len(cb):
        raise InvalidInputError(f"{len(ca)} tasks against {len(cb)}", where="c_a and c_b", fix="pass the shared tasks")
    a, b = (np.asarray(pass_at_k(n, c, k_all[:, None])) for n, c in ((na, ca), (nb, cb)))
    each = _pointwise_level(b - a, level)
    return tuple(paired_at_k_difference(ca, na, cb, nb, k, level=each) for k in k_all.tolist())


def _one_run(c: ArrayLike, n: ArrayLike, ks: Sequence[int]) -> tuple[IntArray, IntArray, IntArray]:
    c_all, n_all = task_counts(c, n)
    if c_all.ndim != 1:
        raise InvalidInputError("a band is of one evaluation, not of a batch", where="c")
    k_all = whole_numbers(ks, "ks", minimum=1)
    if k_all.ndim != 1 or k_all.size == 0:
        raise InvalidInputError("a list of k is wanted", where="ks")
    return c_all, n_all, k_all


def _pointwise_level(values: FloatArray, level: float) -> float:
    """Return the level of each interval at which all rows of values (k, tasks) are covered with chance `level`."""
    check_level(level)
    spread = values.std(axis=-1)
    moving = values[spread > 1e-12]
    if len(moving) < 2:
        return level
    eigenvalues, axes = np.linalg.eigh(np.corrcoef(moving))
    kept = eigenvalues > 1e-10 * eigenvalues[-1]
    loadings = axes[:, kept] * np.sqrt(eigenvalues[kept])
    normals = np.random.default_rng(_SEED).standard_normal((_DRAWS, loadings.shape[1]))
    largest = np.abs(normals @ loadings.T).max(axis=1)
    from scipy.special import ndtr

    pointwise = 1 - 2 * float(ndtr(-np.quantile(largest, level)))
    return min(max(pointwise, level), 1 - (1 - level) / len(moving))


def _simultaneous(estimate: Estimate) -> Estimate:
    return replace(estimate, method=f"{estimate.method}, simultaneous")
