"""Capital of a gambler who bets against a mean: the martingales behind e-values and confidence sequences.

All take values scaled to [0, 1]. Under a mean m nobody can expect to grow capital, so that it reaches 1 / alpha, ever,
with probability at most alpha (Ville 1939).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.stats._result import FloatArray

__all__ = ["bets", "betting_bounds", "betting_capital", "mixture_bounds", "mixture_capital"]

_PRIOR = 0.5  # Jeffreys' Beta(1/2, 1/2) over the alternatives
_LARGEST_BET = 0.5  # of what would ruin the gambler (Waudby-Smith and Ramdas 2024, section 4.2)
_GRID = 1025
_BLOCK = 2**21  # floats at a time


def mixture_capital(y: FloatArray, null: float, side: str) -> FloatArray:
    """Log capital after each value of a mixture of likelihood ratios q : null, q being Beta(1/2, 1/2).

    For 0/1 values it is a martingale. For others in [0, 1] the ratio is convex in the value, so that its mean is at
    most that of the 0/1 value with the same mean: a supermartingale. One-sided, q is kept on the side of the
    alternative.
    """
    from scipy.special import betainc, betaincc, betaln, xlogy

    passed, failed = y.cumsum(axis=-1), (1.0 - y).cumsum(axis=-1)
    a, b = passed + _PRIOR, failed + _PRIOR
    with np.errstate(divide="ignore"):
        log = betaln(a, b) - betaln(_PRIOR, _PRIOR) - xlogy(passed, null) - xlogy(failed, 1.0 - null)
        if side != "two-sided":
            beyond = betaincc if side == "greater" else betainc
            log = log + np.log(beyond(a, b, null)) - np.log(beyond(_PRIOR, _PRIOR, null))
    return np.asarray(log, dtype=np.float64)


def mixture_bounds(y: FloatArray, threshold: float) -> tuple[FloatArray, FloatArray]:
    """All means whose mixture capital is below `threshold` (a log), after each value: an interval, found by bisection.

    The log capital is convex in the mean and smallest at the observed one.
    """
    from scipy.special import betaln, xlogy

    passed, failed = y.cumsum(axis=-1), (1.0 - y).cumsum(axis=-1)
    level = betaln(passed + _PRIOR, failed + _PRIOR) - betaln(_PRIOR, _PRIOR) - threshold
    centre = passed / (passed + failed)

    def bisect(edge: float) -> FloatArray:
        outside, inside = np.full(centre.shape, edge), centre
        for _ in range(60):
            middle = (outside + inside) / 2.0
            rejected = level - xlogy(passed, middle) - xlogy(failed, 1.0 - middle) >= 0.0
            outside, inside = np.where(rejected, middle, outside), np.where(rejected, inside, middle)
        return outside

    return np.where(passed == 0.0, 0.0, bisect(0.0)), np.where(failed == 0.0, 1.0, bisect(1.0))


def bets(y: FloatArray, threshold: float) -> FloatArray:
    """Stake on each value from those before it: sqrt(2 threshold / (variance t log(t + 1))).

    Waudby-Smith and Ramdas (2024), JRSS B 86, eq. (26), with their regularised running mean and variance.
    """
    t = np.arange(1.0, y.shape[-1] + 1.0)
    mean = (0.5 + y.cumsum(axis=-1)) / (t + 1.0)
    variance = (0.25 + ((y - mean) ** 2).cumsum(axis=-1)) / (t + 1.0)
    before = np.concatenate([np.full((*y.shape[:-1], 1), 0.25), variance[..., :-1]], axis=-1)
    return np.sqrt(2.0 * threshold / (before * t * np.log(t + 1.0)))


def betting_capital(y: FloatArray, null: float, stakes: FloatArray, side: str) -> FloatArray:
    """Log capital after each value of betting on means above `null` (``"greater"``) or below it (``"less"``)."""
    ruin = null if side == "greater" else 1.0 - null
    stake = np.minimum(stakes, _LARGEST_BET / ruin) if ruin > 0.0 else stakes
    gain = y - null if side == "greater" else null - y
    return np.log1p(stake * gain).cumsum(axis=-1)


def betting_bounds(y: FloatArray, threshold: float) -> tuple[FloatArray, FloatArray]:
    """All means that neither gambler has refuted by then, after each value.

    The capital of the gambler who bets on larger means falls with the mean he bets against, so the refuted ones lie
    below one end; likewise above the other. The end is interpolated between the points of a grid.
    """
    stakes = bets(y, threshold)
    low = _refuted_below(y, stakes, threshold)
    high = 1.0 - _refuted_below(1.0 - y, stakes, threshold)
    return low, high


def _refuted_below(y: FloatArray, stakes: FloatArray, threshold: float) -> FloatArray:
    flat, flat_stakes = y.reshape(-1, y.shape[-1]), stakes.reshape(-1, y.shape[-1])
    ends = np.empty(flat.shape)
    grid = np.linspace(0.0, 1.0, _GRID)
    with np.errstate(divide="ignore"):
        largest = _LARGEST_BET / grid
    for row in range(len(flat)):
        capital, record = np.zeros(_GRID), np.full(_GRID, -np.inf)
        for block in _blocks(flat.shape[-1]):
            values, stake = flat[row, block, None], np.minimum(flat_stakes[row, block, None], largest)
            path = capital + np.log1p(stake * (values - grid)).cumsum(axis=0)
            capital = path[-1]
            records = np.maximum(np.maximum.accumulate(path, axis=0), record)
            record = records[-1]
            ends[row, block] = _crossing(records, grid, threshold)
    return ends.reshape(y.shape)


def _crossing(records: FloatArray, grid: FloatArray, threshold: float) -> FloatArray:
    """Where each row, falling along `grid`, drops below `threshold`; 0 where it starts below."""
    refuted = (records >= threshold).sum(axis=-1)
    last = np.clip(refuted - 1, 0, len(grid) - 2)
    rows = np.arange(len(records))
    above, below = records[rows, last], records[rows, last + 1]
    step = np.clip((above - threshold) / np.where(above > below, above - below, 1.0), 0.0, 1.0)
    return np.where(refuted == 0, 0.0, grid[last] + step * (grid[last + 1] - grid[last]))


def _blocks(length: int) -> Iterator[slice]:
    size = max(_BLOCK // _GRID, 1)
    for start in range(0, length, size):
        yield slice(start, min(start + size, length))
