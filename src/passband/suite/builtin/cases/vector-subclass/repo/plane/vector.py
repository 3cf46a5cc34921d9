"""Vectors."""

import math

from plane.numbers import pair


class Vector:
    """Two coordinates; a vector never changes."""

    __slots__ = ("_x", "_y")

    def __init__(self, x: float, y: float) -> None:
        self._x = x
        self._y = y

    @staticmethod
    def parse(text: str) -> "Vector":
        """Read ``1.5,-2``."""
        return Vector(*pair(text))

    @property
    def x(self) -> float:
        return self._x

    @property
    def y(self) -> float:
        return self._y

    def __add__(self, other: object) -> "Vector":
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(self._x + other._x, self._y + other._y)

    def __mul__(self, factor: float) -> "Vector":
        return Vector(self._x * factor, self._y * factor)

    __rmul__ = __mul__

    def __neg__(self) -> "Vector":
        return self * -1

    def __abs__(self) -> float:
        return math.hypot(self._x, self._y)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vector) and (self._x, self._y) == (other._x, other._y)

    def __hash__(self) -> int:
        return hash((self._x, self._y))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._x:g}, {self._y:g})"
