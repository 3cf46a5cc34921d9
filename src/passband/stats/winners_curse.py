"""How much the best of several noisy scores overstates: the winner's curse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import whole_numbers
from passband.stats._numeric import real_numbers
from passband.stats._result import scalar, whole_scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["WinnersCurse", "expected_maximum", "winners_curse"]


def expected_maximum(m: ArrayLike) -> float | FloatArray:
    """Return the mean of the largest of `m` independent standard normal numbers.

    Parameters
    ----------
    m : int or array_like of int
        How many there are, at least 1.

    Returns
    -------
    float or ndarray
        E[max Z_i], to 1e-12: 0 for m = 1, 1 / sqrt(pi) for m = 2, 1.4236 for m = 8; it grows like sqrt(2 log m).

    Raises
    ------
    InvalidInputError
        Where `m` is not a whole number of at least 1.

    Notes
    -----
    E[max] is the integral over x > 0 of 1 - Phi(x)^m - Phi(-x)^m, by Gauss-Legendre quadrature in 32 panels.

    Examples
    --------
    >>> round(expected_maximum(8), 4)
    1.4236
    """
    from scipy.special import log_ndtr

    size = whole_numbers(m, "m", minimum=1).astype(np.float64)[..., None]
    nodes, weights = np.polynomial.legendre.leggauss(16)
    edges = np.linspace(0.0, 16.0, 33)
    half = (edges[1:] - edges[:-1]) / 2.0
    x = (edges[:-1, None] + half[:, None] * (1.0 + nodes)).ravel()
    w = (half[:, None] * weights).ravel()
    integrand = -np.expm1(size * log_ndtr(x)) - np.exp(size * log_ndtr(-x))
    return scalar(np.where(size[..., 0] == 1.0, 0.0, integrand @ w))


@dataclass(frozen=True, slots=True)
class WinnersCurse:
    """The best score, and how much of it is luck.

    One set of candidates gives floats, a batch (leading axes) arrays.

    Attributes
    ----------
    chosen : int or ndarray of int
        Index of the best score; of equal ones the first.
    score : float or ndarray
        Its score, as observed.
    inflation : float or ndarray
        Expected excess of the best observed score over the truth of the candidate it chooses, for candidates as
        far apart as these seem to be.
    inflation_if_equal : float or ndarray
        The same if all candidates were equally good: the largest it can be.
    corrected : float or ndarray
        ``score - inflation``.
    spread : float or ndarray
        Estimated standard deviation of the candidates' true scores; 0 where noise explains all of it.
    n_candidates : int
        How many were compared.
    warnings : tuple of str
        What a reader must know before quoting the numbers.
    """

    chosen: int | IntArray
    score: float | FloatArray
    inflation: float | FloatArray
    inflation_if_equal: float | FloatArray
    corrected: float | FloatArray
    spread: float | FloatArray
    n_candidates: int
    warnings: tuple[str, ...] = ()


def winners_curse(scores: ArrayLike, se: ArrayLike, rho: float = 0.0) -> WinnersCurse:
    """Estimate how much the best of `scores` overstates the candidate behind it.

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Observed scores of every candidate that was looked at: checkpoints, prompts, temperatures.
    se : float or array_like
        Standard errors of the scores; broadcasts with `scores`.
    rho : float
        Correlation between the errors of two candidates, 0 <= rho < 1: high where they ran on the same tasks, and
        errors that all share choose nobody.

    Returns
    -------
    WinnersCurse
        The statement is about the procedure, not about this one outcome, whose excess nobody can know.

    Raises
    ------
    InvalidInputError
        With no candidate, a negative `se`, or `rho` outside [0, 1).

    Notes
    -----
    With equal candidates and equal errors the inflation is ``se sqrt(1 - rho)`` times :func:`expected_maximum`. In
    general it is E[error of argmax (truth + error)], by quadrature, at truths that are estimated by shrinking the
    scores to their mean until their variance is the observed one less that of the errors (constrained empirical
    Bayes: Louis 1984, JASA 79). Unshrunken scores lie too far apart and would understate the inflation.

    Examples
    --------
    >>> curse = winners_curse([0.74, 0.75, 0.76, 0.74], se=0.02)
    >>> round(curse.inflation, 4), round(curse.corrected, 3)
    (0.0206, 0.739)
    """
    x, errors = _candidates(scores, se, rho)
    m = x.shape[-1]
    noise = errors**2 * (1.0 - rho)
    centre = x.mean(axis=-1, keepdims=True)
    observed = x.var(axis=-1, ddof=1) if m > 1 else np.zeros(x.shape[:-1])
    spread = np.maximum(observed - noise.mean(axis=-1), 0.0)
    kept = np.where(observed > 0.0, spread / np.where(observed > 0.0, observed, 1.0), 0.0)
    truths = centre + np.sqrt(kept)[..., None] * (x - centre)
    chosen = x.argmax(axis=-1)
    best = x.max(axis=-1)
    inflation = _chosen_error(truths, errors, rho)
    few = m > 1 and m < 4
    return WinnersCurse(
        chosen=whole_scalar(chosen),
        score=scalar(best),
        inflation=scalar(inflation),
        inflation_if_equal=scalar(_chosen_error(np.zeros_like(x), errors, rho)),
        corrected=scalar(best - inflation),
        spread=scalar(np.sqrt(spread)),
        n_candidates=m,
        warnings=(f"{m} candidates hardly tell how far apart candidates are",) if few else (),
    )


def _candidates(scores: ArrayLike, se: ArrayLike, rho: float) -> tuple[FloatArray, FloatArray]:
    x = real_numbers(scores, "scores")
    if x.ndim == 0 or x.shape[-1] == 0:
        raise InvalidInputError("at least one candidate is wanted", where="scores")
    if not 0.0 <= rho < 1.0:
        raise InvalidInputError(f"{rho} is not in [0, 1)", where="rho")
    errors = real_numbers(se, "se", at_least=0.0)
    try:
        return x, np.broadcast_to(errors, x.shape)
    except ValueError:
        raise InvalidInputError(f"shape {errors.shape} does not fit scores of shape {x.shape}", where="se") from None


def _chosen_error(truths: FloatArray, se: FloatArray, rho: float) -> FloatArray:
    """E[error of the winner], errors being sqrt(rho) se_i W + sqrt(1 - rho) se_i Z_i with one W for all."""
    largest = se.max(axis=-1)
    own = np.sqrt(1.0 - rho) * np.maximum(se, 1e-9 * largest[..., None])
    alike = bool(np.allclose(se, largest[..., None], rtol=1e-12))
    shared_nodes, shared_weights = np.array([0.0]), np.array([1.0])
    if rho > 0.0 and not alike:  # equal shares of W move all candidates together and choose nobody
        shared_nodes, shared_weights = _hermite(24)
    total = np.zeros(truths.shape[:-1])
    for w, weight in zip(shared_nodes, shared_weights, strict=True):
        shift = np.sqrt(rho) * se * w
        total = total + weight * _winner_given(truths + shift, own, shift)
    return np.where(largest > 0.0, total, 0.0)


def _winner_given(centres: FloatArray, own: FloatArray, shift: FloatArray) -> FloatArray:
    """Sum over candidates of E[(shift_i + own_i Z) P(all others are lower | Z)]."""
    from scipy.special import log_ndtr

    z, weights = _hermite(64)
    total = np.zeros(centres.shape[:-1])
    scale = np.where(own > 0.0, own, 1.0)
    for i in range(centres.shape[-1]):
        at = centres[..., i, None] + own[..., i, None] * z
        with np.errstate(over="ignore"):  # an error of next to nothing: infinitely many of them lie between two scores
            others = log_ndtr((at[..., None, :] - centres[..., :, None]) / scale[..., :, None])
        lower = np.exp(others.sum(axis=-2) - others[..., i, :])
        total = total + ((shift[..., i, None] + own[..., i, None] * z) * lower) @ weights
    return total


def _hermite(size: int) -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.hermite_e.hermegauss(size)
    return nodes, weights / weights.sum()
