"""A place with meters."""

from collections.abc import Iterable
from datetime import date

from meter.offset import parse_offset
from meter.reading import Reading


class Site:
    """A name and an offset from UTC that holds all year."""

    def __init__(self, name: str, offset: str) -> None:
        self.name = name
        self.offset = parse_offset(offset)

    def day_of(self, reading: Reading) -> date:
        """The site's day on which a reading was taken."""
        return (reading.stamp + self.offset).date()

    def totals(self, readings: Iterable[Reading]) -> dict[str, int]:
        """Energy by the site's day, in order of days."""
        sums: dict[date, int] = {}
        for reading in readings:
            day = self.day_of(reading)
            sums[day] = sums.get(day, 0) + reading.energy
        return {day.isoformat(): sums[day] for day in sorted(sums)}
