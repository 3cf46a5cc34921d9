"""A stretch of time within one day."""

from __future__ import annotations

from dataclasses import dataclass

from rooms.clock import minutes, show


@dataclass(frozen=True, order=True)
class Slot:
    """From ``start`` up to ``end``, in minutes since midnight."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise ValueError("a slot must end after it starts")

    @classmethod
    def of(cls, start: str, end: str) -> Slot:
        return cls(minutes(start), minutes(end))

    def overlaps(self, other: Slot) -> bool:
        """Whether the two share any time."""
        return self.start <= other.end and other.start < self.end

    def __str__(self) -> str:
        return f"{show(self.start)} to {show(self.end)}"
