"""Training noise and evaluation noise, told apart.

Model: seed s of a recipe ends at a checkpoint with pass rate mu + a_s on these tasks, Var(a_s) = training variance; an
evaluation of it has independent noise of its own, the evaluation variance. Duplicate evaluations of one checkpoint show
the second alone; means over seeds vary with both. It is the one-way random-effects analysis of variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import check_level, counts
from passband.stats._mean import binomial_ends, clustered_size
from passband.stats._result import Estimate, scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from passband.stats._result import FloatArray

__all__ = ["SeedVariance", "seed_variance"]

_LARGEST_VARIANCE = 0.25  # of anything that lives in [0, 1]
_SUSPICIOUS = 0.005  # tail probability at which repeats are called too far apart, or too alike


@dataclass(frozen=True, slots=True)
class SeedVariance:
    """What the seed of a training run contributes to a pass rate, and what the evaluation does.

    One experiment gives floats, a batch of them (leading axes) arrays.

    Attributes
    ----------
    mean : Estimate
        The recipe's pass rate on these tasks, with an interval over seeds; its ``n_tasks`` counts seeds.
    seed_means : ndarray, shape (..., seeds)
        Pass rate of each seed over tasks and repeats.
    evaluation_variance, evaluation_sd : float or ndarray
        Noise of *one* evaluation of a fixed checkpoint, from repeats (from the samples within tasks if not repeated).
    sampling_variance : float, ndarray or None
        What that noise would be if samples of a task were independent and nothing else varied; None where a task has
        one sample only.
    training_variance : float or ndarray
        Variance between checkpoints of the recipe: unbiased, hence sometimes negative.
    training_sd : float or ndarray
        Its root, 0 where it is negative.
    training_sd_low, training_sd_high : float or ndarray
        Interval for the training standard deviation; 0.5, the largest there is, where the seeds' means are equal.
    n_seeds, n_tasks, n_repeats : int
        Shape of the experiment.
    level : float
        Nominal coverage of both intervals.
    warnings : tuple of str
        What a reader must know before quoting the numbers.
    """

    mean: Estimate
    seed_means: FloatArray
    evaluation_variance: float | FloatArray
    evaluation_sd: float | FloatArray
    sampling_variance: float | FloatArray | None
    training_variance: float | FloatArray
    training_sd: float | FloatArray
    training_sd_low: float | FloatArray
    training_sd_high: float | FloatArray
    n_seeds: int
    n_tasks: int
    n_repeats: int
    level: float
    warnings: tuple[str, ...] = ()


def seed_variance(c: ArrayLike, n: ArrayLike, level: float = 0.95) -> SeedVariance:
    """Split the spread of a recipe's pass rates into training noise and evaluation noise.

    Parameters
    ----------
    c : array_like of int, shape (..., seeds, tasks, repeats)
        Successes: `repeats` independent evaluations of the checkpoint of each seed, on the same tasks. Repeats must
        not share sample seeds (common random numbers): that hides the noise they are there to show.
    n : array_like of int
        Samples of each entry; broadcasts with `c`.
    level : float
        Nominal coverage.

    Returns
    -------
    SeedVariance
        Both variances, and intervals for the recipe's mean and for the training standard deviation.

    Raises
    ------
    InvalidInputError
        With fewer than three axes or two seeds; with one repeat of one sample a task, from which the two noises
        can't be told apart; for impossible counts.

    Notes
    -----
    With R repeats, Var(seed means) - evaluation variance / R is unbiased for the training variance. Its interval is
    that of Tukey (1951) and Williams (1962) for a variance component, (S - 1)(MSB - F MSW) / (R chi²); the interval
    of the mean is Wilson's at the number of samples that the spread *between seeds* is worth, with Student's t at
    S - 1 degrees of freedom.

    Examples
    --------
    >>> c = [[[23, 22]], [[24, 22]], [[22, 23]], [[23, 25]]]  # 4 seeds, 1 task, 2 evaluations of 32 samples
    >>> found = seed_variance(c, 32)
    >>> found.training_variance < 0, found.training_sd, round(found.evaluation_sd, 3)
    (True, 0.0, 0.035)
    """
    c_all, n_all, seeds, tasks, repeats = _shaped(c, n, level)
    rates = c_all / n_all
    evaluations = rates.mean(axis=-2)
    seed_means = evaluations.mean(axis=-1)
    sampling = _sampling_variance(rates, n_all) if (n_all >= 2).all() else None
    if repeats > 1:
        evaluation = evaluations.var(axis=-1, ddof=1).mean(axis=-1)
        freedom = float(seeds * (repeats - 1))
    elif sampling is not None:
        evaluation = sampling
        freedom = float((n_all - 1).sum(axis=(-3, -2, -1)).min())
    else:
        raise InvalidInputError(
            "one evaluation of one sample a task can't tell training noise from evaluation noise",
            where="c",
            fix="evaluate every seed twice",
        )
    between = seed_means.var(axis=-1, ddof=1)
    low, high = _component_bounds(between * repeats, evaluation, repeats, (seeds - 1.0, freedom), level)
    harmonic = seeds * tasks * repeats / (1.0 / n_all).mean(axis=(-3, -2, -1))
    mean = seed_means.mean(axis=-1)
    size = clustered_size(mean, between / seeds, seeds, harmonic)
    mean_low, mean_high = binomial_ends(mean, size, seeds - 1.0, 1.0 - level)
    total = n_all.sum(axis=(-3, -2, -1))
    warnings = _warnings(
        seeds=seeds, repeats=repeats, between=between, evaluation=evaluation, sampling=sampling, freedom=freedom
    )
    training = between - evaluation / repeats
    return SeedVariance(
        mean=Estimate(
            value=scalar(mean),
            low=scalar(mean_low),
            high=scalar(mean_high),
            level=level,
            method="wilson-cluster over seeds",
            estimand="recipe",
            n_tasks=seeds,
            n_samples=int(total) if total.ndim == 0 else total,
            warnings=warnings,
        ),
        seed_means=seed_means,
        evaluation_variance=scalar(evaluation),
        evaluation_sd=scalar(np.sqrt(evaluation)),
        sampling_variance=None if sampling is None else scalar(sampling),
        training_variance=scalar(training),
        training_sd=scalar(np.sqrt(np.maximum(training, 0.0))),
        training_sd_low=scalar(np.sqrt(low)),
        training_sd_high=scalar(np.sqrt(high)),
        n_seeds=seeds,
        n_tasks=tasks,
        n_repeats=repeats,
        level=level,
        warnings=warnings,
    )


def _shaped(c: ArrayLike, n: ArrayLike, level: float) -> tuple[FloatArray, FloatArray, int, int, int]:
    check_level(level)
    c_all, n_all = counts(c, n)
    if c_all.ndim < 3:
        raise InvalidInputError(f"(seeds, tasks, repeats) are wanted, not shape {c_all.shape}", where="c")
    seeds, tasks, repeats = c_all.shape[-3:]
    if seeds < 2:
        raise InvalidInputError("one seed says nothing of the spread between seeds", where="c")
    if tasks == 0 or repeats == 0:
        raise InvalidInputError(f"shape {c_all.shape} holds no evaluation", where="c")
    return c_all.astype(np.float64), n_all.astype(np.float64), seeds, tasks, repeats


def _sampling_variance(rates: FloatArray, n: FloatArray) -> FloatArray:
    """Variance of one evaluation whose samples are independent: unbiased, averaged over all evaluations."""
    tasks = rates.shape[-2]
    spread = (rates * (1.0 - rates) / (n - 1.0)).sum(axis=-2) / tasks**2
    return np.asarray(spread.mean(axis=(-2, -1)), dtype=np.float64)


def _component_bounds(
    msb: FloatArray, msw: FloatArray, repeats: int, freedom: tuple[float, float], level: float
) -> tuple[FloatArray, FloatArray]:
    """Tukey's and Williams' interval for (E[MSB] - E[MSW]) / repeats, kept within [0, 1/4]."""
    from scipy.special import chdtri, fdtri

    df_between, df_within = freedom
    tail = (1.0 - level) / 2.0

    def end(below: float, noise: float | FloatArray) -> FloatArray:
        ratio = fdtri(df_between, df_within, below)
        return np.asarray(df_between * (msb - ratio * noise) / (repeats * chdtri(df_between, 1.0 - below)))

    low = np.clip(end(1.0 - tail, msw), 0.0, _LARGEST_VARIANCE)
    high = end(tail, msw)
    # Means closer together than evaluation noise explains are luck, not proof of no training noise: take none off.
    high = np.clip(np.where(high > 0.0, high, end(tail, 0.0)), low, _LARGEST_VARIANCE)
    return low, np.where(msb > 0.0, high, _LARGEST_VARIANCE)


def _warnings(
    *,
    seeds: int,
    repeats: int,
    between: FloatArray,
    evaluation: FloatArray,
    sampling: FloatArray | None,
    freedom: float,
) -> tuple[str, ...]:
    from scipy.special import chdtr

    found = []
    if seeds < 3:
        found.append(f"{seeds} seeds: at least three are needed to see a spread between seeds")
    if (between == 0.0).any():
        found.append("the seeds' means are equal: nothing bounds the training noise from above")
    if repeats > 1 and sampling is not None:
        # Under independent samples freedom × (observed / expected) is close to chi² with that freedom.
        ratio = np.where(sampling > 0.0, evaluation / np.where(sampling > 0.0, sampling, 1.0), 1.0)
        below = chdtr(freedom, freedom * ratio)
        if (1.0 - below < _SUSPICIOUS).any():
            found.append(
                f"repeats differ {float(np.sqrt(ratio.max())):.1f} times as much as independent samples would: "
                "something but the samples varies between evaluations"
            )
        if (below < _SUSPICIOUS).any():
            found.append("repeats agree more than independent samples would: do they share sample seeds?")
    return tuple(found)
