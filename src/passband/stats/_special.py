"""The gamma, beta and Student laws for few values, without scipy.

Importing :mod:`scipy.special` takes a fifth of a second of CPU, as much as all the rest of a small run. A summary needs
a handful of tails and quantiles: these are computed here, one by one. Arrays of many go to scipy, whose loops are
compiled; both give the same to 1e-12 of the value.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["beta_cdf", "beta_quantile", "log_beta", "log_gamma", "log_gamma_for", "t_upper_quantile"]

_FEW = 16  # one by one, so many quantiles take a millisecond or two
_MANY_LOGS = 100_000
_FROM = 10  # where the series has all digits
# Outside of these scipy is asked: parameters whose quantiles lie under the smallest float, or whose fraction takes some
# thousands of steps, and probabilities whose difference from 0 or 1 has few digits.
_PARAMETERS = (0.05, 1e7)
_SHARES = (1e-12, 1 - 1e-12)
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
_TINY = 1e-300
_EXACT = 1e-16
_FEW_FALL = 60.0  # so that the series has at most some two hundred terms
_DIGITS = 1e-2  # a tail below it would lose too many to the one that is taken from 1
_CLOSE = 1e-9  # a step of Newton's: the next would be below the last digit
_TERMS = 100_000
_STEPS = 200  # of a search; Newton's takes five to ten, and some forty in a Cauchy tail of 1e-12


def log_gamma(x: ArrayLike) -> FloatArray:
    """Return log Γ(x) for positive x, to 1e-14 of the larger of it and 1: Stirling's series, from 10 upwards."""
    values = np.asarray(x, dtype=np.float64)
    low = values < _FROM
    product = np.ones(values.shape)
    if low.any():
        for step in range(_FROM):
            product = np.where(low, product * (values + step), product)
    z = np.where(low, values + _FROM, values)
    inverse = 1 / z
    series = np.zeros(values.shape)
    for term in reversed(_STIRLING):
        series = series * inverse**2 + term
    return (z - 0.5) * np.log(z) - z + (_HALF_LOG_TWO_PI + series * inverse) - np.log(product)


def log_gamma_for(values: int) -> Callable[[FloatArray], FloatArray]:
    """Return :func:`log_gamma`, or scipy's where so many values are wanted in all that importing it pays."""
    if values < _MANY_LOGS:
        return log_gamma
    from scipy.special import gammaln

    return gammaln


