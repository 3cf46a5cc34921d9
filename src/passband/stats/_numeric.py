"""Real-number input, and the normal and t laws over arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from passband.errors import InvalidInputError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = [
    "BoolArray",
    "check_choice",
    "check_probability",
    "expit",
    "log_expit",
    "normal_cdf",
    "real_numbers",
    "t_quantiles",
]


BoolArray = NDArray[np.bool_]


def real_numbers(
    values: ArrayLike,
    name: str,
    *,
    at_least: float | None = None,
    at_most: float | None = None,
    above: float | None = None,
) -> FloatArray:
    """Return `values` as finite float64 within the bounds, or say which of them is not."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInputError("numbers are wanted", where=name) from None
    if not np.isfinite(array).all():
        raise InvalidInputError(f"{array[~np.isfinite(array)].flat[0]} is not a finite number", where=name)
    if array.size == 0:
        return array
    if at_least is not None and (least := array.min()) < at_least:
        raise InvalidInputError(f"{least} is below {at_least}", where=name)
    if above is not None and (least := array.min()) <= above:
        raise InvalidInputError(f"{least} is not above {above}", where=name)
    if at_most is not None and (most := array.max()) > at_most:
        raise InvalidInputError(f"{most} is above {at_most}", where=name)
    return array


def check_probability(value: float, name: str) -> float:
    """Return `value` if it lies strictly between 0 and 1."""
    if not 0 < value < 1:
        raise InvalidInputError(f"{value} is not strictly between 0 and 1", where=name)
    return float(value)


def check_choice(value: str, name: str, choices: tuple[str, ...]) -> str:
    """Return `value` if it is one of `choices`."""
    if value not in choices:
        known = " or ".join(repr(choice) for choice in choices)
        raise InvalidInputError(f"{value!r} is unknown", where=name, fix=f"use {known}")
    return value


def normal_cdf(z: FloatArray) -> FloatArray:
    """Return P(Z <= z) of a standard normal Z."""
    from scipy.special import ndtr

    return np.asarray(ndtr(z), dtype=np.float64)


def t_quantiles(probability: float | FloatArray, df: float | FloatArray) -> FloatArray:
    """Return t with P(T <= t) = `probability` at `df` degrees of freedom, which may be infinite."""
    from scipy.special import ndtri, stdtrit

    p, freedom = np.asarray(probability, dtype=np.float64), np.asarray(df, dtype=np.float64)
    finite = np.isfinite(freedom)
    return np.where(finite, stdtrit(np.where(finite, freedom, 1.0), p), ndtri(p))


def expit(x: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x))."""
    return np.exp(log_expit(x))


def log_expit(x: FloatArray) -> FloatArray:
    """Return the log of :func:`expit`, right in both tails."""
    return -np.logaddexp(0.0, -x)
