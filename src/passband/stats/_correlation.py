"""What is left of doubt about the spread between tasks when few of them tell.

The moment estimate of a variance from ten tasks, or from a thousand of which ten ever fail, is often far too low: the
rare task that would have shown it was not drawn. The beta-binomial posterior of the intra-task correlation knows how
little so few tell.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._special import log_gamma_for
from passband.stats._table import distinct_pairs, histogram

if TYPE_CHECKING:
    from passband.stats._result import FloatArray, IntArray

__all__ = ["posterior_correlation"]

_NODES = 24
_POINTS = 64


@cache
def _grid() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Correlations to evaluate, finer ones to integrate over, and the cubic interpolation from one to the other.

    Both are even in the square root of the correlation: the prior Beta(1/2, 1) makes that uniform on (0, 1). A
    log-likelihood is smooth where the posterior of many tasks is narrow, so it is the log that is interpolated.
    """
    nodes = (np.arange(_NODES) + 0.5) / _NODES
    points = (np.arange(_POINTS) + 0.5) / _POINTS
    start = np.clip(np.floor(points * _NODES - 0.5).astype(np.int64) - 1, 0, _NODES - 4)
    weights = np.zeros((_POINTS, _NODES))
    for one in range(4):
        others = [other for other in range(4) if other != one]
        terms = [(points - nodes[start + o]) / (nodes[start + one] - nodes[start + o]) for o in others]
        weights[np.arange(_POINTS), start + one] = np.prod(terms, axis=0)
    return nodes**2, points**2, weights


def posterior_correlation(c: IntArray, n: IntArray, mean: FloatArray) -> FloatArray:
    """Posterior mean of the intra-task correlation, at the given mean pass rate strictly between 0 and 1.

    Task rates are Beta(mean (1/rho - 1), (1 - mean) (1/rho - 1)), counts binomial given them, and rho ~ Beta(1/2, 1).

    Parameters
    ----------
    c, n : ndarray of int, shape (evaluations, tasks)
        Successes and samples.
    mean : ndarray, shape (evaluations,)
        Mean pass rate.

    Returns
    -------
    ndarray, shape (evaluations,)
        Strictly between 0 and 1.
    """
    nodes, points, weights = _grid()
    concentration = (1 / nodes - 1)[:, None]
    sizes, passes, index = distinct_pairs(n, c)
    tallies = histogram(index, len(sizes))
    # The likelihood's table depends on the mean alone, and means of counts repeat.
    means, which = np.unique(mean, return_inverse=True)
    log_gamma = log_gamma_for(4 * len(means) * _NODES * len(sizes))
    whole = log_gamma(concentration) - log_gamma(concentration + sizes)
    posterior = np.empty(len(mean))
    order = np.argsort(which, kind="stable")
    for value, rows in zip(means, np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True):
        a, b = value * concentration, (1 - value) * concentration
        table = whole + log_gamma(a + passes) - log_gamma(a) + log_gamma(b + (sizes - passes)) - log_gamma(b)
        log_likelihood = tallies[rows] @ (weights @ table).T
        mass = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
        posterior[rows] = (mass @ points) / mass.sum(axis=1)
    return posterior
