"""Cutting text into words."""

from collections import deque


def words(text: str) -> deque[str]:
    """The words of a text, whatever white space stands between them."""
    return deque(text.split())
