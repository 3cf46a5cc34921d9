"""Is a Beta law a fair picture of the tasks? A posterior-predictive check for impossible and for trivial tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats._numeric import normal_cdf

if TYPE_CHECKING:
    from passband.stats._posterior import PosteriorGrid
    from passband.stats._result import FloatArray, IntArray

__all__ = ["PredictiveCheck", "predictive_check"]

_SUSPICIOUS = 0.025
_NEAR = 4  # a task is near the edge where at most a quarter of its samples passed (or failed)
_THINNING = (4, 3)


@dataclass(frozen=True, slots=True)
class PredictiveCheck:
    """How many of the tasks near an edge lie on it, against what the model expects.

    A Beta law runs smoothly into its ends: where many tasks never pass, it also wants tasks that pass now and then.
    A share of tasks that cannot be solved at all (zero inflation) leaves those out.

    Attributes
    ----------
    never, near_never : int
        Tasks without a success; tasks with at most a quarter of them (of those with four samples or more).
    never_expected : float
        How many of the second the model expects among the first.
    never_p : float
        Posterior-predictive probability of so many, or more.
    always, near_always : int
        The same for tasks without a failure.
    always_expected, always_p : float
        The same.
    warnings : tuple of str
        What fails, if anything, at a probability below 2.5%.
    """

    never: int
    near_never: int
    never_expected: float
    never_p: float
    always: int
    near_always: int
    always_expected: float
    always_p: float
    warnings: tuple[str, ...] = ()


def predictive_check(grid: PosteriorGrid, c: IntArray, n: IntArray) -> PredictiveCheck:
    """Compare the tasks on each edge with the posterior."""
    x, y = _THINNING
    weights = grid.weights[::x, ::y].ravel()
    kept = weights > 1e-9 * weights.max()
    weights = weights[kept] / weights[kept].sum()
    mu, rho = np.broadcast_arrays(grid.mu[::x, None], grid.rho[None, ::y])
    nu, rest = np.broadcast_arrays(grid.nu[::x, None], grid.rest[None, ::y])
    picked = [part.ravel()[kept] for part in (mu, nu, rho, rest)]
    never = _edge(picked, weights, c, n)
    always = _edge([picked[1], picked[0], *picked[2:]], weights, n - c, n)
    warnings = []
    for (on, near, expected, p), word in ((never, "never"), (always, "always")):
        if p < _SUSPICIOUS:
            warnings.append(
                f"{on} of {near} tasks near that edge {word} pass, where the Beta law expects {expected:.1f} "
                f"(p = {p:.2g}): the tasks are a mixture, and the posterior is not to be trusted"
            )
    return PredictiveCheck(*never, *always, warnings=tuple(warnings))


def _edge(nodes: list[FloatArray], weights: FloatArray, c: IntArray, n: IntArray) -> tuple[int, int, float, float]:
    """Tasks with no success among those with few: how many there are, of how many, expected, and how unlikely."""
    few = (n >= _NEAR) & (c <= n // _NEAR)
    on, near = int((c[few] == 0).sum()), int(few.sum())
    if near == 0:
        return on, near, 0.0, 1.0
    sizes, tasks = np.unique(n[few], return_counts=True)
    shares = np.stack([_share_on_edge(nodes, int(size)) for size in sizes])
    expected = tasks @ shares
    if len(sizes) == 1:
        from scipy.special import betainc

        beyond = betainc(on, near - on + 1.0, shares[0]) if on > 0 else np.ones_like(weights)
    else:
        spread = np.sqrt(np.maximum(tasks @ (shares * (1.0 - shares)), 1e-12))
        beyond = normal_cdf((expected - on + 0.5) / spread)
    return on, near, float(weights @ expected), min(float(weights @ beyond), 1.0)


def _share_on_edge(nodes: list[FloatArray], n: int) -> FloatArray:
    """P(c = 0 | c <= n / 4) at each node, from the ratios of neighbouring probabilities."""
    mu, nu, rho, rest = nodes
    ratio, total = np.ones_like(mu), np.ones_like(mu)
    for c in range(n // _NEAR):
        ratio = ratio * (n - c) / (c + 1.0) * (mu * rest + c * rho) / (nu * rest + (n - c - 1.0) * rho)
        total = total + ratio
    return 1.0 / total
