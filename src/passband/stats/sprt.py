"""Wald's sequential probability ratio test: stop as soon as one of two pass rates is out of the question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import whole_numbers
from passband.stats._numeric import check_probability
from passband.stats._result import whole_scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from passband.stats._result import FloatArray, IntArray

__all__ = ["SequentialTest", "sprt"]


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Where a sequential test stands.

    One series gives numbers, a batch of them (leading axes) arrays.

    Attributes
    ----------
    decision : str or ndarray of str
        ``"p0"``, ``"p1"``, or ``"continue"`` where neither bound has been crossed yet.
    stopped_at : int or ndarray of int
        Samples used until the decision; all of them while it continues.
    path : ndarray, shape (..., samples)
        Log likelihood ratio of p1 to p0 after each sample; what follows the decision is for information.
    accept_below, reject_above : float
        The bounds: p0 at or below the first, p1 at or above the second.
    expected_p0, expected_p1 : float
        Samples needed on average under either rate, by Wald's approximation (overshoot neglected).
    p0, p1, alpha, beta : float
        The two rates and the errors that were asked for.
    """

    decision: str | NDArray[np.str_]
    stopped_at: int | IntArray
    path: FloatArray
    accept_below: float
    reject_above: float
    expected_p0: float
    expected_p1: float
    p0: float
    p1: float
    alpha: float
    beta: float


def sprt(passed: ArrayLike, p0: float, p1: float, *, alpha: float = 0.05, beta: float = 0.05) -> SequentialTest:
    """Test pass rate `p0` against `p1` sample by sample.

    Parameters
    ----------
    passed : array_like of int, shape (..., samples)
        0 or 1 for each sample, in the order they came. Samples must be independent with one rate: one of each task, or
        all of one task; samples of several tasks are neither.
    p0, p1 : float
        Null and alternative, strictly between 0 and 1, and different.
    alpha : float
        Wanted probability of deciding for p1 under p0.
    beta : float
        Wanted probability of deciding for p0 under p1.

    Returns
    -------
    SequentialTest
        Decision, and samples it took.

    Raises
    ------
    InvalidInputError
        For values other than 0 and 1, rates that are equal or not inside (0, 1), or ``alpha + beta >= 1``.

    Notes
    -----
    Wald (1945), Annals of Mathematical Statistics 16. With his bounds log((1 - beta) / alpha) and
    log(beta / (1 - alpha)) the true errors a, b satisfy a <= alpha / (1 - beta), b <= beta / (1 - alpha) and
    a + b <= alpha + beta. No test with such errors needs fewer samples on average under p0 or under p1.

    Examples
    --------
    >>> found = sprt([1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1], p0=0.5, p1=0.8)
    >>> found.decision, found.stopped_at
    ('p1', 10)
    """
    rates = check_probability(p0, "p0"), check_probability(p1, "p1")
    errors = check_probability(alpha, "alpha"), check_probability(beta, "beta")
    if p0 == p1:
        raise InvalidInputError("the two rates are equal", where="p0 and p1")
    if sum(errors) >= 1.0:
        raise InvalidInputError(f"{alpha} and {beta} leave no room between the bounds", where="alpha and beta")
    x = whole_numbers(passed, "passed")
    if x.ndim == 0 or x.shape[-1] == 0:
        raise InvalidInputError("at least one sample is wanted", where="passed")
    if x.max() > 1:
        raise InvalidInputError(f"{x.max()} is neither 0 nor 1", where="passed")
    win, loss = math.log(p1 / p0), math.log((1.0 - p1) / (1.0 - p0))
    reject, accept = math.log((1.0 - beta) / alpha), math.log(beta / (1.0 - alpha))
    samples = np.arange(1, x.shape[-1] + 1)
    wins = x.cumsum(axis=-1)
    path = wins * win + (samples - wins) * loss
    crossed = (path >= reject) | (path <= accept)
    stopped = crossed.any(axis=-1)
    first = np.where(stopped, crossed.argmax(axis=-1), x.shape[-1] - 1)
    at = np.take_along_axis(path, first[..., None], -1)[..., 0]
    decision = np.where(~stopped, "continue", np.where(at >= reject, "p1", "p0"))
    drifts = [rate * win + (1.0 - rate) * loss for rate in rates]
    return SequentialTest(
        decision=str(decision) if decision.ndim == 0 else decision,
        stopped_at=whole_scalar(first + 1),
        path=path,
        accept_below=accept,
        reject_above=reject,
        expected_p0=((1.0 - alpha) * accept + alpha * reject) / drifts[0],
        expected_p1=(beta * accept + (1.0 - beta) * reject) / drifts[1],
        p0=p0,
        p1=p1,
        alpha=alpha,
        beta=beta,
    )
