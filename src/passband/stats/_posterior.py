"""Posterior of (mean, intra-task correlation) under the beta-binomial model, on a grid that finds its own place."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._numeric import expit, log_expit

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.stats._numeric import BoolArray
    from passband.stats._result import FloatArray
    from passband.stats.beta_binomial import Exceedances

__all__ = ["PosteriorGrid", "logit"]

_REACH = 36.0  # on the logit scale: 2e-16 from 0 or 1
_DROP = 36.0  # what lies so far below the peak (in logs) is left out
_COARSE = 33
_FINE = (193, 97)


class PosteriorGrid:
    """Weights on a grid even in logit mu and logit rho, for priors mu ~ U(0, 1) and rho ~ U(0, 1).

    The trapezoid rule on a smooth density that vanishes at both ends converges faster than any power of the step, and
    on the logit scale the density does vanish there, if not faster, then as the priors' Jacobian does.
    """

    def __init__(self, counts: Exceedances) -> None:
        box = np.array([[-_REACH, _REACH], [-_REACH, _REACH]])
        for _ in range(30):
            axes = [np.linspace(low, high, _COARSE) for low, high in box]
            inside = np.isfinite(density := _log_density(counts, axes)) & (density > density.max() - _DROP)
            shrunk = np.array([_extent(axis, inside.any(axis=1 - i)) for i, axis in enumerate(axes)])
            if np.allclose(shrunk, box, rtol=0.0, atol=0.05 * float((box[:, 1] - box[:, 0]).min())):
                break
            box = shrunk
        self.x, self.y = (np.linspace(low, high, size) for (low, high), size in zip(box, _FINE, strict=True))
        density = _log_density(counts, [self.x, self.y])
        weights = np.exp(density - density.max())
        self.weights = weights / weights.sum()
        self.mu, self.nu = expit(self.x), expit(-self.x)
        self.rho, self.rest = expit(self.y), expit(-self.y)

    def mean(self, values: FloatArray) -> float:
        """Posterior mean of `values`, given on the grid (mus, rhos)."""
        return float((self.weights * values).sum())

    def quantiles(self, places: Callable[[float], FloatArray], p: FloatArray) -> FloatArray:
        """Quantiles of a quantity in [0, 1] that grows with the mean.

        Parameters
        ----------
        places : callable
            For a value of the quantity, the logit mu at which it is reached, for each rho of the grid.
        p : ndarray
            Probabilities.
        """
        distribution = _Distribution(self.x, self.weights)
        return np.array([_bisect(lambda value: distribution(places(value)), float(q)) for q in p])

    def solve(self, function: Callable[[FloatArray], FloatArray], value: float) -> FloatArray:
        """Find, for each rho of the grid, the logit mu at which a growing `function` of it reaches `value`."""
        low, high = np.full(len(self.y), self.x[0]), np.full(len(self.y), self.x[-1])
        for _ in range(50):
            middle = (low + high) / 2.0
            small = function(middle) < value
            low, high = np.where(small, middle, low), np.where(small, high, middle)
        return low

    def correlation_quantiles(self, p: FloatArray) -> FloatArray:
        """Quantiles of the intra-task correlation."""
        distribution = _Distribution(self.y, self.weights.sum(axis=0)[:, None])
        return np.array([_bisect(lambda value: distribution(np.array([logit(value)])), float(q)) for q in p])


def logit(p: float) -> float:
    """Return log(p / (1 - p))."""
    return math.log(p) - math.log1p(-p)


class _Distribution:
    """Sum over columns of the integral of the weights along `axis`, up to a place of its own in each column."""

    def __init__(self, axis: FloatArray, weights: FloatArray) -> None:
        self._start, self._step, self._cells = axis[0], axis[1] - axis[0], len(axis) - 1
        self._table = (_cumulative(weights), weights, _slopes(weights)[0])
        self._columns = np.arange(weights.shape[1])

    def __call__(self, places: FloatArray) -> float:
        at = np.clip((places - self._start) / self._step, 0.0, float(self._cells))
        left = np.minimum(at.astype(np.int64), self._cells - 1)
        (f0, g0, h0), (f1, g1, h1) = ([part[left + i, self._columns] for part in self._table] for i in (0, 1))
        t, rise = at - left, f1 - f0
        # the quintic with the integrals, the weights and their slopes at both ends of the cell
        a = 10.0 * rise - 6.0 * g0 - 4.0 * g1 - 1.5 * h0 + 0.5 * h1
        b = -15.0 * rise + 8.0 * g0 + 7.0 * g1 + 1.5 * h0 - h1
        c = 6.0 * rise - 3.0 * (g0 + g1) + 0.5 * (h1 - h0)
        return float((f0 + t * (g0 + t * (h0 / 2.0 + t * (a + t * (b + t * c))))).sum())


def _log_density(counts: Exceedances, axes: list[FloatArray]) -> FloatArray:
    x, y = axes
    with np.errstate(divide="ignore", invalid="ignore"):
        log = counts.log_likelihood(expit(x), expit(y), expit(-x), expit(-y))
    jacobian = (log_expit(x) + log_expit(-x))[:, None] + log_expit(y) + log_expit(-y)
    return log + jacobian


def _extent(axis: FloatArray, inside: BoolArray) -> tuple[float, float]:
    """One cell more than the part of `axis` that is inside."""
    kept = np.flatnonzero(inside)
    return float(axis[max(kept[0] - 1, 0)]), float(axis[min(kept[-1] + 1, len(axis) - 1)])


def _slopes(weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """First and third derivatives along the first axis, in steps of the grid; beyond the ends there is nothing."""
    wide = np.pad(weights, ((2, 2), (0, 0)))
    first = (8.0 * (wide[3:-1] - wide[1:-3]) - (wide[4:] - wide[:-4])) / 12.0
    third = (wide[4:] - wide[:-4] - 2.0 * (wide[3:-1] - wide[1:-3])) / 2.0
    return first, third


def _cumulative(weights: FloatArray) -> FloatArray:
    """Integral from the left end to each node, along the first axis, by the Euler-Maclaurin formula."""
    first, third = _slopes(weights)
    cells = (weights[1:] + weights[:-1]) / 2.0 - np.diff(first, axis=0) / 12.0 + np.diff(third, axis=0) / 720.0
    return np.concatenate([np.zeros((1, weights.shape[1])), cells.cumsum(axis=0)])


def _bisect(distribution: Callable[[float], float], p: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if distribution(middle) < p else (low, middle)
    return (low + high) / 2.0
