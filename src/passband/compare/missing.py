"""What samples without a verdict could have been."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["extremes", "hull"]


def extremes(
    metric: str, passed: NDArray[np.int64], graded: NDArray[np.int64], drawn: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Each case's least and greatest value of ``pass@k`` or ``pass^k``: all that errored failed, or passed."""
    k = int(metric[5:])
    function = pass_at_k if metric.startswith("pass@") else pass_hat_k
    whole = np.maximum(drawn, k)  # of a case with fewer than k samples the value can't be told: anything from 0 to 1
    low, high = (np.asarray(function(whole, c, k), dtype=np.float64) for c in (passed, passed + whole - graded))
    return low, high


def hull(low: NDArray[np.float64], high: NDArray[np.float64], graded: NDArray[np.bool_]) -> tuple[float, float]:
    """Bounds of a mean, over the cases that are graded or over all of them, whichever lies further out."""
    lows, highs = (low[graded], low), (high[graded], high)
    return min(float(part.mean()) for part in lows), max(float(part.mean()) for part in highs)
