"""Reading numbers."""


def pair(text: str) -> tuple[float, float]:
    """Read ``1.5,-2``."""
    parts = text.split(",")
    if len(parts) != 2:
        raise ValueError(f"{text!r} is not a pair of numbers")
    return float(parts[0]), float(parts[1])
