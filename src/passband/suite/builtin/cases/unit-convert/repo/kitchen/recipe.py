"""Recipes."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Item:
    """So much of something."""

    name: str
    amount: float
    unit: str


@dataclass
class Recipe:
    """Items for a number of people."""

    title: str
    serves: int
    items: list[Item] = field(default_factory=list)

    def scaled(self, people: int) -> list[Item]:
        """The items for another number of people."""
        return [Item(i.name, i.amount * people / self.serves, i.unit) for i in self.items]
