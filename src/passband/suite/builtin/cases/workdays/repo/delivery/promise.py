"""What the customer is told."""

from datetime import date

from delivery.days import add_workdays, next_workday

DAYS = {"express": 1, "standard": 3}


def leaves_on(ordered: date) -> date:
    """The day the parcel leaves the house."""
    return next_workday(ordered)


def promise(ordered: date, service: str = "standard") -> str:
    """A sentence for the confirmation."""
    if service not in DAYS:
        raise ValueError(f"unknown service {service!r}")
    return f"Your parcel arrives on {add_workdays(ordered, DAYS[service]):%Y-%m-%d}."
