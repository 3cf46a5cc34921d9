"""The Student's t law of a mean, from which one interval and one p-value come."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["TLaw", "t_law", "value_t_law"]


@dataclass(frozen=True, slots=True)
class TLaw:
    """(true mean - centre) / error is taken to be Student's t at df degrees of freedom.

    Interval and p-value are read off the same law, so that the p-value of a null is below 1 - level exactly where the
    interval leaves the null out.
    """

    centre: FloatArray
    error: FloatArray
    df: FloatArray

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Return both ends of the two-sided interval."""
        from scipy.special import stdtrit

        distinct, index = np.unique(self.df, return_inverse=True)  # a batch holds few, and the inverse is slow
        reach = stdtrit(distinct, (1 + level) / 2)[index].reshape(self.df.shape) * self.error
        return self.centre - reach, self.centre + reach

    def p_value(self) -> FloatArray:
        """Return the two-sided p of the mean being 0."""
        return 2 * np.minimum(self.p_at_most(0.0), self.p_at_least(0.0))

    def p_at_most(self, null: float) -> FloatArray:
        """Return the one-sided p of the mean being `null` or less."""
        from scipy.special import stdtr

        return np.asarray(stdtr(self.df, (null - self.centre) / self.error), dtype=np.float64)

    def p_at_least(self, null: float) -> FloatArray:
        """Return the one-sided p of the mean being `null` or more."""
        from scipy.special import stdtr

        return np.asarray(stdtr(self.df, (self.centre - null) / self.error), dtype=np.float64)


def t_law(values: FloatArray, doubt: FloatArray) -> TLaw:
    """Law of the mean over the last axis of values in [-1, 1], with imagined values of weight `doubt` added.

    Half of the weight lies at +1 and half at -1. At a weight of 2 and values of -1, 0 and 1 this is the adjusted Wald
    interval of Bonett and Price (2012) for paired proportions.
    """
    tasks = values.shape[-1]
    weight = tasks + doubt
    centre = values.sum(axis=-1) / weight
    squares = (values**2).sum(axis=-1) + doubt - weight * centre**2
    df = weight - 1
    return TLaw(centre, np.sqrt(np.maximum(squares, 0.0) / (df * weight)), np.asarray(df))


def value_t_law(a: FloatArray, b: FloatArray, grain: float | None = None) -> TLaw:
    """Law of the mean of b - a for values in [0, 1].

    The doubt is `grain`, what one sample weighs in a task's value; where that is unknown it is none. It is 1, as for
    one sample a task, where all values are 0 or 1, or unknown and all differences equal.
    """
    bare = (((a == 0) | (a == 1)) & ((b == 0) | (b == 1))).all(axis=-1)
    difference = b - a
    flat = np.ptp(difference, axis=-1) < 1e-12
    return t_law(difference, np.where(bare | (flat & (grain is None)), 1.0, grain or 0.0))
