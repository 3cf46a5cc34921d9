"""Who plays."""

from dataclasses import dataclass


@dataclass
class Player:
    """A name and the points so far."""

    name: str
    points: int = 0

    @property
    def sort_name(self) -> str:
        return self.name.casefold()
