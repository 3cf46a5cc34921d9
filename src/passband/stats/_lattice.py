"""Rates of counts are fractions: they live on a lattice, on which sums have exact laws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from passband.stats._result import FloatArray, IntArray

__all__ = ["count_differences", "lattice_of", "sum_law"]

_FINEST = 2**40  # steps per 1: products of it with counts stay exact


def count_differences(ca: IntArray, na: IntArray, cb: IntArray, nb: IntArray) -> IntArray:
    """Return cb/nb - ca/na in whole multiples of one step for all tasks.

    The step is one over the least common multiple of all sample numbers, or 2^-40 where that would be finer.
    """
    steps = math.lcm(*np.union1d(na, nb).tolist())
    if steps > _FINEST:
        return np.rint((cb / nb - ca / na) * _FINEST).astype(np.int64)
    return np.asarray(cb * (steps // nb) - ca * (steps // na))


def lattice_of(distinct: FloatArray, *, finest: int) -> tuple[IntArray, float, float] | None:
    """Return whole numbers w, an origin and a step with distinct = origin + step * w, where there is such a lattice.

    Values are taken for fractions with denominators of at most 10,000, which rates of counts are; None where that
    does not fit them to within rounding, or the lattice has more than `finest` steps from the least to the largest.

    Parameters
    ----------
    distinct : ndarray
        Ascending.
    finest : int
        Most steps.
    """
    if len(distinct) > finest:
        return None
    fractions = [Fraction(value).limit_denominator(10_000) for value in distinct.tolist()]
    if any(abs(float(f) - v) > 1e-14 * max(1.0, abs(v)) for f, v in zip(fractions, distinct.tolist(), strict=True)):
        return None
    gaps = [f - fractions[0] for f in fractions]
    below = math.lcm(*(gap.denominator for gap in gaps))
    whole = [gap.numerator * (below // gap.denominator) for gap in gaps]
    common = math.gcd(*whole) or 1
    if whole[-1] // common > finest:
        return None
    return np.array([w // common for w in whole]), float(fractions[0]), float(Fraction(common, below))


def sum_law(tallies: FloatArray, draws: int) -> tuple[IntArray, FloatArray]:
    """Law of a sum of `draws` draws with replacement from 0, 1, 2, … in the proportions of `tallies`.

    It is the `draws`-fold convolution of the proportions, taken modulo a length that leaves less than 1e-13 outside
    (by Bernstein's inequality), so that a million draws cost a transform of a few standard deviations.

    Parameters
    ----------
    tallies : ndarray, shape (rows, values)
        How often each value is found.
    draws : int
        Number of draws.

    Returns
    -------
    first : ndarray of int, shape (rows,)
    law : ndarray, shape (rows, length)
        ``law[r, j]`` is the probability of the sum ``first[r] + j``.
    """
    share = tallies / tallies.sum(axis=-1, keepdims=True)
    largest = tallies.shape[-1] - 1
    place = np.arange(largest + 1.0)
    mean = share @ place
    deviation = np.sqrt(draws * np.maximum(share @ place**2 - mean**2, 0.0))
    reach = 12 * deviation + 20 * largest
    length = 1 << int(min(draws * largest, 2 * reach.max() + 2)).bit_length()
    spectrum = np.fft.rfft(share, length)
    folded = np.fft.irfft(_power(spectrum, draws), length)
    first = np.maximum(0, np.floor(draws * mean - reach)).astype(np.int64)
    turned = np.take_along_axis(folded, (first[:, None] + np.arange(length)) % length, axis=-1)
    return first, np.maximum(turned, 0.0)


def _power(base: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """Raise to a whole power by squaring: a dozen products beat a complex logarithm an entry."""
    result = np.ones_like(base)
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        if exponent:
            base = base * base
    return result
