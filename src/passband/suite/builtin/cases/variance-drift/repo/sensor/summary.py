"""Count, mean and spread of a stream."""

from __future__ import annotations

import math
from collections.abc import Iterable


class Summary:
    """What is known about the values seen so far."""

    def __init__(self, values: Iterable[float] = ()) -> None:
        self.count = 0
        self._sum = 0.0
        self._squares = 0.0
        for value in values:
            self.add(value)

    def add(self, value: float) -> None:
        self.count += 1
        self._sum += value
        self._squares += value * value

    def merge(self, other: Summary) -> Summary:
        """A summary of the values of both."""
        both = Summary()
        both.count = self.count + other.count
        both._sum = self._sum + other._sum
        both._squares = self._squares + other._squares
        return both

    @property
    def mean(self) -> float:
        if not self.count:
            raise ValueError("no values yet")
        return self._sum / self.count

    def variance(self) -> float:
        """The sample variance; two values or more are needed."""
        if self.count < 2:
            raise ValueError("two values are needed")
        return (self._squares - self._sum * self._sum / self.count) / (self.count - 1)

    def spread(self) -> float:
        """The sample standard deviation."""
        return math.sqrt(self.variance())
