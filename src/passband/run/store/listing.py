"""What a store tells of a run without reading its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from passband.records import RunHeader

__all__ = ["RunRow", "Spent"]


class RunRow:
    """A run as the store lists it."""

    __slots__ = ("done", "enough", "header")

    def __init__(self, header: RunHeader, done: int, enough: str = "") -> None:
        self.header = header
        self.done = done
        self.enough = enough
        """Why its rule ended the run before n samples of each case; empty where none did."""

    @property
    def scheduled(self) -> int:
        """Samples the run is to have."""
        return self.done if self.enough else len(self.header.case_ids) * self.header.samples_per_case


class Spent(NamedTuple):
    """What samples have used."""

    tokens: int
    cost_usd: float
    unpriced: int
    """Samples whose price is not known."""
    most_tokens: int
    """The most of any one of them."""
    most_usd: float
