"""Times of day as minutes since midnight."""


def minutes(text: str) -> int:
    """Read ``9:30`` as 570."""
    hour, _, minute = text.partition(":")
    value = int(hour) * 60 + int(minute or 0)
    if not 0 <= value <= 24 * 60:
        raise ValueError(f"{text!r} is not a time of day")
    return value


def show(value: int) -> str:
    """Write 570 as ``9:30``."""
    return f"{value // 60}:{value % 60:02}"
