"""How often and how fast what failed is tried again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from passband.errors import UsageError

__all__ = ["RetryPolicy"]


@dataclass(frozen=True)
class RetryPolicy:
    """Exponential backoff with full jitter (Brooker, "Exponential Backoff And Jitter", 2015).

    Attributes
    ----------
    attempts : int
        How often a sample is tried before it is stored as errored. A subject's own failure is a verdict and is never
        retried.
    base_s, cap_s : float
        The wait before attempt k + 1 is drawn from [0, min(cap, base · 4^(k−1))] seconds.
    """

    attempts: int = 3
    base_s: float = 0.25
    cap_s: float = 30.0

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UsageError(f"{self.attempts} attempts a sample are none", fix="give 1 or more")

    def wait_s(self, failed: int, seed: int) -> float:
        """Seconds to wait after the `failed`-th failure; jitter comes from the sample's seed."""
        limit = min(self.cap_s, self.base_s * 4.0 ** (failed - 1))
        return random.Random(f"{seed}/{failed}").uniform(0, limit)  # noqa: S311 - spreads load, guards nothing
