"""Text to bytes."""

from collections.abc import Iterable


def encode(text: str) -> bytes:
    """One frame."""
    return f"{len(text)}:{text}".encode()


def encode_all(texts: Iterable[str]) -> bytes:
    """Frames one after the other."""
    return b"".join(encode(text) for text in texts)
