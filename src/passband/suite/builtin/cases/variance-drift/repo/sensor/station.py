"""Many sensors."""

from collections.abc import Iterable
from functools import reduce

from sensor.summary import Summary


class Station:
    """A summary for each sensor by name."""

    def __init__(self) -> None:
        self.sensors: dict[str, Summary] = {}

    def record(self, name: str, values: Iterable[float]) -> None:
        summary = self.sensors.setdefault(name, Summary())
        for value in values:
            summary.add(value)

    def overall(self) -> Summary:
        """All sensors together."""
        return reduce(Summary.merge, self.sensors.values(), Summary())
