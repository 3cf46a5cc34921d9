"""A pass rate from a fallible judge, put right with a calibration set that people labelled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, counts
from passband.stats._quantile import normal_quantile
from passband.stats._result import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["CorrectedRate", "rogan_gladen"]

_PSEUDO = 2.0  # calibration labels added, half of them right and half wrong (Lang and Reiczigel 2014)


@dataclass(frozen=True, slots=True)
class CorrectedRate:
    """The pass rate behind a judge's pass rate.

    One evaluation gives floats, a batch (leading axes) arrays.

    Attributes
    ----------
    value : float or ndarray
        Corrected rate, cut to [0, 1].
    low, high : float or ndarray
        Its interval, calibration uncertainty included.
    level : float
        Nominal coverage.
    apparent : float or ndarray
        What the judge says.
    sensitivity, specificity : float or ndarray
        How often it passes good answers, and fails bad ones, in the calibration set.
    method : str
        How the interval was made.
    """

    value: float | FloatArray
    low: float | FloatArray
    high: float | FloatArray
    level: float
    apparent: float | FloatArray
    sensitivity: float | FloatArray
    specificity: float | FloatArray
    method: str = "lang-reiczigel"


def rogan_gladen(
    judged: tuple[ArrayLike, ArrayLike],
    good: tuple[ArrayLike, ArrayLike],
    bad: tuple[ArrayLike, ArrayLike],
    *,
    level: float = 0.95,
) -> CorrectedRate:
    """Correct a judge's pass rate for its known rates of error.

    Parameters
    ----------
    judged : tuple of int or array_like
        ``(passes, samples)`` that the judge gave in the evaluation.
    good : tuple of int or array_like
        ``(passed, samples)``: of the calibration samples that people call good, how many the judge passed.
    bad : tuple of int or array_like
        ``(failed, samples)``: of those that people call bad, how many the judge failed.
    level : float
        Nominal coverage.

    Returns
    -------
    CorrectedRate
        (apparent + specificity - 1) / (sensitivity + specificity - 1), and its interval.

    Raises
    ------
    InvalidInputError
        For impossible counts, and where sensitivity + specificity is not above 1: such a judge is no better than a
        coin, and nothing can be read from its verdicts.

    Notes
    -----
    Rogan and Gladen (1978), American Journal of Epidemiology 107; interval of Lang and Reiczigel (2014), Preventive
    Veterinary Medicine 113. It assumes independent samples (with several a task, give effective numbers: see
    :func:`passband.stats.effective_sample_size`) and a judge that errs in the evaluation as it does in calibration,
    which a new subject may not grant it.

    Examples
    --------
    >>> found = rogan_gladen((60, 100), good=(90, 100), bad=(80, 100))
    >>> round(found.value, 4), round(found.low, 3), round(found.high, 3)
    (0.5714, 0.413, 0.722)
    """
    check_level(level)
    k, n = counts(*judged)
    good_passed, good_n = counts(*good)
    bad_failed, bad_n = counts(*bad)
    try:
        np.broadcast_shapes(k.shape, good_passed.shape, bad_failed.shape)
    except ValueError:
        raise InvalidInputError("shapes do not fit", where="judged, good and bad") from None
    apparent, sensitivity, specificity = k / n, good_passed / good_n, bad_failed / bad_n
    youden = sensitivity + specificity - 1.0
    if (youden <= 0.0).any():
        raise InvalidInputError(
            "a judge that passes bad answers as often as good ones can't be corrected", where="good and bad"
        )
    z = normal_quantile((1.0 + level) / 2.0)
    rate, rate_n = (k + z**2 / 2.0) / (n + z**2), n + z**2
    sens, sens_n = (good_passed + _PSEUDO / 2.0) / (good_n + _PSEUDO), good_n + _PSEUDO
    spec, spec_n = (bad_failed + _PSEUDO / 2.0) / (bad_n + _PSEUDO), bad_n + _PSEUDO
    slope = sens + spec - 1.0
    usable = slope > 0.0
    slope = np.where(usable, slope, 1.0)
    centre = (rate + spec - 1.0) / slope
    by_sens, by_spec = sens * (1.0 - sens) / sens_n, spec * (1.0 - spec) / spec_n
    se = np.sqrt(rate * (1.0 - rate) / rate_n + centre**2 * by_sens + (1.0 - centre) ** 2 * by_spec) / slope
    centre = centre + 2.0 * z**2 * (centre * by_sens - (1.0 - centre) * by_spec)
    value = np.clip((apparent + specificity - 1.0) / youden, 0.0, 1.0)
    low = np.minimum(np.where(usable, np.clip(centre - z * se, 0.0, 1.0), 0.0), value)
    high = np.maximum(np.where(usable, np.clip(centre + z * se, 0.0, 1.0), 1.0), value)
    return CorrectedRate(
        value=scalar(value),
        low=scalar(low),
        high=scalar(high),
        level=level,
        apparent=scalar(apparent),
        sensitivity=scalar(sensitivity),
        specificity=scalar(specificity),
    )
