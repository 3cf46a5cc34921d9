"""Rates of counts are fractions: they live on a lattice, on which sums have exact laws."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from passband.stats._result import FloatArray, IntArray

__all__ = ["count_differences", "lattice_of"]

_FINEST = 2**40  # steps per 1: products of it with counts stay exact


def count_differences(ca: IntArray, na: IntArray, cb: IntArray, nb: IntArray) -> IntArray:
    """Return cb/nb - ca/na in whole multiples of one step for all tasks.

    The step is one over the least common multiple of all sample numbers, or 2^-40 where that would be finer.
    """
    steps = math.lcm(*np.union1d(na, nb).tolist())
    if steps > _FINEST:
        return np.rint((cb / nb - ca / na) * _FINEST).astype(np.int64)
    return np.asarray(cb * (steps // nb) - ca * (steps // na))


def lattice_of(values: FloatArray, *, finest: int = 2**20) -> tuple[IntArray, float, float] | None:
    """Return whole numbers w, an origin and a step with values = origin + step * w, where there is such a lattice.

    Values are taken for fractions with denominators of at most 10,000, which floats of counts are; None where that
    does not fit them to within rounding, or the lattice has more than `finest` points from the least to the largest.
    """
    distinct, index = np.unique(values, return_inverse=True)
    fractions = [Fraction(value).limit_denominator(10_000) for value in distinct.tolist()]
    if any(abs(float(f) - v) > 1e-14 * max(1.0, abs(v)) for f, v in zip(fractions, distinct.tolist(), strict=True)):
        return None
    origin = fractions[0]
    gaps = [f - origin for f in fractions]
    below = math.lcm(*(gap.denominator for gap in gaps))
    whole = [gap.numerator * (below // gap.denominator) for gap in gaps]
    common = math.gcd(*whole) or 1
    if whole[-1] // common > finest:
        return None
    places = np.array([w // common for w in whole], dtype=np.int64)
    return places[index.reshape(values.shape)], float(origin), float(Fraction(common, below))
