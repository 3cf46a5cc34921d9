"""The word for an interval: the only place where one is made of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from passband.stats import Estimate

__all__ = ["EXIT_CODES", "Word", "exit_code", "settled", "verdict_of"]

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


def settled(word: Word, bounds: tuple[float, float], margin: float) -> Word:
    """Take a verdict back that samples without one could turn: errors are seldom missing at random.

    Parameters
    ----------
    word : {"better", "worse", "same", "unclear"}
        What the interval of the graded samples says.
    bounds : tuple of float
        The difference with everything that errored set against the candidate, and for it.
    margin : float
        Differences up to it do not matter.

    Returns
    -------
    {"better", "worse", "same", "unclear"}
        `word` where both bounds lie where it says that the difference lies, else "unclear".
    """
    low, high = bounds
    stands = {
        "better": low > margin,
        "worse": high < -margin,
        "same": -margin < low and high < margin,
        "unclear": True,
    }
    return word if stands[word] else "unclear"


def exit_code(verdict: Word) -> int:
    """Exit code of a comparison with that verdict: 0 better or same, 1 worse, 3 unclear."""
    return EXIT_CODES[verdict]
