"""Looking at the results as often as one likes: confidence sequences and e-values.

An interval at 95% is wrong once in twenty looks; a sequence of them is wrong sooner or later. These are right at *all*
looks together with the stated probability, so that anybody may look every week, stop when convinced, and not have lied.
The price is a wider interval. Values come in the order they were drawn; each is a task's (or a seed's) value, or one
sample of one task, whatever the independent unit is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._capital import bets, betting_bounds, betting_capital, mixture_bounds, mixture_capital
from passband.stats._check import check_level
from passband.stats._numeric import check_choice, real_numbers
from passband.stats._result import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["ConfidenceSequence", "EValue", "SequentialMethod", "confidence_sequence", "e_value"]

SequentialMethod = Literal["auto", "mixture", "betting"]


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """An interval after each value, all of which hold at once with probability `level`.

    Attributes
    ----------
    mean, low, high : ndarray, shape (..., looks)
        Running mean of the values, and the ends after each of them; ends only ever move inwards.
    level : float
        Probability that *every* interval covers the mean.
    method : str
        ``"mixture"`` or ``"betting"``.
    n_values : int
        How many values there are.
    """

    mean: FloatArray
    low: FloatArray
    high: FloatArray
    level: float
    method: str
    n_values: int


@dataclass(frozen=True, slots=True)
class EValue:
    """Evidence against a mean, which may be looked at and added to at any time.

    One series gives floats, a batch of them (leading axes) arrays.

    Attributes
    ----------
    value : float or ndarray
        The e-value after the last value: its mean under the null is at most 1. Infinite where the null is impossible.
    p : float or ndarray
        Anytime-valid p-value: one over the largest e-value so far, at most 1.
    path : ndarray, shape (..., looks)
        The e-value after each value.
    null : float
        The mean (or the bound on it) that is bet against.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    method : str
        ``"mixture"`` or ``"betting"``.
    n_values : int
        How many values there are.
    """

    value: float | FloatArray
    p: float | FloatArray
    path: FloatArray
    null: float
    alternative: str
    method: str
    n_values: int


def confidence_sequence(
    values: ArrayLike,
    *,
    level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
    method: SequentialMethod = "auto",
) -> ConfidenceSequence:
    """Intervals for a mean that hold at all looks together.

    Parameters
    ----------
    values : array_like, shape (..., looks)
        Bounded values in the order they came: passes (0 or 1), task rates, or per-task differences with
        ``bounds=(-1, 1)``. Given the past, each has the same mean; nothing else is assumed.
    level : float
        Probability that every interval covers.
    bounds : tuple of float
        The least and largest value there can be.
    method : {"auto", "mixture", "betting"}
        ``"mixture"``: Robbins' mixture of likelihood ratios, tight for 0/1 values. ``"betting"``: hedged bets that
        learn the variance, much tighter where values vary little, such as differences that are mostly 0. ``"auto"``
        takes the first for values on the bounds only; name one if values of another kind may yet come, since the
        guarantee is for one method throughout.

    Returns
    -------
    ConfidenceSequence
        Ends after each value.

    Raises
    ------
    InvalidInputError
        Without a value, with values outside `bounds`, or for an unknown method.

    Notes
    -----
    Robbins (1970), Annals of Mathematical Statistics 41, with a Beta(1/2, 1/2) mixture; Waudby-Smith and Ramdas
    (2024), JRSS B 86, Theorem 3 (hedged capital). Ends are intersected over time, which is free.

    Examples
    --------
    >>> sequence = confidence_sequence([1, 1, 0, 1] * 25)
    >>> sequence.low[[9, 99]].round(3), sequence.high[[9, 99]].round(3)
    (array([0.342, 0.596]), array([0.985, 0.871]))
    """
    y, chosen = _scaled(values, bounds, method)
    alpha = 1.0 - check_level(level)
    if chosen == "mixture":
        low, high = mixture_bounds(y, -np.log(alpha))
    else:
        low, high = betting_bounds(y, np.log(2.0 / alpha))
    low, high = np.maximum.accumulate(low, axis=-1), np.minimum.accumulate(high, axis=-1)
    mean = y.cumsum(axis=-1) / np.arange(1.0, y.shape[-1] + 1.0)
    least, width = bounds[0], bounds[1] - bounds[0]
    return ConfidenceSequence(
        mean=least + width * mean,
        low=least + width * low,
        high=least + width * high,
        level=level,
        method=chosen,
        n_values=y.shape[-1],
    )


def e_value(
    values: ArrayLike,
    null: float,
    *,
    alternative: Literal["two-sided", "greater", "less"] = "two-sided",
    level: float = 0.95,
    bounds: tuple[float, float] = (0.0, 1.0),
    method: SequentialMethod = "auto",
) -> EValue:
    """Evidence against a mean of `null`, valid whenever one looks.

    Parameters
    ----------
    values, bounds, method
        As for :func:`confidence_sequence`.
    null : float
        The mean under test; with ``"greater"`` the null is that the mean is at most so large, with ``"less"`` at
        least.
    alternative : {"two-sided", "greater", "less"}
        What one hopes to show.
    level : float
        The level that bets are tuned for; any other stays valid. Two-sided and at the same level the e-value reaches
        ``1 / (1 - level)`` when, and only when, the confidence sequence excludes `null`.

    Returns
    -------
    EValue
        E-value after each value, and the anytime-valid p-value.

    Raises
    ------
    InvalidInputError
        As for :func:`confidence_sequence`, and where `null` is outside `bounds` or leaves no alternative.

    Notes
    -----
    Reject at level alpha as soon as the e-value reaches 1 / alpha (Ville 1939). E-values of independent experiments
    multiply. See Ramdas, Grünwald, Vovk and Shafer (2023), Statistical Science 38.

    Examples
    --------
    >>> found = e_value([1, 1, 0, 1] * 25, null=0.5)
    >>> found.value > 1000, found.p < 0.001
    (True, True)
    """
    y, chosen = _scaled(values, bounds, method)
    check_choice(alternative, "alternative", ("two-sided", "greater", "less"))
    alpha = 1.0 - check_level(level)
    least, width = bounds[0], bounds[1] - bounds[0]
    at = (float(real_numbers(null, "null")) - least) / width
    if not 0.0 <= at <= 1.0:
        raise InvalidInputError(f"{null} is outside {bounds}", where="null")
    if (alternative == "greater" and at == 1.0) or (alternative == "less" and at == 0.0):
        raise InvalidInputError(f"no mean is {alternative} than the bound {null}", where="null")
    if chosen == "mixture":
        log = mixture_capital(y, at, alternative)
    elif alternative == "two-sided":
        stakes = bets(y, float(np.log(2.0 / alpha)))
        sides = [betting_capital(y, at, stakes, side) for side in ("greater", "less")]
        log = np.maximum(*sides) - np.log(2.0)
    else:
        log = betting_capital(y, at, bets(y, -float(np.log(alpha))), alternative)
    with np.errstate(over="ignore"):
        path = np.exp(log)
    best = np.maximum(path.max(axis=-1), 1.0)
    return EValue(
        value=scalar(path[..., -1]),
        p=scalar(1.0 / best),
        path=path,
        null=null,
        alternative=alternative,
        method=chosen,
        n_values=y.shape[-1],
    )


def _scaled(values: ArrayLike, bounds: tuple[float, float], method: str) -> tuple[FloatArray, str]:
    check_choice(method, "method", ("auto", "mixture", "betting"))
    least, most = (float(real_numbers(bound, "bounds")) for bound in bounds)
    if least >= most:
        raise InvalidInputError(f"{bounds} are not two bounds in order", where="bounds")
    x = real_numbers(values, "values", at_least=least, at_most=most)
    if x.ndim == 0 or x.shape[-1] == 0:
        raise InvalidInputError("at least one value is wanted", where="values")
    y = (x - least) / (most - least)
    binary = bool(((y == 0.0) | (y == 1.0)).all())
    return y, ("mixture" if binary else "betting") if method == "auto" else method
