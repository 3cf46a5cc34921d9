"""Quantiles of the normal and Student's t."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["normal_quantile", "t_quantile", "upper_quantile"]


def normal_quantile(p: float) -> float:
    """Return z with P(Z <= z) = p."""
    return NormalDist().inv_cdf(p)


def t_quantile(p: float, df: float) -> float:
    """Return t with P(T <= t) = p at `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))


def upper_quantile(tail: float | FloatArray, df: float | FloatArray) -> FloatArray:
    """Return t with P(T > t) = `tail` at `df` degrees of freedom, which may be infinite; exact for the least tails."""
    from scipy.special import ndtri, stdtrit

    finite = np.isfinite(df)
    return np.where(finite, -stdtrit(np.where(finite, df, 1.0), tail), -ndtri(tail))
