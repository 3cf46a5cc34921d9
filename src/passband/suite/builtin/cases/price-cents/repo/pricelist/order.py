"""Orders by the list."""

from collections.abc import Mapping


def total(prices: Mapping[str, int], counts: Mapping[str, int]) -> int:
    """The sum of an order in cents."""
    missing = sorted(set(counts) - set(prices))
    if missing:
        raise KeyError(f"not on the list: {', '.join(missing)}")
    return sum(prices[article] * count for article, count in counts.items())
