"""Amounts in cents."""


def show(cents: int) -> str:
    """Write 1234 as ``12.34``."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100}.{abs(cents) % 100:02}"


def with_tip(cents: int, percent: int) -> int:
    """The amount with a tip, to the next full cent."""
    if percent < 0:
        raise ValueError("a tip cannot be negative")
    return cents + -(-cents * percent // 100)
