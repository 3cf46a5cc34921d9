"""Text as the words that the agent reads and writes."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["words"]

_INDENT = 4
_WORD = re.compile(r":?\n *|[A-Za-z_]\w*|\d+|//|[-+*<>=!]=|\S")


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    r"""Split a text into words.

    A line's end is a word together with the colon before it and the indent after it, written ``<line>``, ``<line+1>``,
    ``:<line+1>``, …; no word holds white space.

    Examples
    --------
    >>> words("if x <= 18:\n    return 0\n")
    ('if', 'x', '<=', '18', ':<line+1>', 'return', '0', '<line>')
    """
    return tuple(_line_word(word) if "\n" in word else word for word in _WORD.findall(text))


def _line_word(word: str) -> str:
    colon, _, indent = word.partition("\n")
    depth = len(indent) // _INDENT
    return f"{colon}<line+{depth}>" if depth else f"{colon}<line>"
