"""Whole-number arithmetic for the till, one operation at a time."""

DISPLAY_DIGITS = 9


class DisplayOverflow(ArithmeticError):
    """The result has more digits than the display."""


def check(value: int) -> int:
    """Return the value if the display can show it."""
    if len(str(abs(value))) > DISPLAY_DIGITS:
        raise DisplayOverflow(f"{value} does not fit {DISPLAY_DIGITS} digits")
    return value


def add(left: int, right: int) -> int:
    """Return left plus right; the adder itself only counts upwards."""
    if right < 0:
        return subtract(left, right)
    return check(left + right)


def subtract(left: int, right: int) -> int:
    """Return left minus right."""
    return check(left - right)
