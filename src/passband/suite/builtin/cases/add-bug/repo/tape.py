"""The paper tape."""

from calc import add


class Tape:
    """Every amount keyed in, with the running total."""

    def __init__(self) -> None:
        self.total = 0
        self.lines: list[str] = []

    def enter(self, amount: int) -> int:
        """Add an amount, print it and return the new total."""
        self.total = add(self.total, amount)
        self.lines.append(f"{amount:>10} {self.total:>10}")
        return self.total
