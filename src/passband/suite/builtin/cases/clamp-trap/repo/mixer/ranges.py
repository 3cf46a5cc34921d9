"""Keeping numbers where they belong."""


def clamp(value: int, low: int, high: int) -> int:
    """Limit a whole number to ``low <= value < high``, the way ``range(low, high)`` counts."""
    if low >= high:
        raise ValueError(f"nothing lies between {low} and {high}")
    if value < low:
        return low
    if value >= high:
        return high - 1
    return value
