"""How far raters agree beyond chance: a judge with people, people with each other.

All three coefficients are (observed - chance) / (1 - chance): 1 is perfect agreement, 0 what raters reach who mark at
random with the frequencies they show. The unit is the thing rated. Where nothing varies, chance agreement is certain
and no coefficient exists: the value is None, and a warning says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, whole_numbers
from passband.stats._numeric import check_choice, real_numbers
from passband.stats._quantile import t_quantile
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from passband.stats._result import FloatArray, IntArray

__all__ = ["Agreement", "coded", "cohen_kappa", "corrected_agreement", "fleiss_kappa", "jackknife"]

_NOTHING_VARIES = "every mark is the same: agreement beyond chance does not exist"


@dataclass(frozen=True, slots=True)
class Agreement:
    """A chance-corrected coefficient of agreement.

    Attributes
    ----------
    value : float or None
        The coefficient; None where nothing varies.
    low, high : float or None
        Its interval; None with fewer than two units too.
    level : float
        Nominal coverage.
    observed, chance : float
        Agreement as seen, and as expected of raters who mark at random, both between 0 and 1.
    method : str
        Which coefficient.
    n_units, n_ratings : int
        Units that count, and marks they got.
    warnings : tuple of str
        What a reader must know before quoting the number.
    """

    value: float | None
    low: float | None
    high: float | None
    level: float
    observed: float
    chance: float
    method: str
    n_units: int
    n_ratings: int
    warnings: tuple[str, ...] = ()


def cohen_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    weights: Literal["none", "linear", "quadratic"] = "none",
    level: float = 0.95,
) -> Agreement:
    """Agreement of two raters who marked the same units.

    Parameters
    ----------
    first, second : array_like, shape (units,)
        Marks of each rater: numbers, booleans or strings. Weights follow the sorted order of the marks.
    weights : {"none", "linear", "quadratic"}
        Whether a near miss between ordered marks counts as half an agreement.
    level : float
        Nominal coverage.

    Returns
    -------
    Agreement
        Cohen's kappa.

    Raises
    ------
    InvalidInputError
        Where the raters marked different numbers of units, or none.

    Notes
    -----
    Cohen (1960, 1968). The variance is that of Fleiss, Cohen and Everitt (1969, eq. 13); the interval is Wilson's for
    the observed agreement at the number of units which that variance makes it worth, so that ten agreements in ten do
    not claim certainty. Kappa falls with the skew of the marks: quote the rates beside it.

    Examples
    --------
    >>> human = ["pass"] * 25 + ["fail"] * 25
    >>> judge = ["pass"] * 20 + ["fail"] * 5 + ["pass"] * 10 + ["fail"] * 15
    >>> round(cohen_kappa(human, judge).value, 12)
    0.4
    """
    check_level(level)
    check_choice(weights, "weights", ("none", "linear", "quadratic"))
    a, b = np.asarray(first), np.asarray(second)
    if a.ndim != 1 or a.shape != b.shape or a.size == 0:
        raise InvalidInputError(f"one mark a unit of each rater, not shapes {a.shape} and {b.shape}", where="first")
    codes, categories = coded(np.stack([a, b]))
    table = np.zeros((categories, categories))
    np.add.at(table, (codes[0], codes[1]), 1.0)
    units = a.size
    p = table / units
    place = np.arange(categories)
    apart = np.abs(place[:, None] - place) / max(categories - 1, 1)
    credit = {"none": (apart == 0.0) * 1.0, "linear": 1.0 - apart, "quadratic": 1.0 - apart**2}[weights]
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, chance = float((credit * p).sum()), float(rows @ credit @ columns)
    variance = 0.0
    if chance < 1.0:
        kappa = (observed - chance) / (1.0 - chance)
        expected = (credit @ columns)[:, None] + rows @ credit
        moment = float((p * (credit - expected * (1.0 - kappa)) ** 2).sum()) - (kappa - chance * (1.0 - kappa)) ** 2
        variance = max(moment, 0.0) / units  # of the observed agreement, chance being estimated too
    name = "cohen-kappa" if weights == "none" else f"cohen-kappa, {weights} weights"
    return corrected_agreement(observed, chance, variance, units, 2 * units, level, name)


def fleiss_kappa(table: ArrayLike, *, level: float = 0.95) -> Agreement:
    """Agreement of several raters, the same number for each unit, who need not be the same people.

    Parameters
    ----------
    table : array_like of int, shape (units, categories)
        How many raters put each unit into each category.
    level : float
        Nominal coverage.

    Returns
    -------
    Agreement
        Fleiss' kappa.

    Raises
    ------
    InvalidInputError
        Where units have different numbers of raters (use :func:`krippendorff_alpha`), or fewer than two.

    Notes
    -----
    Fleiss (1971), Psychological Bulletin 76. The variance is the jackknife's over units, the interval as for
    :func:`cohen_kappa`, with Student's t.

    Examples
    --------
    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [3, 0]]).value, 3)
    0.625
    """
    check_level(level)
    marks = whole_numbers(table, "table")
    if marks.ndim != 2 or marks.size == 0:
        raise InvalidInputError(f"(units, categories) are wanted, not shape {marks.shape}", where="table")
    raters = marks.sum(axis=1)
    if raters.min() != raters.max():
        raise InvalidInputError(
            f"{raters.min()} to {raters.max()} raters a unit", where="table", fix="use krippendorff_alpha"
        )
    if raters[0] < 2:
        raise InvalidInputError("agreement takes two raters", where="table")
    m = float(raters[0])
    units = len(marks)
    agreeing = ((marks**2).sum(axis=1) - m) / (m * (m - 1.0))
    shares = marks.sum(axis=0)

    def split(total: FloatArray, agreed: FloatArray, count: float) -> tuple[FloatArray, FloatArray]:
        return agreed / count, ((total / (count * m)) ** 2).sum(axis=-1)

    observed, chance = (float(part) for part in split(shares, agreeing.sum(), units))
    variance = 0.0
    if units > 1:
        left = split(shares - marks, agreeing.sum() - agreeing, units - 1.0)
        variance = jackknife(*left, chance)
    return corrected_agreement(observed, chance, variance, units, int(raters.sum()), level, "fleiss-kappa")


def coded(marks: NDArray[np.generic]) -> tuple[IntArray, int]:
    """Number the marks in their order, and count the different ones."""
    if marks.dtype.kind == "f":
        real_numbers(marks, "marks")
    values, codes = np.unique(marks, return_inverse=True)
    return codes.reshape(marks.shape), len(values)


def jackknife(observed: FloatArray, chance: FloatArray, overall: float) -> float:
    """Return the variance of the coefficient by leaving out units, on the scale of the observed agreement."""
    rest = 1.0 - chance
    values = np.where(rest > 0.0, (observed - chance) / np.where(rest > 0.0, rest, 1.0), 1.0)
    units = len(values)
    return float(((values - values.mean()) ** 2).sum() * (units - 1) / units) * (1.0 - overall) ** 2


def corrected_agreement(
    observed: float, chance: float, variance: float, units: int, ratings: int, level: float, method: str
) -> Agreement:
    """Make the coefficient and its interval; `variance` is on the scale of the observed agreement."""
    if chance >= 1.0 - 1e-12:
        return Agreement(None, None, None, level, observed, chance, method, units, ratings, (_NOTHING_VARIES,))
    value = (observed - chance) / (1.0 - chance)
    if units < 2:
        warning = "one unit says nothing of how sure the agreement is"
        return Agreement(value, None, None, level, observed, chance, method, units, ratings, (warning,))
    bernoulli = observed * (1.0 - observed)
    size = min(bernoulli / variance, float(ratings)) if variance > 0.0 and bernoulli > 0.0 else float(units)
    z = t_quantile((1.0 + level) / 2.0, units - 1.0)
    bounds = wilson_bounds(np.asarray(observed), np.asarray(size), z)
    low, high = ((float(bound) - chance) / (1.0 - chance) for bound in bounds)
    return Agreement(value, low, high, level, observed, chance, method, units, ratings)
