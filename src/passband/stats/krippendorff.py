"""Krippendorff's alpha: agreement of any number of raters, with marks of any kind, some of them missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._numeric import check_choice, real_numbers
from passband.stats.agreement import Agreement, coded, corrected_agreement, jackknife

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from passband.stats._numeric import BoolArray
    from passband.stats._result import FloatArray

__all__ = ["krippendorff_alpha"]


def krippendorff_alpha(
    ratings: ArrayLike,
    *,
    metric: Literal["nominal", "ordinal", "interval", "ratio"] = "nominal",
    given: ArrayLike | None = None,
    level: float = 0.95,
) -> Agreement:
    """Agreement of any number of raters, with marks of any kind, some of them missing.

    Parameters
    ----------
    ratings : array_like, shape (raters, units)
        Marks; any values for the nominal metric, numbers for the others (none negative for ratios).
    metric : {"nominal", "ordinal", "interval", "ratio"}
        How far two marks are apart.
    given : array_like of bool, shape (raters, units), optional
        Which marks exist; what stands in the other places is not looked at. All by default.
    level : float
        Nominal coverage.

    Returns
    -------
    Agreement
        Krippendorff's alpha; units with fewer than two marks don't count. `observed` and `chance` are one less the
        disagreement over its largest possible value.

    Raises
    ------
    InvalidInputError
        Where no unit has two marks, or marks don't suit the metric.

    Notes
    -----
    Krippendorff (2011), "Computing Krippendorff's alpha-reliability", by the coincidence matrix. The variance is the
    jackknife's over units, the interval as for :func:`fleiss_kappa`.

    Examples
    --------
    >>> people = [[1, 2, 3, 3, 2, 1], [1, 2, 3, 3, 2, 2], [3, 3, 3, 3, 2, 3]]
    >>> round(krippendorff_alpha(people).value, 3), round(krippendorff_alpha(people, metric="ordinal").value, 3)
    (0.399, 0.276)
    """
    check_level(level)
    check_choice(metric, "metric", ("nominal", "ordinal", "interval", "ratio"))
    marks, present = _ratings(ratings, given)
    counts, values = _unit_counts(marks, present, metric)
    units, raters = len(counts), counts.sum(axis=1)

    pairs = (counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(values))) / (
        raters[:, None, None] - 1.0
    )
    coincidence = pairs.sum(axis=0)
    largest = max(float(_distance(metric, values, coincidence.sum(axis=1)).max()), 1e-300)

    def split(table: FloatArray) -> tuple[float, float]:
        total = table.sum(axis=1)
        number = total.sum()
        distance = _distance(metric, values, total) / largest
        seen = float((table * distance).sum() / number)
        return 1.0 - seen, 1.0 - float(total @ distance @ total / (number * max(number - 1.0, 1.0)))

    observed, chance = split(coincidence)
    variance = 0.0
    if units > 1:
        left = np.array([split(coincidence - pairs[unit]) for unit in range(units)])
        variance = jackknife(left[:, 0], left[:, 1], chance)
    return corrected_agreement(
        observed, chance, variance, units, int(raters.sum()), level, f"krippendorff-alpha, {metric}"
    )


def _ratings(ratings: ArrayLike, given: ArrayLike | None) -> tuple[NDArray[np.generic], BoolArray]:
    marks = np.asarray(ratings)
    if marks.ndim != 2:
        raise InvalidInputError(f"(raters, units) are wanted, not shape {marks.shape}", where="ratings")
    present = np.ones(marks.shape, dtype=bool) if given is None else np.asarray(given)
    if present.dtype != bool or present.shape != marks.shape:
        raise InvalidInputError(f"booleans of shape {marks.shape} are wanted", where="given")
    present = present & (present.sum(axis=0) > 1)
    if not present.any():
        raise InvalidInputError("no unit has two marks", where="ratings")
    return marks, present


def _unit_counts(marks: NDArray[np.generic], present: BoolArray, metric: str) -> tuple[FloatArray, FloatArray]:
    """How often each unit got each mark, and the marks as numbers in order."""
    raters, units = np.nonzero(present)
    kept = marks[raters, units]
    if metric == "nominal":
        codes, categories = coded(kept)
        values = np.arange(float(categories))
    else:
        values, codes = np.unique(real_numbers(kept, "ratings"), return_inverse=True)
        if metric == "ratio" and values[0] < 0.0:
            raise InvalidInputError(f"{values[0]} is negative, which has no ratio", where="ratings")
    counts = np.zeros((marks.shape[1], len(values)))
    np.add.at(counts, (units, codes), 1.0)
    return counts[counts.sum(axis=1) > 0], values


def _distance(metric: str, values: FloatArray, total: FloatArray) -> FloatArray:
    """Squared distance between marks."""
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "ordinal":  # marks between the two, and half of each end's
        middle = total.cumsum() - total / 2.0
        return np.asarray((middle[:, None] - middle) ** 2, dtype=np.float64)
    gap = values[:, None] - values
    if metric == "interval":
        return np.asarray(gap**2, dtype=np.float64)
    together = values[:, None] + values
    return np.asarray((gap / np.where(together > 0.0, together, 1.0)) ** 2, dtype=np.float64)
