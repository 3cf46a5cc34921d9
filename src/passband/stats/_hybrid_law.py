"""The law of a difference of two rates, each with an interval of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._mean import binomial_ends
from passband.stats._quantile import upper_quantile
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["HybridLaw", "Rate"]

_WIDEST = 37.0  # standard deviations: beyond, tails are below the least double
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate worth `size` independent trials, known from `df` + 1 tasks; infinite for a plain binomial rate."""

    mean: FloatArray
    size: FloatArray
    df: float

    def ends(self, alpha: float | FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both ends of the interval at error `alpha`."""
        if math.isinf(self.df):
            return wilson_bounds(self.mean, self.size, upper_quantile(alpha / 2, self.df))
        return binomial_ends(self.mean, self.size, self.df, alpha)


@dataclass(frozen=True, slots=True)
class HybridLaw:
    """Distances from two independent rates to the ends of their intervals, combined by squares, for b - a.

    Method 10 of Newcombe (1998), for any intervals by Zou and Donner (2008). Ends move out as the error shrinks; the
    p-value of a null is the error at which an end meets it.
    """

    a: Rate
    b: Rate

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return both ends of the two-sided interval."""
        return self._ends(1 - level)

    def p_value(self) -> FloatArray:
        """Return the two-sided p of there being no difference."""
        return np.asarray(np.minimum(1.0, 2 * np.minimum(self.p_at_most(0.0), self.p_at_least(0.0))))

    def p_at_most(self, null: float) -> FloatArray:
        """Return the one-sided p of the difference being `null` or less."""
        return self._tail(null, side=0)

    def p_at_least(self, null: float) -> FloatArray:
        """Return the one-sided p of the difference being `null` or more."""
        return self._tail(null, side=1)

    def _tail(self, null: float, *, side: int) -> FloatArray:
        """Return the one-sided error at which the lower (0) or upper (1) end meets `null`, by bisection on z."""
        from scipy.special import ndtr

        value = np.asarray(self.b.mean - self.a.mean)
        # A null beyond the estimate is met by the opposite end, at an error that counts from the other side.
        past = value <= null if side == 0 else value >= null
        inside, outside = np.zeros(value.shape), np.full(value.shape, _WIDEST)
        for _ in range(_STEPS):
            z = (inside + outside) / 2
            low, high = self._ends(2 * ndtr(-z))
            met = np.where(past ^ (side == 1), high >= null, low <= null)
            inside, outside = np.where(met, inside, z), np.where(met, z, outside)
        tail = ndtr(-outside)
        return np.where(past, 1 - tail, tail)

    def _ends(self, alpha: float | FloatArray) -> tuple[FloatArray, FloatArray]:
        (low_a, high_a), (low_b, high_b) = self.a.ends(alpha), self.b.ends(alpha)
        a, b = self.a.mean, self.b.mean
        return b - a - np.hypot(b - low_b, high_a - a), b - a + np.hypot(high_b - b, a - low_a)
