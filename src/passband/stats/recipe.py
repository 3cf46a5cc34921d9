"""Two training recipes, a few seeds each: the unit is the seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, counts
from passband.stats._quantile import t_quantile
from passband.stats._result import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["LEAST_SEEDS", "RecipeDifference", "recipe_difference"]

LEAST_SEEDS = 3
"""Fewer seeds an arm show no spread that a claim about the recipe could rest on."""


@dataclass(frozen=True, slots=True)
class RecipeDifference:
    """Mean of recipe b less that of recipe a, on these tasks.

    Attributes
    ----------
    estimate : Estimate
        The difference; without an interval where an arm has fewer than three seeds.
    p_value : float or None
        Two-sided p of no difference, of the test that made the interval.
    means : tuple of ndarray
        Pass rate of every seed of a, and of b.
    df : float or None
        Welch's degrees of freedom.
    evaluation_sd : tuple of float
        What the evaluation alone would make the seeds' rates vary by, in each arm.
    """

    estimate: Estimate
    p_value: float | None
    means: tuple[FloatArray, FloatArray]
    df: float | None
    evaluation_sd: tuple[float, float]


def recipe_difference(
    a: tuple[ArrayLike, ArrayLike], b: tuple[ArrayLike, ArrayLike], *, level: float = 0.95
) -> RecipeDifference:
    """Compare two recipes by the pass rates of their seeds.

    Parameters
    ----------
    a, b : tuple of array_like
        Successes and samples ``(c, n)``, each of shape (seeds, tasks), the same tasks in both.
    level : float
        Nominal coverage.

    Returns
    -------
    RecipeDifference
        Welch's t. An arm's variance is never taken below what the sampling of episodes alone gives, so that seeds that
        agree by chance claim no certainty.

    Raises
    ------
    InvalidInputError
        For other shapes, different tasks, or counts that make no sense.

    Notes
    -----
    Welch (1947), Biometrika 34. The tasks are fixed: with another set of tasks all seeds would move together, and this
    interval does not cover that.
    """
    check_level(level)
    arms = []
    for name, pair in (("a", a), ("b", b)):
        c, n = counts(*pair)
        if c.ndim != 2 or 0 in c.shape:
            raise InvalidInputError(f"(seeds, tasks) are wanted, not shape {c.shape}", where=name)
        rates = c / n
        spread = np.where(n > 1, rates * (1 - rates) / np.maximum(n - 1, 1), 0.25)
        arms.append((rates.mean(axis=1), float(spread.sum(axis=1).mean() / c.shape[1] ** 2), int(n.sum()), c.shape[1]))
    (means_a, noise_a, total_a, tasks_a), (means_b, noise_b, total_b, tasks_b) = arms
    if tasks_a != tasks_b:
        raise InvalidInputError(f"{tasks_a} tasks against {tasks_b}", where="recipe_difference")
    value = float(means_b.mean() - means_a.mean())
    seeds = len(means_a), len(means_b)
    low = high = p_value = df = None
    warnings: tuple[str, ...] = ()
    if min(seeds) < LEAST_SEEDS:
        few = f"{seeds[0]} and {seeds[1]} seeds support no claim about the recipes"
        warnings = (f"{few}: at least {LEAST_SEEDS} an arm are needed",)
    else:
        from scipy.special import stdtr

        parts = [
            max(float(means.var(ddof=1)), noise) / len(means)
            for means, noise in ((means_a, noise_a), (means_b, noise_b))
        ]
        error = float(np.sqrt(sum(parts)))
        if error == 0.0:
            warnings = ("every sample of every seed has one outcome: nothing bounds the training noise",)
        else:
            weights = [part**2 / (n - 1) for part, n in zip(parts, seeds, strict=True)]
            df = sum(parts) ** 2 / sum(weights)
            reach = t_quantile((1 + level) / 2, df) * error
            low, high = max(value - reach, -1.0), min(value + reach, 1.0)
            p_value = float(2 * stdtr(df, -abs(value) / error))
    return RecipeDifference(
        estimate=Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            method="welch t over seeds",
            estimand="recipe",
            n_tasks=sum(seeds),
            n_samples=total_a + total_b,
            warnings=warnings,
        ),
        p_value=p_value,
        means=(means_a, means_b),
        df=df,
        evaluation_sd=(float(np.sqrt(noise_a)), float(np.sqrt(noise_b))),
    )
