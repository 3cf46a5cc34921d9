"""Quantiles of the normal and Student's t."""

from __future__ import annotations

from statistics import NormalDist

__all__ = ["normal_quantile", "t_quantile"]


def normal_quantile(p: float) -> float:
    """Return z with P(Z <= z) = p."""
    return NormalDist().inv_cdf(p)


def t_quantile(p: float, df: float) -> float:
    """Return t with P(T <= t) = p at `df` degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(df, p))
