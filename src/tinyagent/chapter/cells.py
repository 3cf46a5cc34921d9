"""Estimates as cells of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from passband.stats import Estimate

__all__ = ["ends", "number"]


def number(value: float | NDArray[np.float64] | None) -> float | None:
    """One number of a result that may hold arrays; an empty cell where it could not be estimated."""
    return None if value is None else float(value)


def ends(found: Estimate) -> tuple[float | None, float | None, float | None]:
    """Value, low and high."""
    return number(found.value), number(found.low), number(found.high)
