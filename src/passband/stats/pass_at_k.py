"""pass@k, pass^k and G-Pass@k from counts: unbiased, exact, and only for k <= n.

Of ``n`` samples ``c`` passed. Draw ``k`` of the ``n`` without replacement; how many of the passing ones are among
them is hypergeometric, and every estimator here is a probability under that law:

- pass@k: at least one passes, ``1 - C(n-c, k) / C(n, k)`` (Chen et al. 2021, arXiv:2107.03374, eq. 1);
- pass^k: all k pass, ``C(c, k) / C(n, k)`` (Yao et al. 2024, arXiv:2406.12045);
- G-Pass@k: at least ``ceil(tau k)`` pass (Liu et al. 2024, arXiv:2412.13147, eq. 5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import counts, fractions, whole_numbers
from passband.stats._hypergeometric import at_least, exactly, none_of, some_of
from passband.stats._result import scalar
from passband.stats._table import distinct_pairs, histogram, lookup_table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray, IntArray

__all__ = ["g_pass_at_k", "pass_at_k", "pass_at_k_curve", "pass_at_k_variance", "pass_hat_k", "plug_in_pass_at_k"]


def pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> float | FloatArray:
    """Estimate the probability that at least one of `k` attempts passes, without bias.

    Parameters
    ----------
    n : int or array_like of int
        Samples drawn, at least `k`.
    c : int or array_like of int
        How many of them passed.
    k : int or array_like of int
        Attempts allowed. `n`, `c` and `k` broadcast: ``pass_at_k(n[:, None], c[:, None], range(1, 9))`` is a
        (tasks, 8) matrix.

    Returns
    -------
    float or ndarray
        Per task, not averaged: exact to 1e-12 up to n = 1e12.

    Raises
    ------
    InvalidInputError
        Where k > n (no unbiased estimate exists: a statistic of n Bernoulli samples has for expectation a polynomial
        in p of degree at most n, and 1 - (1 - p)^k has degree k), c > n, or a count is negative or not whole.

    Notes
    -----
    Chen et al. (2021), eq. 1. It is the minimum-variance unbiased estimator (see docs/methods/pass_at_k.md).

    Examples
    --------
    >>> round(pass_at_k(10, 3, 5), 4)
    0.9167
    """
    c_all, n_all, k_all = _attempts(n, c, k)
    return scalar(lookup_table(some_of, n_all, c_all, k_all))


def pass_hat_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> float | FloatArray:
    """Estimate the probability that all of `k` attempts pass (pass^k), without bias.

    Parameters
    ----------
    n, c, k : int or array_like of int
        As for :func:`pass_at_k`.

    Returns
    -------
    float or ndarray
        ``C(c, k) / C(n, k)`` for each task.

    Raises
    ------
    InvalidInputError
        As for :func:`pass_at_k`.

    Notes
    -----
    Yao et al. (2024), tau-bench, arXiv:2406.12045.

    Examples
    --------
    >>> round(pass_hat_k(4, 3, 2), 4)
    0.5
    """
    c_all, n_all, k_all = _attempts(n, c, k)
    return scalar(lookup_table(none_of, n_all, n_all - c_all, k_all))


def pass_at_k_curve(n: ArrayLike, c: ArrayLike, k_max: int) -> FloatArray:
    """Average pass@k over tasks for every k from 1 to `k_max`.

    Parameters
    ----------
    n, c : array_like of int, shape (..., tasks)
        Samples and successes of each task.
    k_max : int
        Largest k; every task needs at least so many samples.

    Returns
    -------
    ndarray, shape (..., k_max)
        Entry ``k - 1`` is the benchmark's pass@k.

    Raises
    ------
    InvalidInputError
        As for :func:`pass_at_k`.
    """
    c_all, n_all, _ = _attempts(n, c, k_max)
    if c_all.ndim == 0 or c_all.shape[-1] == 0:
        raise InvalidInputError("one count a task is wanted, and at least one task", where="c")
    pairs_n, pairs_c, index = distinct_pairs(n_all, c_all)
    curve = np.empty((*c_all.shape[:-1], k_max))
    # Over the distinct counts, k draws avoid every success with probability prod (1 - c/(n-i)), i < k: one factor a
    # step. Accumulating the complement adds positive terms only, so nothing cancels.
    passed = np.zeros(len(pairs_n))
    weights = histogram(index, len(pairs_n)) / c_all.shape[-1]
    for step in range(k_max):
        left = np.minimum(pairs_c / np.maximum(pairs_n - step, 1), 1.0)
        passed = passed + left * (1.0 - passed)
        curve[..., step] = weights @ passed
    return np.clip(curve, 0.0, 1.0)


def g_pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike, tau: float) -> float | FloatArray:
    """Estimate the probability that at least ``ceil(tau * k)`` of `k` attempts pass.

    Parameters
    ----------
    n, c, k : int or array_like of int
        As for :func:`pass_at_k`.
    tau : float
        Share of the attempts that must pass, 0 < tau <= 1; at 1 this is pass^k, and at 1/k or below pass@k.

    Returns
    -------
    float or ndarray
        One value per task.

    Raises
    ------
    InvalidInputError
        As for :func:`pass_at_k`, and where `tau` is outside (0, 1].

    Notes
    -----
    Liu et al. (2024), arXiv:2412.13147, eq. 5. ``tau * k`` is rounded up after taking off 1e-9, so that 0.1 * 30 asks
    for 3 and not, by a rounding of floats, for 4.
    """
    if not 0 < tau <= 1:
        raise InvalidInputError(f"{tau} is not in (0, 1]", where="tau")
    c_all, n_all, k_all = _attempts(n, c, k)
    return scalar(
        lookup_table(lambda n, c, k: at_least(n, c, k, np.ceil(tau * k - 1e-9).astype(np.int64)), n_all, c_all, k_all)
    )


def pass_at_k_variance(
    n: ArrayLike, k: ArrayLike, *, p: ArrayLike | None = None, c: ArrayLike | None = None
) -> float | FloatArray:
    """Variance of one task's :func:`pass_at_k` over its samples: exact for a known `p`, or unbiased from counts `c`.

    Parameters
    ----------
    n, k : int or array_like of int
        Samples and attempts.
    p : float or array_like, optional
        The task's true pass rate: the variance is then exact, for any n >= k.
    c : int or array_like of int, optional
        Successes: the variance is then the minimum-variance unbiased estimate, which needs n >= 2k and may be
        slightly negative for k > 1, as unbiased estimates of small variances must.

    Returns
    -------
    float or ndarray
        The variance.

    Raises
    ------
    InvalidInputError
        Unless exactly one of `p` and `c` is given; where n < 2k with `c` (no unbiased estimate exists).

    Notes
    -----
    With q = 1 - p the estimator's failure term R has mean q^k, and two random k-subsets that share j samples fail
    together with probability q^(2k-j), so that Var R = sum_j C(k,j) C(n-k,k-j) / C(n,k) q^(2k-j) - q^(2k)
    (Hoeffding 1948). C(n-c,2k) / C(n,2k) is unbiased for q^(2k), hence R^2 - C(n-c,2k) / C(n,2k) for the variance;
    at k = 1 it is the familiar p(1-p) / (n-1).
    """
    if (p is None) == (c is None):
        raise InvalidInputError("one of p and c is wanted", where="pass_at_k_variance")
    if c is not None:
        c_all, n_all, k_all = _attempts(n, c, k)
        if (short := n_all < 2 * k_all).any():
            raise InvalidInputError(
                f"{n_all[short].flat[0]} samples do not tell the variance of pass@{k_all[short].flat[0]}",
                where="n",
                fix="draw at least 2k samples",
            )
        failed = lookup_table(none_of, n_all, c_all, k_all)
        return scalar(failed**2 - lookup_table(none_of, n_all, c_all, 2 * k_all))
    rate = fractions(0.0 if p is None else p, "p")
    _, n_one, k_one = _attempts(n, 0, k)
    n_all, k_all, rate = np.broadcast_arrays(n_one, k_one, rate)
    variance = np.zeros(rate.shape)
    log_q = np.log1p(-np.minimum(rate, 1 - 1e-16))
    for shared in range(1, int(k_all.max(initial=0)) + 1):
        weight = np.where(shared <= k_all, exactly(n_all, k_all, k_all, np.minimum(shared, k_all)), 0.0)
        # q^(2k-j) - q^(2k) = q^(2k) (q^-j - 1), written so that small p loses nothing
        variance += weight * np.exp((2 * k_all - shared) * log_q) * -np.expm1(shared * log_q)
    return scalar(np.where(rate == 1.0, 0.0, variance))


def plug_in_pass_at_k(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> float | FloatArray:
    """Return the biased plug-in 1 - (1 - c/n)^k, to show its bias and for nothing else.

    ``f(p) = 1 - (1 - p)^k`` is strictly concave for k >= 2, so by Jensen's inequality E[f(c/n)] < f(p) for 0 < p < 1:
    the plug-in *under*states pass@k, at n = 10 and k = 5 by 0.04 to 0.08. The bias is
    ``E[(1 - c/n)^k] - (1 - p)^k``, about ``k (k - 1) p (1 - p)^(k - 1) / (2 n)``. Use :func:`pass_at_k`.

    Parameters
    ----------
    n, c, k : int or array_like of int
        As for :func:`pass_at_k`; here k may exceed n, which is one more reason not to trust it.

    Returns
    -------
    float or ndarray
        The plug-in value.

    Raises
    ------
    InvalidInputError
        Where c > n, or a count is negative or not whole.
    """
    c_all, n_all = counts(c, n)
    k_all = whole_numbers(k, "k", minimum=1)
    with np.errstate(divide="ignore"):
        return scalar(-np.expm1(k_all * np.log1p(-(c_all / n_all))))


def _attempts(n: ArrayLike, c: ArrayLike, k: ArrayLike) -> tuple[IntArray, IntArray, IntArray]:
    """Return c, n and k as whole numbers with c <= n and 1 <= k <= n."""
    c_all, n_all = counts(c, n)
    k_all = whole_numbers(k, "k", minimum=1)
    try:
        short = k_all > n_all
    except ValueError:
        raise InvalidInputError(f"shapes {n_all.shape} and {k_all.shape} do not fit", where="n and k") from None
    if short.any():
        k_bad, n_bad = (array[short].flat[0] for array in np.broadcast_arrays(k_all, n_all))
        raise InvalidInputError(
            f"{n_bad} samples give no unbiased estimate for k = {k_bad}", where="k", fix="draw at least k samples"
        )
    return c_all, n_all, k_all
