"""What the interval functions return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["Estimand", "Estimate", "FloatArray", "IntArray", "optional_scalar", "scalar", "whole_scalar"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

Estimand = Literal["tasks-like-these", "these-tasks", "recipe"]
"""What a number is about: a population that the tasks were drawn from; these very tasks; or training seeds."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number, how sure we may be of it, and what it is about.

    One evaluation gives floats; a batch of evaluations (leading axes) gives arrays over those axes, so that a
    simulation is one call.

    Attributes
    ----------
    value : float or ndarray
        The estimate.
    low, high : float, ndarray or None
        Ends of the interval. None where no interval can be made, and `warnings` says why; never NaN.
    level : float
        Nominal coverage, for example 0.95.
    method : str
        How the interval was made, for example ``"wilson-cluster"``.
    estimand : str
        ``"tasks-like-these"``, ``"these-tasks"`` or ``"recipe"``.
    n_tasks : int
        Tasks (or, for a recipe, seeds) the number rests on.
    n_samples : int or ndarray
        Samples over all tasks.
    warnings : tuple of str
        What a reader must know before quoting the number.
    """

    value: float | FloatArray
    low: float | FloatArray | None
    high: float | FloatArray | None
    level: float
    method: str
    estimand: Estimand
    n_tasks: int
    n_samples: int | IntArray
    warnings: tuple[str, ...] = ()


def scalar(values: FloatArray) -> float | FloatArray:
    """Return a float for a zero-dimensional array, and the array itself for a batch."""
    return float(values) if np.ndim(values) == 0 else values


def optional_scalar(values: FloatArray | None) -> float | FloatArray | None:
    """Like :func:`scalar`, and None for None."""
    return None if values is None else scalar(values)


def whole_scalar(values: IntArray) -> int | IntArray:
    """Return an int for a zero-dimensional array, and the array itself for a batch."""
    return int(values) if np.ndim(values) == 0 else values
