"""Numbers as the sections' paragraphs say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.stats import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Sequence, Sized

    from passband.stats import Estimate

__all__ = ["between", "count", "estimate", "listed", "often"]

_TEN = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def between(low: float, high: float, digits: int = 2) -> str:
    """``[0.60, 0.96]``."""
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def estimate(found: Estimate, digits: int = 3) -> str:
    """``0.819 [0.604, 0.958]``, or why there is no interval."""
    value = f"{float(found.value):.{digits}f}"
    if found.low is None or found.high is None:
        return f"{value} (no interval: {'; '.join(found.warnings)})"
    return f"{value} {between(float(found.low), float(found.high), digits)}"


def often(times: int, of: int, noun: str = "seeds") -> str:
    """``7 of 10 seeds [0.40, 0.89]``: how often, with Wilson's 95 % interval for the share."""
    found = wilson_interval(times, of)
    assert found.low is not None
    assert found.high is not None
    return f"{times} of {of} {noun} {between(float(found.low), float(found.high))}"


def count(those: Sized, noun: str = "seed") -> str:
    """``ten seeds``, ``one seed``, ``12 seeds``: as many as there are of what is given."""
    times = len(those)
    return f"{_TEN[times] if times < len(_TEN) else times} {noun}{'' if times == 1 else 's'}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; ``none`` of none."""
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part) if names else "none"
