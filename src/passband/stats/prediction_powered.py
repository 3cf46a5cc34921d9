"""A few human labels, sharpened by a judge's marks on many more units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._numeric import real_numbers, t_quantiles
from passband.stats._result import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["PredictionPoweredMean", "prediction_powered_mean"]


@dataclass(frozen=True, slots=True)
class PredictionPoweredMean:
    """A mean of few labels, sharpened by a judge's marks on many more units.

    One evaluation gives floats, a batch (leading axes) arrays.

    Attributes
    ----------
    value : float or ndarray
        The estimate.
    low, high : float or ndarray
        Its interval.
    level : float
        Nominal coverage.
    tuning : float or ndarray
        Weight of the judge, from 0 (labels alone) to 1.
    labels_alone : float or ndarray
        Mean of the labels.
    effective_labels : float or ndarray
        How many labels, without a judge, would give the same standard error.
    n_labelled, n_unlabelled : int
        Units with and without a label.
    method : str
        ``"ppi++"``.
    """

    value: float | FloatArray
    low: float | FloatArray
    high: float | FloatArray
    level: float
    tuning: float | FloatArray
    labels_alone: float | FloatArray
    effective_labels: float | FloatArray
    n_labelled: int
    n_unlabelled: int
    method: str = "ppi++"


def prediction_powered_mean(
    labels: ArrayLike,
    judged_labelled: ArrayLike,
    judged_unlabelled: ArrayLike,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> PredictionPoweredMean:
    """Estimate the mean of human labels from few of them and a judge's marks on all units.

    Parameters
    ----------
    labels : array_like, shape (..., labelled)
        What people say of units drawn at random, one value a unit (a task's mean where units are tasks).
    judged_labelled : array_like, shape (..., labelled)
        What the judge says of the same units.
    judged_unlabelled : array_like, shape (..., unlabelled)
        What it says of the others.
    level : float
        Nominal coverage.
    bounds : tuple of float
        The least and largest value there can be.

    Returns
    -------
    PredictionPoweredMean
        Unbiased whatever the judge is worth, up to the tuning; with a useless judge it is the mean of the labels.

    Raises
    ------
    InvalidInputError
        Where shapes don't fit, values are outside `bounds`, or there are fewer than two labels or two units without
        one.

    Notes
    -----
    Angelopoulos, Duchi and Zrnic (2023), PPI++, arXiv:2311.01453: labels less tuning × (judge on the labelled less
    judge on the rest), tuned to cov(label, judge) / ((1 + n / N) var(judge)) and kept in [0, 1]. Here with Student's
    t, and with two more residuals, as large as `bounds` allow, up and down, in the variance: where the judge happens
    to agree with all of a few labels, it has not shown that it always does.

    Examples
    --------
    >>> labels, judge = [1, 1, 0, 1, 0, 0, 1, 1, 0, 1], [1, 1, 0, 1, 0, 1, 1, 1, 0, 1]
    >>> found = prediction_powered_mean(labels, judge, [1, 1, 0, 1] * 50)
    >>> round(found.value, 3), found.effective_labels > 10
    (0.65, True)
    """
    check_level(level)
    least, most = (float(real_numbers(bound, "bounds")) for bound in bounds)
    if least >= most:
        raise InvalidInputError(f"{bounds} are not two bounds in order", where="bounds")
    y = real_numbers(labels, "labels", at_least=least, at_most=most)
    f = real_numbers(judged_labelled, "judged_labelled", at_least=least, at_most=most)
    rest = real_numbers(judged_unlabelled, "judged_unlabelled", at_least=least, at_most=most)
    if y.shape != f.shape or y.ndim == 0 or y.shape[:-1] != rest.shape[:-1]:
        shapes = f"shapes {y.shape}, {f.shape} and {rest.shape} do not fit"
        raise InvalidInputError(shapes, where="labels")
    n, others = y.shape[-1], rest.shape[-1]
    if n < 2 or others < 2:
        raise InvalidInputError(f"{n} labelled and {others} other units say nothing of the spread", where="labels")
    judge = np.concatenate([f, rest], axis=-1)
    spread = judge.var(axis=-1, ddof=1)
    together = ((y - y.mean(axis=-1, keepdims=True)) * (f - f.mean(axis=-1, keepdims=True))).sum(axis=-1) / (n - 1.0)
    tuning = np.where(spread > 0.0, together / np.where(spread > 0.0, spread * (1.0 + n / others), 1.0), 0.0)
    tuning = np.clip(tuning, 0.0, 1.0)
    residual = y - tuning[..., None] * f
    value = np.clip(residual.mean(axis=-1) + tuning * rest.mean(axis=-1), least, most)
    variance = _guarded(residual, most - least) / n + tuning**2 * spread / others
    half = t_quantiles((1.0 + level) / 2.0, n - 1.0) * np.sqrt(variance)
    return PredictionPoweredMean(
        value=scalar(value),
        low=scalar(np.clip(value - half, least, most)),
        high=scalar(np.clip(value + half, least, most)),
        level=level,
        tuning=scalar(tuning),
        labels_alone=scalar(y.mean(axis=-1)),
        effective_labels=scalar(_guarded(y, most - least) / variance),
        n_labelled=n,
        n_unlabelled=others,
    )


def _guarded(values: FloatArray, width: float) -> FloatArray:
    """Variance along the last axis, with two made-up values `width` above and below the mean; never 0."""
    squares = ((values - values.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    return np.asarray((squares + 2.0 * width**2) / (values.shape[-1] + 1.0), dtype=np.float64)
