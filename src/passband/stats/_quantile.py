"""Quantiles of the normal and Student's t."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

from passband.stats._special import t_upper_quantile

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["normal_quantile", "t_quantile", "upper_quantile"]


def normal_quantile(p: float) -> float:
    """Return z with P(Z <= z) = p."""
    return NormalDist().inv_cdf(p)


def t_quantile(p: float, df: float) -> float:
    """Return t with P(T <= t) = p at `df` degrees of freedom."""
    return -float(t_upper_quantile(p, df))


def upper_quantile(tail: float | FloatArray, df: float | FloatArray) -> FloatArray:
    """Return t with P(T > t) = `tail` at `df` degrees of freedom, which may be infinite; exact for the least tails."""
    return t_upper_quantile(tail, df)
