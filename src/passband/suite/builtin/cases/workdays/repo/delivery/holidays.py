"""Days on which nothing moves."""

from datetime import date

FIXED = {(1, 1): "New Year", (5, 1): "Labour Day", (12, 25): "Christmas", (12, 26): "Boxing Day"}


def holiday(day: date) -> str | None:
    """The name of the holiday, if it is one."""
    return FIXED.get((day.month, day.day))
