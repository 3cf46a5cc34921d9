"""Paths."""

from collections.abc import Iterable

from plane.vector import Vector


class Path:
    """Steps from a starting point."""

    def __init__(self, start: Vector, steps: Iterable[Vector] = ()) -> None:
        self.start = start
        self.steps = list(steps)

    def points(self) -> list[Vector]:
        """The start and the point after each step."""
        points = [self.start]
        for step in self.steps:
            points.append(points[-1] + step)
        return points

    def length(self) -> float:
        return sum(abs(step) for step in self.steps)
