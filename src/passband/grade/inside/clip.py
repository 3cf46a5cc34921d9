"""Shortening what a test failed with, for people to read."""

from __future__ import annotations

__all__ = ["clip"]

_CUT = " … "


def clip(text: str, limit: int) -> str:
    """Shorten a text to a limit from its middle: an error's type stands first, what pytest makes of it last."""
    if len(text) <= limit:
        return text
    tail = (limit - len(_CUT)) // 3
    return text[: limit - len(_CUT) - tail] + _CUT + text[-tail:]
