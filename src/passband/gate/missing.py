"""What samples without a verdict could do to a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import pass_at_k, pass_hat_k

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from passband.gate.result import Outcome

__all__ = ["extremes", "hull", "said", "settle"]


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


def settle(
    outcome: Outcome,
    reason: str,
    bounds: tuple[float, float],
    threshold: float,
    *,
    strict: bool,
    number: Callable[[float], str],
) -> tuple[Outcome, str]:
    """Take an outcome back that samples without a verdict could turn: errors are seldom missing at random.

    The rule of :func:`passband.compare.verdict.settled`: what the graded samples say stands only where both bounds lie
    on its side of the threshold.
    """
    low, high = bounds
    held = {"pass": low > threshold or (low == threshold and not strict), "fail": high < threshold}
    if held.get(outcome, True):
        return outcome, reason
    return "inconclusive", f"{reason}, but what has no verdict could turn it: {number(low)} to {number(high)}"


def said(missing: int, words: list[Outcome], outcome: Outcome) -> str:
    """Say what the missing verdicts could do, with all of them against the candidate and all for it."""
    if not missing:
        return ""
    many = f"{missing} samples have no verdict" if missing > 1 else "1 sample has no verdict"
    if set(words) == {outcome}:
        return f"{many}: the outcome holds whatever they were"
    return f"{many}: {words[0]} if all went against the candidate, {words[1]} if all for it"
