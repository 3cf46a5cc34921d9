"""How many tasks, or seeds, a comparison needs: the power of a two-sided test on a mean.

A paired comparison of N tasks has N differences of standard deviation ``sd``; an unpaired one has N values of standard
deviation ``sd`` in each of two arms, whose difference of means has variance ``2 sd² / N``. With ``method="normal"``
N must satisfy ``N >= ((z_{1-alpha/2} + z_{power}) sd / effect)²`` (twice that, unpaired): the formula of the textbooks,
right for large N. With ``method="t"`` the power is that of the t-test, exact for normal data, by the noncentral t law.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import whole_numbers
from passband.stats._numeric import (
    check_choice,
    check_probability,
    normal_cdf,
    real_numbers,
    t_quantiles,
)
from passband.stats._quantile import normal_quantile
from passband.stats._result import scalar, whole_scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._numeric import BoolArray
    from passband.stats._result import FloatArray, IntArray

__all__ = ["PowerMethod", "minimum_detectable_effect", "noncentrality_for", "power_of", "required_units"]

PowerMethod = Literal["normal", "t"]

_MOST_UNITS = 2**53
_ROUNDING = 1e-12  # a quotient that is a whole number but for float rounding must not be rounded up


def required_units(
    effect: ArrayLike,
    sd: ArrayLike,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    paired: bool = True,
    method: PowerMethod = "normal",
) -> int | IntArray:
    """Count the units that detect `effect` with probability `power`.

    Parameters
    ----------
    effect : float or array_like
        Difference of means to detect, on the scale of the scores; its sign does not matter.
    sd : float or array_like
        Standard deviation of one unit: of the per-task difference if `paired`, of one arm's per-task (or per-seed)
        value otherwise. Broadcasts with `effect`.
    alpha : float
        Two-sided size of the test.
    power : float
        Wanted probability of detection, above `alpha`.
    paired : bool
        Whether both arms run on the same units.
    method : {"normal", "t"}
        Quantiles of the normal law, or the exact power of the t-test.

    Returns
    -------
    int or ndarray of int
        Tasks (paired), or units in *each* arm (unpaired).

    Raises
    ------
    InvalidInputError
        Where `effect` is 0, `sd` negative, `alpha` or `power` outside (0, 1), or `power` not above `alpha`.

    Notes
    -----
    With a measured `sd` of 0 the normal formula answers one unit: a statement about power, not about practice. Three
    seeds an arm are the least from which a spread between seeds can be seen at all.

    Examples
    --------
    >>> required_units([0.02, 0.05], sd=0.0723)
    array([103,  17])
    >>> required_units(0.05, sd=0.2913, paired=False)
    533
    """
    standardised = _standardised(effect, sd, paired=paired)
    _check_test(alpha, power, method)
    with np.errstate(divide="ignore"):
        wanted = ((normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power)) / standardised) ** 2
    if (too_many := wanted > _MOST_UNITS).any():
        raise InvalidInputError(f"{wanted[too_many].flat[0]:.3g} units would be needed", where="effect")
    normal = np.maximum(np.ceil(wanted * (1.0 - _ROUNDING)), 1.0)
    if method == "normal":
        return whole_scalar(normal.astype(np.int64))
    return whole_scalar(_least_for_t(standardised, normal, alpha, power, paired=paired))


def minimum_detectable_effect(
    units: ArrayLike,
    sd: ArrayLike,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    paired: bool = True,
    method: PowerMethod = "normal",
) -> float | FloatArray:
    """Find the smallest effect that `units` detect with probability `power`.

    Parameters
    ----------
    units : int or array_like of int
        Tasks (paired), or units in each arm (unpaired); at least 2 for the t-test.
    sd, alpha, power, paired, method
        As for :func:`required_units`.

    Returns
    -------
    float or ndarray
        The effect, on the scale of `sd`.

    Raises
    ------
    InvalidInputError
        As for :func:`required_units`.

    Examples
    --------
    >>> round(minimum_detectable_effect(10, sd=0.0723), 3)
    0.064
    """
    _check_test(alpha, power, method)
    n, spread = _units_and_spread(units, sd, method)
    df = _freedom(n, paired=paired) if method == "t" else np.full(n.shape, np.inf)
    return scalar(noncentrality_for(df, alpha, power, method) * spread * np.sqrt((1.0 if paired else 2.0) / n))


def power_of(
    units: ArrayLike,
    effect: ArrayLike,
    sd: ArrayLike,
    alpha: float = 0.05,
    *,
    paired: bool = True,
    method: PowerMethod = "normal",
) -> float | FloatArray:
    """Probability that a two-sided test at `alpha` rejects when the true difference is `effect`.

    Parameters
    ----------
    units : int or array_like of int
        Tasks (paired), or units in each arm (unpaired); at least 2 for the t-test.
    effect : float or array_like
        The true difference; 0 gives the size, `alpha`.
    sd, alpha, paired, method
        As for :func:`required_units`.

    Returns
    -------
    float or ndarray
        The power, both tails counted. Where `sd` is 0 every effect but 0 is certain to be found.

    Raises
    ------
    InvalidInputError
        As for :func:`required_units`.

    Examples
    --------
    >>> round(power_of(17, 0.05, 0.0723), 3)
    0.814
    """
    _check_test(alpha, 0.5 + alpha / 2.0, method)
    n, spread = _units_and_spread(units, sd, method)
    n, spread, delta = np.broadcast_arrays(n, spread, real_numbers(effect, "effect"))
    certain = (spread == 0.0) & (delta != 0.0)
    ratio = np.abs(delta) / np.where(spread == 0.0, 1.0, spread)
    shift = np.where(certain, 0.0, ratio * np.sqrt(n / (1.0 if paired else 2.0)))
    df = _freedom(n, paired=paired)
    return scalar(np.where(certain, 1.0, _both_tails(shift, df, alpha, method)))


def noncentrality_for(df: FloatArray, alpha: float, power: float, method: PowerMethod) -> FloatArray:
    """Return the shift, in standard errors, that the test detects with probability `power`.

    ``z_{1-alpha/2} + z_{power}`` for the normal law, whatever `df`; for the t-test the noncentrality at which both
    tails together reject with probability `power`.
    """
    normal = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(power)
    if method == "normal":
        return np.broadcast_to(normal, df.shape)
    from scipy.special import nctdtrinc

    # One tail alone gives the start, a little too large; Newton's steps bring the other tail in.
    shift = np.asarray(nctdtrinc(df, 1.0 - power, t_quantiles(1.0 - alpha / 2.0, df)), dtype=np.float64)
    step = 1e-4
    for _ in range(6):
        slope = (_both_tails(shift + step, df, alpha, "t") - _both_tails(shift - step, df, alpha, "t")) / (2.0 * step)
        miss = _both_tails(shift, df, alpha, "t") - power
        shift = np.maximum(shift - miss / np.maximum(slope, 1e-6), step)
    return shift


def _both_tails(shift: FloatArray, df: FloatArray, alpha: float, method: PowerMethod) -> FloatArray:
    if method == "normal":
        z = normal_quantile(1.0 - alpha / 2.0)
        return normal_cdf(shift - z) + normal_cdf(-shift - z)
    from scipy.special import nctdtr

    t = t_quantiles(1.0 - alpha / 2.0, df)
    # P(T' > t) at noncentrality s is P(T' < -t) at -s: the lower tail keeps its digits where 1 - cdf has none left.
    # On the far side scipy gives NaN where the probability is below 1e-12 (checked by quadrature): that is nothing.
    return np.asarray(nctdtr(df, -shift, -t) + np.nan_to_num(nctdtr(df, shift, -t)), dtype=np.float64)


def _least_for_t(standardised: FloatArray, normal: FloatArray, alpha: float, power: float, *, paired: bool) -> IntArray:
    """Bisect for the fewest units whose exact power reaches `power`; the power grows with the units."""

    def enough(n: FloatArray) -> BoolArray:
        shift = np.where(np.isinf(standardised), 1e3, standardised * np.sqrt(n))
        return _both_tails(np.minimum(shift, 1e3), _freedom(n, paired=paired), alpha, "t") >= power * (1 - _ROUNDING)

    low = np.full(normal.shape, 1.0)
    high = np.maximum(normal, 2.0)
    while not (reached := enough(high)).all():
        low, high = np.where(reached, low, high), np.where(reached, high, 2.0 * high)
    while (high - low > 1.0).any():
        middle = np.floor((low + high) / 2.0)
        reached = enough(np.maximum(middle, 2.0))
        inside = high - low > 1.0
        low = np.where(inside & ~reached, middle, low)
        high = np.where(inside & reached, middle, high)
    return np.asarray(high, dtype=np.int64)


def _freedom(n: FloatArray, *, paired: bool) -> FloatArray:
    return np.asarray(n - 1.0 if paired else 2.0 * n - 2.0, dtype=np.float64)


def _standardised(effect: ArrayLike, sd: ArrayLike, *, paired: bool) -> FloatArray:
    """|effect| over the standard deviation of one unit's contribution to the difference; infinite where sd is 0."""
    delta = np.abs(real_numbers(effect, "effect"))
    if (delta == 0.0).any():
        raise InvalidInputError("an effect of 0 can't be detected by any number of units", where="effect")
    spread = real_numbers(sd, "sd", at_least=0.0) * np.sqrt(1.0 if paired else 2.0)
    try:
        delta, spread = np.broadcast_arrays(delta, spread)
    except ValueError:
        raise InvalidInputError(f"shapes {delta.shape} and {spread.shape} do not fit", where="effect and sd") from None
    with np.errstate(divide="ignore"):
        return np.asarray(delta / spread, dtype=np.float64)


def _units_and_spread(units: ArrayLike, sd: ArrayLike, method: PowerMethod) -> tuple[FloatArray, FloatArray]:
    n = whole_numbers(units, "units", minimum=2 if method == "t" else 1).astype(np.float64)
    return n, real_numbers(sd, "sd", at_least=0.0)


def _check_test(alpha: float, power: float, method: PowerMethod) -> None:
    check_choice(method, "method", ("normal", "t"))
    check_probability(alpha, "alpha")
    check_probability(power, "power")
    if power <= alpha:
        raise InvalidInputError(f"a power of {power} is no more than the size {alpha}", where="power")
