"""The bootstrap of a mean, without resampling.

Resampling N units with replacement and averaging has a law that can be computed: where values lie on a lattice, as
rates of counts do, it is the N-fold convolution of their histogram. So there is no seed and no Monte Carlo error here.
The unit is what is independent: a task, never a sample of a task.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level
from passband.stats._lattice import lattice_of, sum_law
from passband.stats._numeric import real_numbers
from passband.stats._result import Estimate, optional_scalar, scalar
from passband.stats._table import histogram

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["BootstrapDistribution", "bootstrap_ci", "bootstrap_distribution", "paired_bootstrap_diff"]

_LONGEST = 2**20  # points of one transform
_BATCH = 2**21  # points of all transforms held at once

ONE_UNIT = "one unit tells nothing of its spread: no interval"
FLAT = "all values are equal: the bootstrap sees no spread, which is no certainty"


@dataclass(frozen=True, slots=True)
class BootstrapDistribution:
    """Law of the mean of N units drawn with replacement.

    Attributes
    ----------
    support : ndarray, shape (points,)
        Possible means, ascending.
    probability : ndarray, shape (points,)
        Of each.
    error : float
        0 where the values lie on a lattice and the law is exact; else the bound on the error of any quantile, from
        splitting each value between its two neighbours on a grid.
    """

    support: FloatArray
    probability: FloatArray
    error: float


def bootstrap_distribution(values: ArrayLike) -> BootstrapDistribution:
    """Return the law of the bootstrapped mean.

    Parameters
    ----------
    values : array_like, shape (units,)
        One finite number a unit.

    Returns
    -------
    BootstrapDistribution
        Exact to rounding (1e-13, and 1e-16 for every unit) where the values are fractions with a common denominator:
        rates of counts, their differences, unbiased pass@k values of few samples. Otherwise on a grid, its `error`
        stated.

    Raises
    ------
    InvalidInputError
        Where there is no value, or one is not finite.

    Examples
    --------
    >>> law = bootstrap_distribution([0, 0, 1])
    >>> [round(p, 4) for p in law.probability.tolist()]
    [0.2963, 0.4444, 0.2222, 0.037]
    """
    units = real_numbers(values, "values")
    if units.ndim != 1 or units.size == 0:
        raise InvalidInputError(f"one number a unit is wanted, not shape {units.shape}", where="values")
    laws = _laws(units[None])
    first, law, size = laws.first, laws.law[0], len(units)
    possible = law > 0
    places = (first[0] + np.arange(len(law)))[possible]
    return BootstrapDistribution(laws.origin + laws.step * places / size, law[possible] / law.sum(), laws.error)


def bootstrap_ci(values: ArrayLike, level: float = 0.95, method: str = "percentile") -> Estimate:
    """Bootstrap interval for a mean, from the exact law.

    Parameters
    ----------
    values : array_like, shape (..., units)
        One finite number a unit (task or seed). Leading axes are evaluations.
    level : float
        Nominal coverage.
    method : {"percentile", "bca"}
        Quantiles of the law, or those corrected for bias and skewness (Efron 1987).

    Returns
    -------
    Estimate
        No interval with one unit. With few units both methods cover too little (percentile 93% at 10 tasks from
        Beta(0.4, 0.3), and much less where successes are rare): for pass rates use
        :func:`passband.stats.pass_rate_interval`.

    Raises
    ------
    InvalidInputError
        Where there is no value or one is not finite, for an unknown `method` or an impossible `level`.

    Notes
    -----
    Efron (1979, 1987). The percentile ends are the least mean at or below which at least (1 - level) / 2 lies, and its
    mirror image.

    Examples
    --------
    >>> interval = bootstrap_ci([0.0, 0.25, 0.5, 0.75, 1.0])
    >>> interval.low, interval.high
    (0.2, 0.8)
    """
    units = real_numbers(values, "values")
    if units.ndim == 0 or units.shape[-1] == 0:
        raise InvalidInputError("there is no value", where="values")
    check_level(level)
    if method not in {"percentile", "bca"}:
        raise InvalidInputError(f"{method!r} is unknown", where="method", fix="use 'percentile' or 'bca'")
    mean = units.mean(axis=-1)
    low: FloatArray | None = None
    high: FloatArray | None = None
    warnings: tuple[str, ...] = (ONE_UNIT,)
    if units.shape[-1] > 1:
        rows = units.reshape(-1, units.shape[-1])
        low, high, warnings = _ends(rows, level, corrected=method == "bca")
        low, high = low.reshape(mean.shape), high.reshape(mean.shape)
    return Estimate(
        value=scalar(mean),
        low=optional_scalar(low),
        high=optional_scalar(high),
        level=level,
        method=f"bootstrap-{method}",
        estimand="tasks-like-these",
        n_tasks=units.shape[-1],
        n_samples=units.shape[-1],
        warnings=warnings,
    )


def paired_bootstrap_diff(a: ArrayLike, b: ArrayLike, level: float = 0.95, method: str = "percentile") -> Estimate:
    """Bootstrap interval for the mean of b - a, the same units resampled for both.

    Parameters
    ----------
    a, b : array_like, shape (..., units)
        One number a unit for each system, the same units in the same order.
    level : float
        Nominal coverage.
    method : {"percentile", "bca"}
        As for :func:`bootstrap_ci`.

    Returns
    -------
    Estimate
        Positive where b is larger. :func:`passband.stats.paired_difference` covers better with few tasks.

    Raises
    ------
    InvalidInputError
        Where the two differ in units, and as for :func:`bootstrap_ci`.

    Examples
    --------
    >>> paired_bootstrap_diff([0, 0.5, 0.5, 1], [0.5, 0.5, 1, 1]).value
    0.25
    """
    one, two = real_numbers(a, "a"), real_numbers(b, "b")
    if one.ndim == 0 or two.ndim == 0 or one.shape[-1] != two.shape[-1]:
        raise InvalidInputError(f"shapes {one.shape} and {two.shape} do not hold the same units", where="a and b")
    return bootstrap_ci(two - one, level, method)


@dataclass(frozen=True, slots=True)
class _Laws:
    """Laws of the sum for rows of units: ``law[r, j]`` is that of N origin + step (first[r] + j)."""

    first: IntArray
    law: FloatArray
    origin: float
    step: float
    error: float


def _laws(rows: FloatArray) -> _Laws:
    """Put all rows on one lattice, or on a grid, and convolve."""
    size = rows.shape[-1]
    distinct, index = np.unique(rows, return_inverse=True)
    index = index.reshape(rows.shape)
    # What a lattice may be for its law to fit into a transform; sd <= range / 2 for any values.
    finest = max(1, int(_LONGEST / min(size, 24 * np.sqrt(size) / 2 + 42)))
    if (lattice := lattice_of(distinct, finest=finest)) is not None:
        places, origin, step = lattice
        tallies = histogram(places[index], int(places[-1]) + 1)
        return _Laws(*sum_law(tallies, size), origin, step, 0.0)
    low, high = float(distinct[0]), float(distinct[-1])
    step = (high - low) / finest
    exact = (rows - low) / step
    left = np.minimum(np.floor(exact).astype(np.int64), finest - 1)
    right = exact - left  # linear binning: the mean is kept, and no value moves by a whole step
    flat = (np.arange(len(rows))[:, None] * (finest + 1) + left).ravel()
    bins = len(rows) * (finest + 1)
    shares = np.zeros(bins)
    np.add.at(shares, flat, 1 - right.ravel())
    np.add.at(shares, flat + 1, right.ravel())
    return _Laws(*sum_law(shares.reshape(len(rows), -1), size), low, step, step)


def _ends(rows: FloatArray, level: float, *, corrected: bool) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Return both ends for each row, a batch of transforms at a time."""
    low, high = rows.min(axis=-1), rows.max(axis=-1)
    spread = np.flatnonzero(high - low > 1e-12 * np.maximum(1.0, np.abs(high)))
    error = 0.0
    done = 0
    batch = 1
    while done < len(spread):
        some = spread[done : done + batch]
        laws = _laws(rows[some])
        below, above = np.cumsum(laws.law, axis=-1), np.cumsum(laws.law[:, ::-1], axis=-1)
        alphas = _tails(rows[some], laws, below, level) if corrected else np.full((2, len(some)), (1 - level) / 2)
        # A hair's breadth off the tails, so that a probability that is one of them in exact arithmetic counts.
        least = (below < alphas[0][:, None] - 1e-13).sum(axis=-1)
        most = laws.law.shape[-1] - 1 - (above < alphas[1][:, None] - 1e-13).sum(axis=-1)
        scale = laws.step / rows.shape[-1]
        low[some] = laws.origin + scale * (laws.first + least)
        high[some] = laws.origin + scale * (laws.first + most)
        error = max(error, laws.error)
        done += len(some)
        batch = max(1, _BATCH // laws.law.shape[-1])
    warnings: tuple[str, ...] = (FLAT,) if len(spread) < len(rows) else ()
    if error > 0:
        warnings += (f"values without a common denominator: ends are off by at most {error:.2g}",)
    return low, high, warnings


def _tails(rows: FloatArray, laws: _Laws, below: FloatArray, level: float) -> FloatArray:
    """Lower and upper tail probabilities of the bias-corrected and accelerated interval."""
    from scipy.special import ndtr, ndtri

    size = rows.shape[-1]
    centred = rows - rows.mean(axis=-1, keepdims=True)
    acceleration = (centred**3).sum(axis=-1) / (6 * (centred**2).sum(axis=-1) ** 1.5)
    at = np.rint((rows.mean(axis=-1) - laws.origin) / laws.step * size).astype(np.int64) - laws.first
    at_most = np.take_along_axis(below, at[:, None], axis=-1)[:, 0]
    bias = ndtri(at_most - np.take_along_axis(laws.law, at[:, None], axis=-1)[:, 0] / 2)
    z = float(ndtri((1 - level) / 2))
    lower, upper = (ndtr(bias + (bias + side) / (1 - acceleration * (bias + side))) for side in (z, -z))
    return np.array([lower, 1 - upper])
