"""Working days."""

from datetime import date, timedelta

from delivery.holidays import holiday

ONE_DAY = timedelta(days=1)
SATURDAY = 5


def is_workday(day: date) -> bool:
    """Whether parcels move that day."""
    return day.weekday() <= SATURDAY and holiday(day) is None


def next_workday(day: date) -> date:
    """The day itself if parcels move, else the first day after it when they do."""
    while not is_workday(day):
        day += ONE_DAY
    return day


def add_workdays(day: date, count: int) -> date:
    """The working day ``count`` working days after the given day."""
    if count < 0:
        raise ValueError("count the days forward")
    day = next_workday(day)
    for _ in range(count):
        day = next_workday(day + ONE_DAY)
    return day
