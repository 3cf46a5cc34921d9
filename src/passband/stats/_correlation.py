"""What is left of doubt about the intra-task correlation when tasks are few.

The moment estimate of a correlation from ten tasks is often far too low: the rare task that would have shown it was
not drawn. The beta-binomial posterior of the correlation knows how little ten tasks tell.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._table import distinct_pairs, histogram

if TYPE_CHECKING:
    from passband.stats._result import FloatArray, IntArray

__all__ = ["posterior_correlation"]

_NODES = 24


@cache
def _quadrature() -> tuple[FloatArray, FloatArray]:
    """Nodes and weights for the prior Beta(1/2, 1) on the correlation: its square root is uniform on (0, 1)."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return ((nodes + 1) / 2) ** 2, np.asarray(weights / 2)


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
        Between 0 and 1.
    """
    from scipy.special import gammaln

    rho, weights = _quadrature()
    concentration = (1 / rho - 1)[:, None]
    sizes, passes, index = distinct_pairs(n, c)
    tallies = histogram(index, len(sizes))
    whole = gammaln(concentration) - gammaln(concentration + sizes)
    posterior = np.empty(len(mean))
    # The likelihood's table depends on the mean alone, and means of counts repeat.
    means, which = np.unique(mean, return_inverse=True)
    order = np.argsort(which, kind="stable")
    for value, rows in zip(means, np.split(order, np.cumsum(np.bincount(which))[:-1]), strict=True):
        a, b = value * concentration, (1 - value) * concentration
        table = whole + gammaln(a + passes) - gammaln(a) + gammaln(b + (sizes - passes)) - gammaln(b)
        log_likelihood = tallies[rows] @ table.T
        mass = weights * np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
        posterior[rows] = (mass @ rho) / mass.sum(axis=1)
    return posterior
