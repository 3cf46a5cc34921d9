"""Making thumbnails."""


def scale(width: int, height: int, box: int) -> tuple[int, int]:
    """The largest size of the same shape that fits a square box; never larger than the picture."""
    longest = max(width, height)
    if longest <= box:
        return width, height
    return max(1, width * box // longest), max(1, height * box // longest)
