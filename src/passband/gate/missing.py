"""What samples without a verdict could do to a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from passband.gate.result import Outcome

__all__ = ["said", "settle"]


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
