"""Counting in months."""

from calendar import monthrange
from datetime import date


def add_months(start: date, months: int) -> date:
    """The same day some months later (or earlier), or the last day of a month that is too short."""
    year = start.year + (start.month + months) // 12
    month = (start.month + months - 1) % 12 + 1
    day = min(start.day, monthrange(year, month)[1])
    return date(year, month, day)


def months_between(start: date, end: date) -> int:
    """Whole months from one day to another; the day of the month counts."""
    months = (end.year - start.year) * 12 + end.month - start.month
    if end < add_months(start, months):
        months -= 1
    return months
