"""Intervals for the mean over tasks of values in [0, 1], from arrays of shape (..., tasks)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats._quantile import normal_quantile, t_quantile
from passband.stats.binomial import wilson_bounds

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["clustered_bounds", "fixed_task_bounds", "t_bounds"]


def clustered_bounds(values: FloatArray, most: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Wilson's ends at the effective number of samples, with Student's t at N - 1 degrees of freedom.

    The effective number m (1 - m) / (s² / N) is what independent samples would need to have the variance that the
    task means show. It is kept within [N, `most`]: N where samples of a task are copies of each other, `most` (all
    samples) where they are independent. Where all values are 0, or all 1, nothing tells the two apart and it is N.
    """
    tasks = values.shape[-1]
    mean = values.mean(axis=-1)
    variance = values.var(axis=-1, ddof=1) / tasks
    bernoulli = mean * (1 - mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(bernoulli == 0, tasks, np.clip(bernoulli / variance, tasks, np.maximum(most, tasks)))
    return wilson_bounds(mean, size, t_quantile((1 + level) / 2, tasks - 1))


def fixed_task_bounds(
    mean: FloatArray, variance: FloatArray, least: FloatArray, level: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson's ends where tasks are fixed: `variance` is that of the mean, `least` the size that is beyond doubt."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(variance > 0, np.maximum(mean * (1 - mean) / variance, least), least)
    return wilson_bounds(mean, size, normal_quantile((1 + level) / 2))


def t_bounds(values: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Student's interval for the mean of values in [0, 1], cut to [0, 1]."""
    tasks = values.shape[-1]
    mean = values.mean(axis=-1)
    half = t_quantile((1 + level) / 2, tasks - 1) * values.std(axis=-1, ddof=1) / np.sqrt(tasks)
    return np.maximum(mean - half, 0.0), np.minimum(mean + half, 1.0)
