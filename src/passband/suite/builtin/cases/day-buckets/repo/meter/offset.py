"""Offsets from UTC such as ``+05:30``."""

from datetime import timedelta

LIMIT = timedelta(hours=14)


def parse_offset(text: str) -> timedelta:
    """Read an offset; ``Z`` is none at all."""
    if text == "Z":
        return timedelta(0)
    hours, colon, minutes = text.partition(":")
    if not colon or len(minutes) != 2 or hours[:1] not in ("+", "-"):
        raise ValueError(f"{text!r} is not an offset such as +05:30")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    if abs(offset) > LIMIT or int(minutes) >= 60:
        raise ValueError(f"{text!r} is out of range")
    return offset


def show_offset(offset: timedelta) -> str:
    """Write an offset the same way."""
    minutes = offset // timedelta(minutes=1)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
