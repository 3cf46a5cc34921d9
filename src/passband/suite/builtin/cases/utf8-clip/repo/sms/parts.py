"""Splitting a message."""

from sms.clip import LONGEST_CHARACTER, clip

PART_BYTES = 140


def segments(text: str, limit: int = PART_BYTES) -> list[str]:
    """Cut the text into parts of ``limit`` bytes at most; an empty text is one empty part."""
    if limit < LONGEST_CHARACTER:
        raise ValueError(f"a part must hold {LONGEST_CHARACTER} bytes or more")
    parts = []
    while text:
        head = clip(text, limit)
        parts.append(head)
        text = text[len(head) :]
    return parts or [""]
