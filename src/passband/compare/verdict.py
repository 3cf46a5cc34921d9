"""The word for an interval: the only place where one is made of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from passband.stats import Estimate

__all__ = ["EXIT_CODES", "Word", "exit_code", "verdict_of"]

Word = Literal["better", "worse", "same", "unclear"]

EXIT_CODES: dict[Word, int] = {"better": 0, "same": 0, "worse": 1, "unclear": 3}


def verdict_of(estimate: Estimate, margin: float) -> Word:
    """Read the verdict off the interval: the only number it may come from.

    Parameters
    ----------
    estimate : Estimate
        A difference, candidate minus baseline.
    margin : float
        Differences up to it do not matter. With 0 nothing but a difference can be claimed.

    Returns
    -------
    {"better", "worse", "same", "unclear"}
        The whole interval lies above the margin, below its negative, strictly between the two, or none of these.
    """
    if estimate.low is None or estimate.high is None:
        return "unclear"
    low, high = float(estimate.low), float(estimate.high)
    if low > margin:
        return "better"
    if high < -margin:
        return "worse"
    if -margin < low and high < margin:
        return "same"
    return "unclear"


def exit_code(verdict: Word) -> int:
    """Exit code of a comparison with that verdict: 0 better or same, 1 worse, 3 unclear."""
    return EXIT_CODES[verdict]
