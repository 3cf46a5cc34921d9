"""How fast a server may be asked: a token bucket, and a number of requests that adapts to what it bears."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["AdaptiveLimit", "TokenBucket"]


class TokenBucket:
    """So many units a minute, with bursts of up to a minute's worth.

    A request may be charged after the fact, when its price is known: the bucket then runs a debt, and the next request
    waits until it is paid.

    Parameters
    ----------
    per_minute : float
        Units.
    clock, sleep : callable
        For tests.
    """

    def __init__(
        self,
        per_minute: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._rate = per_minute / 60
        self._most = per_minute
        self._level = per_minute
        self._clock, self._sleep = clock, sleep
        self._at = clock()
        self._lock = threading.Lock()

    def take(self, units: float = 1.0) -> None:
        """Wait until the bucket holds something, then take `units` of it."""
        while True:
            with self._lock:
                self._fill()
                if self._level > 0:
                    self._level -= units
                    return
                wait = (1e-3 - self._level) / self._rate
            self._sleep(wait)

    def charge(self, units: float) -> None:
        """Take `units` without waiting."""
        with self._lock:
            self._fill()
            self._level -= units

    def _fill(self) -> None:
        now = self._clock()
        self._level = min(self._most, self._level + (now - self._at) * self._rate)
        self._at = now


class AdaptiveLimit:
    """Requests under way at once: additive increase, multiplicative decrease (Chiu and Jain, 1989).

    Every `limit` successes raise the limit by one, up to `most`; a refusal halves it, once for all requests that were
    sent before the last halving.

    Parameters
    ----------
    most : int
        The highest limit, and the first.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._limit = float(most)
        self._active = 0
        self._era = 0
        self._condition = threading.Condition()

    @property
    def limit(self) -> int:
        """Requests allowed at once now."""
        return max(1, int(self._limit))

    @contextmanager
    def slot(self) -> Iterator[int]:
        """Wait for a place; give the era it was taken in, for :meth:`refused`."""
        with self._condition:
            self._condition.wait_for(lambda: self._active < self.limit)
            self._active += 1
            era = self._era
        try:
            yield era
        finally:
            with self._condition:
                self._active -= 1
                self._condition.notify_all()

    def accepted(self) -> None:
        """Note that a request went through."""
        with self._condition:
            self._limit = min(self._most, self._limit + 1 / max(self._limit, 1))
            self._condition.notify_all()

    def refused(self, era: int) -> None:
        """Note that the server asked for less."""
        with self._condition:
            if era == self._era:
                self._era += 1
                self._limit = max(1.0, self._limit / 2)