def log_beta(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return log B(a, b)."""
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b)


def beta_cdf(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> FloatArray:
    """Return P(X <= x) for X ~ Beta(a, b)."""
    values = _together(a, b, x)
    if not (_few(values[0]) and _within(_PARAMETERS, *values[:2]) and _within(_SHARES, _inside(values[2]))):
        from scipy.special import betainc

        return np.asarray(betainc(*values))
    return _each(lambda one, two, at: _tails(one, two, at, 1 - at)[0], values)


def beta_quantile(a: ArrayLike, b: ArrayLike, probability: ArrayLike) -> FloatArray:
    """Return x with P(X <= x) = `probability`, in (0, 1), for X ~ Beta(a, b)."""
    values = _together(a, b, probability)
    if not (_few(values[0]) and _within(_PARAMETERS, *values[:2]) and _within(_SHARES, _inside(values[2]))):
        from scipy.special import betaincinv

        return np.asarray(betaincinv(*values))
    return _each(_beta_quantile, values)


def t_upper_quantile(tail: ArrayLike, df: ArrayLike) -> FloatArray:
    """Return t with P(T > t) = `tail`, in (0, 1), at `df` >= 1 degrees of freedom, which may be infinite."""
    tails, freedom = _together(tail, df)
    finite = np.isfinite(freedom)
    if not (_few(tails) and _within(_PARAMETERS, np.where(finite, freedom, 1.0)) and _within(_SHARES, tails)):
        from scipy.special import ndtri, stdtrit

        return np.where(finite, -stdtrit(np.where(finite, freedom, 1.0), tails), -ndtri(tails))
    return _each(_t_upper_quantile, (tails, freedom))


def _together(*values: ArrayLike) -> tuple[FloatArray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, dtype=np.float64) for value in values)))


def _few(values: FloatArray) -> bool:
    return values.size <= _FEW


def _within(ends: tuple[float, float], *arrays: FloatArray) -> bool:
    return all(bool(((ends[0] <= array) & (array <= ends[1])).all()) for array in arrays)


def _inside(shares: FloatArray) -> FloatArray:
    """Probabilities without those that are 0 or 1, of which nothing has to be computed."""
    return np.extract((shares != 0) & (shares != 1), shares)


def _each(function: Callable[..., float], values: tuple[FloatArray, ...]) -> FloatArray:
    found = [function(*map(float, row)) for row in zip(*(array.flat for array in values), strict=True)]
    return np.array(found, dtype=np.float64).reshape(values[0].shape)


def _tails(a: float, b: float, x: float, y: float) -> tuple[float, float, float]:
    """Return P(X <= x), P(X > x) and x y times the density, of Beta(a, b) at x = 1 - y.

    By a series near an end where few of a + b fall; else the tail on x's side of the mean by a continued fraction, as
    Boost's ``ibeta_fraction2`` takes it (Didonato and Morris 1992, ACM TOMS 18, eq. 9), which is slow near such an end.
    """
    if x <= 0.0:
        return 0.0, 1.0, 0.0
    if y <= 0.0:
        return 1.0, 0.0, 0.0
    front = _front(a, b, x, y)
    if x < y and (a + b) * x < _FEW_FALL:
        below = front * _series(a, b, x)
        if below < 1 - _DIGITS:
            return below, 1 - below, front
    elif y <= x and (a + b) * y < _FEW_FALL:
        above = front * _series(b, a, y)
        if above < 1 - _DIGITS:
            return 1 - above, above, front
    if a * y >= b * x:
        below = front / _fraction(a, b, x, y)
        return below, 1 - below, front
    above = front / _fraction(b, a, y, x)
    return 1 - above, above, front


def _front(a: float, b: float, x: float, y: float) -> float:
    """Return x^a y^b / B(a, b) as Loader (2000) does: no large logarithms that cancel."""
    total = a + b
    # One difference for both, of the sides that are small: what is rounded off in it must cancel.
    less = total * x - a if x < y else b - total * y
    deviance = _deviance(a, total * x, -less) + _deviance(b, total * y, less)
    correction = _stirling(total) - _stirling(a) - _stirling(b)
    return math.sqrt(a * b / (2 * math.pi * total)) * math.exp(correction - deviance)


def _deviance(value: float, mean: float, difference: float) -> float:
    """Return value log(value / mean) - difference, where that is value - mean, right also where they are close."""
    ratio = difference / (value + mean)
    if abs(ratio) > 0.1:
        return value * math.log(value / mean) - difference
    # With value / mean = (1 + r) / (1 - r) the logarithm is 2 (r + r³/3 + …), and difference r takes its place in it.
    total, power, order = difference * ratio, 2 * value * ratio, 1
    while True:
        power *= ratio * ratio
        order += 2
        longer = total + power / order
        if longer == total:
            return total
        total = longer


def _stirling(z: float) -> float:
    """Return log Γ(z) less Stirling's (z - 1/2) log z - z + log(2π)/2."""
    if z < _FROM:
        return math.lgamma(z) - ((z - 0.5) * math.log(z) - z + _HALF_LOG_TWO_PI)
    inverse = 1 / z
    return sum(term * inverse ** (2 * place + 1) for place, term in enumerate(_STIRLING))


def _fraction(a: float, b: float, x: float, y: float) -> float:
    """Return the continued fraction for x below the mean, by Lentz's method."""
    side = a * y - b * x
    value = c = a * (side + 1) / (a + 1)
    d = 0.0
    m = 0
    while True:
        m += 1
        even = a + 2 * m
        top = (a + m - 1) * (a + b + m - 1) * m * (b - m) * (x / (even - 1)) ** 2
        bottom = m + m * (b - m) * x / (even - 1) + (a + m) * (side + 1 + m * (1 + y)) / (even + 1)
        d = 1 / _away(bottom + top * d)
        c = _away(bottom + top / c)
        factor = c * d
        value *= factor
        if not abs(factor - 1) >= 4 * _EXACT or m > _TERMS:  # a last digit may never come to rest
            return value


def _series(a: float, b: float, x: float) -> float:
    """Return P(X <= x) over x^a y^b / B(a, b): positive terms alone (Abramowitz and Stegun 1964, 26.5.4)."""
    total = term = 1 / a
    n = 0
    while term > total * _EXACT:
        term *= (a + b + n) / (a + 1 + n) * x
        total += term
        n += 1
    return total


def _away(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _beta_quantile(a: float, b: float, probability: float) -> float:
    if not 0 < probability < 1:
        return probability if probability in {0.0, 1.0} else math.nan
    # The larger side: its logarithm has the digits of both.
    if _tails(a, b, a / (a + b), b / (a + b))[0] < probability:
        return -math.expm1(_log_quantile(b, a, 1 - probability))
    return math.exp(_log_quantile(a, b, probability))


def _log_quantile(a: float, b: float, probability: float) -> float:
    """Return log x of a quantile below the mean.

    Newton's method for log P over log x, which is concave for b >= 1: it comes from the left and stays there. A bracket
    keeps it safe where it is not.
    """
    high = math.log(a) - math.log(a + b) if a < b else math.log1p(-b / (a + b))
    low, at = -math.inf, high
    for _ in range(_STEPS):
        x, y = math.exp(at), -math.expm1(at)
        below, _, front = _tails(a, b, x, y)
        if below <= 0.0:  # under the smallest float
            low, step = at, math.inf
        else:
            if below < probability:
                low = at
            else:
                high = at
            step = math.log(probability / below) * below * y / front
        if not low <= at + step <= high:
            step = ((low if low > -math.inf else 2 * high - 1) + high) / 2 - at
        at += step
        if abs(step) < _CLOSE * min(1.0, abs(at)):
            break
    return at


def _t_upper_quantile(tail: float, df: float) -> float:
    if tail > 0.5:
        return -_t_upper_quantile(1 - tail, df)
    # A tail is convex: from the normal quantile, which lies to the left, Newton's method never oversteps.
    t = -NormalDist().inv_cdf(tail)
    if math.isinf(df):
        return t
    for _ in range(_STEPS):
        if t <= 0.0:
            return 0.0
        both, _, front = _tails(df / 2, 0.5, df / (df + t * t), t * t / (df + t * t))
        step = (both / 2 - tail) * t / front
        t += step
        if abs(step) < _CLOSE * t:
            break
    return t
