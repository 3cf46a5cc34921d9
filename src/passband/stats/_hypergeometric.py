"""Hypergeometric probabilities that stay exact where binomial coefficients overflow.

Large arguments use the saddle-point form of C. Loader (2000), "Fast and accurate computation of binomial
probabilities": factorials are replaced by their distance from x log x - x, and what remains is a sum of deviances
that are computed without cancellation. Small ones use the plain product.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from passband.stats._result import FloatArray, IntArray

__all__ = ["at_least", "exactly", "none_of", "some_of"]

_FACTORS = 16  # products up to this length beat the saddle-point form in speed, and nothing is more exact
_TABLE = 32
_RESIDUE = np.array(
    [0.0] + [math.log(math.factorial(x)) - (x * math.log(x) - x) for x in range(1, _TABLE)], dtype=np.float64
)


def _log_factorial_residue(x: IntArray) -> FloatArray:
    """Return log(x!) - (x log x - x), by table below 32 and by Stirling's series above."""
    y = np.maximum(x, 1).astype(np.float64)
    y2 = y * y
    series = (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / y2) / y2) / y2) / y
    return np.where(x < _TABLE, _RESIDUE[np.minimum(x, _TABLE - 1)], series + 0.5 * np.log(2 * np.pi * y))


def _deviance(mean: FloatArray, excess: FloatArray) -> FloatArray:
    """Return x log(x / mean) + mean - x for x = mean + excess, which is 0 where mean is and mean where x is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.maximum(excess / mean, -1.0)
        inner = mean * ((1.0 + ratio) * np.log1p(ratio) - ratio)
    return np.where(mean == 0, 0.0, np.where(ratio == -1.0, mean, inner))


def _log_exactly(n: IntArray, marked: IntArray, draws: IntArray, hits: IntArray) -> FloatArray:
    """Return the log-probability of `hits` marked ones among `draws` of `n`; all four must be consistent."""
    g = _log_factorial_residue
    share = draws / n
    excess = hits - marked * share
    # The four cells of the 2 × 2 table (marked or not, drawn or not) deviate from their means by ± the same excess.
    bare = n - marked
    deviance = (
        _deviance(marked * share, excess)
        + _deviance(marked * ((n - draws) / n), -excess)
        + _deviance(bare * share, -excess)
        + _deviance(bare * ((n - draws) / n), excess)
    )
    margins = g(marked) + g(bare) + g(draws) + g(n - draws) - g(n)
    return margins - g(hits) - g(marked - hits) - g(draws - hits) - g(bare - draws + hits) - deviance


def exactly(n: IntArray, marked: IntArray, draws: IntArray, hits: IntArray) -> FloatArray:
    """Return C(marked, hits) C(n - marked, draws - hits) / C(n, draws), and 0 where that is impossible."""
    n, marked, draws, hits = np.broadcast_arrays(n, marked, draws, hits)
    possible = (hits <= marked) & (hits <= draws) & (hits >= 0) & (n - marked - draws + hits >= 0)
    inside = np.where(possible, hits, np.maximum(0, marked + draws - n))
    return np.where(possible, np.exp(_log_exactly(n, marked, draws, inside)), 0.0)


def at_least(n: IntArray, marked: IntArray, draws: IntArray, hits: IntArray) -> FloatArray:
    """Return the probability of `hits` or more marked ones among `draws` of `n`."""
    n, marked, draws, hits = np.broadcast_arrays(n, marked, draws, hits)
    total = np.zeros(n.shape)
    for number in range(int(hits.min(initial=0)), int(np.minimum(marked, draws).max(initial=-1)) + 1):
        wanted = number >= hits
        total += np.where(wanted, exactly(n, marked, draws, np.full(n.shape, number)), 0.0)
    return np.clip(total, 0.0, 1.0)


def some_of(n: IntArray, marked: IntArray, draws: IntArray) -> FloatArray:
    """Return 1 - C(n - marked, draws) / C(n, draws): a draw of `draws` holds at least one marked item."""
    return _by_length(n, marked, draws, complement=True)


def none_of(n: IntArray, marked: IntArray, draws: IntArray) -> FloatArray:
    """Return C(n - marked, draws) / C(n, draws): a draw of `draws` holds no marked item."""
    return _by_length(n, marked, draws, complement=False)


def _by_length(n: IntArray, marked: IntArray, draws: IntArray, *, complement: bool) -> FloatArray:
    n, marked, draws = np.broadcast_arrays(n, marked, draws)
    # The ratio is symmetric in marked and draws: prod_{i < short} (1 - long / (n - i)).
    short, long = np.minimum(marked, draws), np.maximum(marked, draws)
    certain = short + long > n  # more marked and drawn items than there are: they meet
    out = np.empty(n.shape)
    out[certain] = 1.0 if complement else 0.0
    few = ~certain & (short <= _FACTORS)
    many = ~certain & ~few
    if few.any():
        out[few] = _product(n[few], short[few], long[few], complement=complement)
    if many.any():
        log_none = _log_exactly(n[many], long[many], short[many], np.zeros_like(n[many]))
        out[many] = -np.expm1(log_none) if complement else np.exp(log_none)
    return out


def _product(n: IntArray, short: IntArray, long: IntArray, *, complement: bool) -> FloatArray:
    met = np.zeros(n.shape)
    missed = np.ones(n.shape)
    for i in range(int(short.max(initial=0))):
        left = n - i
        step = i < short
        if complement:
            # Adding positive terms only: a value of 1e-12 keeps all its digits.
            met += np.where(step, long / left * (1.0 - met), 0.0)
        else:
            missed *= np.where(step, (left - long) / left, 1.0)
    return np.minimum(met, 1.0) if complement else missed
