"""The studentised bootstrap: the one that has to be resampled, as a mean and its spread share no small lattice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["bootstrap_t_ends"]

_RESAMPLES = 9999
_SEED = 0


def bootstrap_t_ends(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Ends of the bootstrap-t interval for the mean of values in [0, 1], from 9,999 resamples of a fixed seed.

    Resamples without spread are worth an infinite t: where they are more than the tail, the end is 0 or 1.

    Parameters
    ----------
    values : ndarray, shape (..., units)
        At least two units.
    level : float
        Nominal coverage.

    Returns
    -------
    low, high : ndarray, shape (...)

    Notes
    -----
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
    """
    rows = values.reshape(-1, values.shape[-1])
    ends = np.array([_one_row(row, level, np.random.default_rng(_SEED)) for row in rows])
    shape = values.shape[:-1]
    return ends[:, 0].reshape(shape), ends[:, 1].reshape(shape)


def _one_row(units: FloatArray, level: float, generator: np.random.Generator) -> tuple[float, float]:
    size = len(units)
    distinct, tallies = np.unique(units, return_counts=True)
    mean, error = float(units.mean()), float(units.std(ddof=1) / np.sqrt(size))
    if error == 0:
        return 0.0, 1.0
    draws = generator.multinomial(size, tallies / size, _RESAMPLES)
    means = draws @ distinct / size
    errors = np.sqrt(np.maximum(draws @ distinct**2 / size - means**2, 0.0) / (size - 1))
    flat = errors < 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(flat, np.copysign(np.inf, means - mean), (means - mean) / errors)
    t.sort()
    cut = int(np.floor((_RESAMPLES + 1) * (1 - level) / 2)) - 1
    if cut < 0:
        return 0.0, 1.0
    lower, upper = mean - t[-1 - cut] * error, mean - t[cut] * error
    return max(0.0, float(lower)), min(1.0, float(upper))
