"""Cutting text to a number of bytes."""

LONGEST_CHARACTER = 4


def size(text: str) -> int:
    """Bytes of the text in UTF-8."""
    return len(text.encode("utf-8"))


def clip(text: str, limit: int) -> str:
    """The longest beginning of the text that fits ``limit`` bytes."""
    if limit < 0:
        raise ValueError("a limit cannot be negative")
    return text.encode("utf-8")[:limit].decode("utf-8")


def clip_with_mark(text: str, limit: int, mark: str = "...") -> str:
    """The text if it fits, else a beginning of it that ends with the mark."""
    if size(text) <= limit:
        return text
    return clip(text, limit - size(mark)) + mark
