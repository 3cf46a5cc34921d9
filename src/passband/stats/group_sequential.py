"""Bounds for a fixed number of looks: Pocock's and O'Brien and Fleming's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import whole_numbers
from passband.stats._numeric import check_choice, check_probability, normal_cdf, real_numbers
from passband.stats._quantile import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["GroupSequentialBounds", "group_sequential_bounds"]


@dataclass(frozen=True, slots=True)
class GroupSequentialBounds:
    """What the evidence must reach at each of the planned looks.

    Attributes
    ----------
    z : ndarray, shape (looks,)
        Reject at look k if the standardised difference is at least so large, up or down.
    nominal_p : ndarray, shape (looks,)
        The same for the two-sided p-value of look k: at most so large. Use it with any test's p-value.
    spent : ndarray, shape (looks,)
        Probability, under the null, of having rejected by look k; the last is `alpha`.
    information : ndarray, shape (looks,)
        Share of all data that is in by look k.
    constant : float
        C with z_k = C (Pocock), or C / sqrt(information_k) (O'Brien and Fleming).
    kind : str
        ``"pocock"`` or ``"obrien-fleming"``.
    alpha : float
        Two-sided size over all looks.
    """

    z: FloatArray
    nominal_p: FloatArray
    spent: FloatArray
    information: FloatArray
    constant: float
    kind: str
    alpha: float


def group_sequential_bounds(
    looks: int,
    alpha: float = 0.05,
    kind: Literal["pocock", "obrien-fleming"] = "obrien-fleming",
    *,
    information: ArrayLike | None = None,
) -> GroupSequentialBounds:
    """Bounds for a planned number of looks at a growing evaluation, at size `alpha` over all of them.

    Parameters
    ----------
    looks : int
        How often the results will be looked at, the last time included.
    alpha : float
        Two-sided size over all looks.
    kind : {"obrien-fleming", "pocock"}
        Hardly anything early and nearly the ordinary test at the end; or the same bound at each look.
    information : array_like, optional
        Share of the data (tasks, or seeds) that is in by each look, increasing to 1; equal steps by default.

    Returns
    -------
    GroupSequentialBounds
        One bound a look.

    Raises
    ------
    InvalidInputError
        For impossible `looks`, `alpha`, `kind`, or shares that do not increase to 1.

    Notes
    -----
    The sums at the looks are a Brownian motion at times `information`; the probability of having stayed inside is
    carried from look to look by Gauss-Legendre quadrature (Armitage, McPherson and Rowe 1969), and the constant is
    found by the secant method. It agrees with Jennison and Turnbull (2000), Tables 2.1 and 2.3, in all their digits.
    At few tasks take `nominal_p` and compare an exact p-value with it (their section 3.8).

    Examples
    --------
    >>> group_sequential_bounds(5, kind="pocock").z.round(3)
    array([2.413, 2.413, 2.413, 2.413, 2.413])
    >>> group_sequential_bounds(5).z.round(2)
    array([4.56, 3.23, 2.63, 2.28, 2.04])
    """
    count = int(whole_numbers(looks, "looks", minimum=1))
    check_probability(alpha, "alpha")
    check_choice(kind, "kind", ("pocock", "obrien-fleming"))
    times = np.arange(1.0, count + 1.0) / count if information is None else _shares(information, count)
    shape = np.ones(count) if kind == "pocock" else 1.0 / np.sqrt(times)
    constant = _solve(shape, times, alpha)
    z = constant * shape
    return GroupSequentialBounds(
        z=z,
        nominal_p=2.0 * normal_cdf(-z),
        spent=_spent(z, times),
        information=times,
        constant=constant,
        kind=kind,
        alpha=alpha,
    )


def _solve(shape: FloatArray, times: FloatArray, alpha: float) -> float:
    """Find C with size `alpha`, by the secant method on the scale of z, where size is nearly linear in C."""
    wanted = -normal_quantile(alpha / 2.0)

    def miss(constant: float) -> float:
        spent = float(_spent(constant * shape, times)[-1])
        return -normal_quantile(min(max(spent, 1e-300), 1.0 - 1e-12) / 2.0) - wanted

    before, now = wanted, 1.1 * wanted
    miss_before = miss(before)
    for _ in range(40):
        miss_now = miss(now)
        if abs(miss_now) < 1e-12 or miss_now == miss_before:
            break
        before, now, miss_before = now, now - miss_now * (now - before) / (miss_now - miss_before), miss_now
    return now


def _shares(information: ArrayLike, looks: int) -> FloatArray:
    times = real_numbers(information, "information", above=0.0)
    if times.shape != (looks,):
        raise InvalidInputError(f"{looks} shares are wanted, not shape {times.shape}", where="information")
    if not math.isclose(float(times[-1]), 1.0, rel_tol=1e-9) or (np.diff(times) <= 0.0).any():
        raise InvalidInputError("the shares of the data must increase to 1", where="information")
    return times


def _spent(z: FloatArray, times: FloatArray) -> FloatArray:
    """Probability that |B(t_k)| >= z_k sqrt(t_k) at some look by then, for a standard Brownian motion B."""
    spent = np.empty(len(z))
    at, mass = np.zeros(1), np.ones(1)  # where the motion may be, and with which probability it is there, inside
    before = 0.0
    for look, (bound, time) in enumerate(zip(z * np.sqrt(times), times, strict=True)):
        step = math.sqrt(time - before)
        outside = normal_cdf((at - bound) / step) + normal_cdf((-at - bound) / step)
        spent[look] = (spent[look - 1] if look else 0.0) + float(mass @ outside)
        reach = min(bound, 10.0 * math.sqrt(time))  # there is nobody farther out
        nodes, weights = _gauss_legendre(reach / step)
        there = reach * nodes
        density = np.exp(-(((there[:, None] - at) / step) ** 2) / 2.0) / (step * math.sqrt(2.0 * math.pi))
        at, mass = there, reach * weights * (density @ mass)
        before = float(time)
    return spent


@lru_cache(maxsize=64)
def _rule(size: int) -> tuple[FloatArray, FloatArray]:
    return np.polynomial.legendre.leggauss(size)


def _gauss_legendre(steps: float) -> tuple[FloatArray, FloatArray]:
    """Two nodes for each standard deviation of a step are ample: the error falls faster than any power of them."""
    return _rule(max(48, 16 * math.ceil(4.0 * steps / 16.0)))
