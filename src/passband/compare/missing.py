"""What samples without a verdict could have been."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from passband.compare.pairing import Drawn

__all__ = ["difference_bounds", "extremes", "hull"]


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


def difference_bounds(metric: str, drawn: Drawn) -> tuple[float, float]:
    """Bounds of the mean difference, candidate less baseline, of ``pass@k`` or ``pass^k``: as for `hull`."""
    (low_a, high_a), (low_b, high_b) = (
        extremes(metric, *side) for side in zip(drawn.passed, drawn.graded, drawn.drawn, strict=True)
    )
    return hull(low_b - high_a, high_b - low_a, drawn.shared)
