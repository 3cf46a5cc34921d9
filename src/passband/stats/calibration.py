"""Whether a judge that says 80% turns out right in 80% of cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, whole_numbers
from passband.stats._numeric import check_choice, real_numbers
from passband.stats._quantile import normal_quantile
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["ReliabilityCurve", "reliability_curve"]


@dataclass(frozen=True, slots=True)
class ReliabilityCurve:
    """How often things come true, by how confident one was of them.

    Attributes
    ----------
    confidence, rate : ndarray, shape (bins,)
        Mean confidence and share that came true, in each bin that holds anything.
    low, high : ndarray, shape (bins,)
        Wilson's interval of the rate. A calibrated judge's confidence lies inside in 95% of bins.
    count : ndarray of int, shape (bins,)
        How many there are in each.
    ece : float
        Expected calibration error: mean over samples of |rate - confidence| of their bin.
    ece_if_calibrated : float
        What that would be, on average, for a perfectly calibrated judge with these confidences: chance alone.
    brier : float
        Mean squared distance of confidence and outcome.
    level : float
        Nominal coverage of each interval.
    n_samples : int
        How many samples there are.
    warnings : tuple of str
        What a reader must know before quoting the numbers.
    """

    confidence: FloatArray
    rate: FloatArray
    low: FloatArray
    high: FloatArray
    count: IntArray
    ece: float
    ece_if_calibrated: float
    brier: float
    level: float
    n_samples: int
    warnings: tuple[str, ...] = ()


def reliability_curve(
    confidence: ArrayLike,
    passed: ArrayLike,
    *,
    bins: int = 10,
    strategy: Literal["uniform", "quantile"] = "uniform",
    level: float = 0.95,
) -> ReliabilityCurve:
    """Compare a judge's confidence with what came true.

    Parameters
    ----------
    confidence : array_like, shape (samples,)
        Stated probabilities of passing.
    passed : array_like of int, shape (samples,)
        0 or 1: what people, or tests, say.
    bins : int
        How many bins.
    strategy : {"uniform", "quantile"}
        Bins of equal width over [0, 1], or of equally many samples.
    level : float
        Nominal coverage of each bin's interval.

    Returns
    -------
    ReliabilityCurve
        One point for each bin that holds anything.

    Raises
    ------
    InvalidInputError
        Without a sample, where shapes differ, or for values outside [0, 1].

    Notes
    -----
    The error is that of Naeini, Cooper and Hauskrecht (2015). It is above 0 even for a perfect judge, by chance: with
    q the bin's mean confidence that part is at most the mean absolute deviation of a binomial (de Moivre 1730:
    2 v C(n, v) q^v (1 - q)^(n - v + 1) with v = floor(n q) + 1), and is given beside it.

    Examples
    --------
    >>> curve = reliability_curve([0.9, 0.9, 0.9, 0.9, 0.2, 0.2], [1, 1, 0, 1, 0, 0], bins=5)
    >>> curve.rate, round(curve.ece, 3), round(curve.ece_if_calibrated, 3)
    (array([0.  , 0.75]), 0.167, 0.173)
    """
    check_level(level)
    check_choice(strategy, "strategy", ("uniform", "quantile"))
    number = int(whole_numbers(bins, "bins", minimum=1))
    stated = real_numbers(confidence, "confidence", at_least=0.0, at_most=1.0)
    true = whole_numbers(passed, "passed")
    if stated.ndim != 1 or stated.shape != true.shape or stated.size == 0:
        raise InvalidInputError(f"one of each a sample, not shapes {stated.shape} and {true.shape}", where="confidence")
    if true.max() > 1:
        raise InvalidInputError(f"{true.max()} is neither 0 nor 1", where="passed")
    inner = np.arange(1.0, number) / number
    edges = inner if strategy == "uniform" else np.quantile(stated, inner)
    _, place = np.unique(np.searchsorted(edges, stated, side="right"), return_inverse=True)
    count = np.bincount(place)
    mean = np.bincount(place, stated) / count
    rate = np.bincount(place, true) / count
    low, high = wilson_bounds(rate, count.astype(np.float64), normal_quantile((1.0 + level) / 2.0))
    share = count / stated.size
    few = int((count < 10).sum())
    return ReliabilityCurve(
        confidence=mean,
        rate=rate,
        low=low,
        high=high,
        count=count,
        ece=float(share @ np.abs(rate - mean)),
        ece_if_calibrated=float(share @ _chance_deviation(count, mean)),
        brier=float(((stated - true) ** 2).mean()),
        level=level,
        n_samples=stated.size,
        warnings=(f"{few} of {len(count)} bins hold fewer than 10 samples",) if few else (),
    )


def _chance_deviation(count: IntArray, q: FloatArray) -> FloatArray:
    """E|B / n - q| for B ~ Binomial(n, q)."""
    from scipy.special import gammaln, xlog1py, xlogy

    n = count.astype(np.float64)
    v = np.minimum(np.floor(n * q) + 1.0, n)
    log = gammaln(n + 1.0) - gammaln(v + 1.0) - gammaln(n - v + 1.0) + xlogy(v, q) + xlog1py(n - v + 1.0, -q)
    return np.asarray(np.where((q > 0.0) & (q < 1.0), 2.0 * v * np.exp(log) / n, 0.0), dtype=np.float64)
