"""Two systems on the same tasks, compared at several tries: pass@k and pass^k."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import task_counts
from passband.stats.paired_values import PairedMean, paired_mean_difference
from passband.stats.pass_at_k import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["CurveKind", "paired_at_k_difference"]

CurveKind = Literal["pass@k", "pass^k"]


def paired_at_k_difference(
    c_a: ArrayLike,
    n_a: ArrayLike,
    c_b: ArrayLike,
    n_b: ArrayLike,
    k: int,
    *,
    kind: CurveKind = "pass@k",
    level: float = 0.95,
) -> PairedMean:
    """Compare b with a at `k` tries by Student's t over per-task differences.

    Parameters
    ----------
    c_a, n_a, c_b, n_b : array_like of int, shape (tasks,)
        Successes and samples of the baseline and of the candidate.
    k : int
        Tries; no more than the least n.
    kind : {"pass@k", "pass^k"}
        Whether any of the tries passes, or all of them.
    level : float
        Nominal coverage.

    Returns
    -------
    PairedMean
        Its law has the doubt of one sample, which weighs k times as much in the value as in the rate: without it,
        tasks of which every one gives 0, or 1, on both sides would show a difference of nothing, to any precision.

    Raises
    ------
    InvalidInputError
        Where the two hold different numbers of tasks, or `k` is above some n.

    Examples
    --------
    >>> found = paired_at_k_difference([0, 0, 0, 0, 1], 8, [0, 0, 0, 0, 0], 8, 4, kind="pass^k")
    >>> float(found.estimate.value), found.estimate.low < -0.05
    (0.0, True)
    """
    ca, na = task_counts(c_a, n_a)
    cb, nb = task_counts(c_b, n_b)
    if ca.shape[-1] != cb.shape[-1]:
        raise InvalidInputError(
            f"{ca.shape[-1]} tasks against {cb.shape[-1]}", where="c_a and c_b", fix="pass the shared tasks"
        )
    function = pass_at_k if kind == "pass@k" else pass_hat_k
    sample = float(((1.0 / na + 1.0 / nb) / 2).mean())
    return paired_mean_difference(
        np.asarray(function(na, ca, k), dtype=np.float64),
        np.asarray(function(nb, cb, k), dtype=np.float64),
        level=level,
        grain=min(1.0, k * sample),
    )
