"""What the customer has collected."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """An article, how many of it, and the price of one in cents."""

    article: str
    count: int
    price: int

    @property
    def amount(self) -> int:
        return self.count * self.price


class Cart:
    """Lines in the order in which they were added."""

    def __init__(self) -> None:
        self._lines: list[Line] = []

    @property
    def lines(self) -> list[Line]:
        return self._lines

    def add(self, article: str, price: int, count: int = 1) -> None:
        if count < 1:
            raise ValueError("add at least one")
        self._lines.append(Line(article, count, price))

    def clear(self) -> None:
        self._lines.clear()

    def total(self) -> int:
        return sum(line.amount for line in self._lines)
