"""Prices as whole cents."""

import math


def to_cents(price: float) -> int:
    """The price in cents; suppliers send whole cents, but as a decimal number."""
    if not math.isfinite(price):
        raise ValueError(f"{price} is not a price")
    return int(price * 100)


def show(cents: int, currency: str = "EUR") -> str:
    """Write -29 as ``-0.29 EUR``."""
    sign = "-" if cents < 0 else ""
    whole, rest = divmod(abs(cents), 100)
    return f"{sign}{whole}.{rest:02} {currency}"
