"""Colour for a terminal: verdicts and glyphs, and nothing that the text does not say already."""

from __future__ import annotations

import re

__all__ = ["paint"]

_GREEN, _RED, _YELLOW, _DIM, _BOLD, _OFF = "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"

_RULES = tuple(
    (re.compile(pattern, re.MULTILINE), colour)
    for pattern, colour in (
        (r"^(BETTER|PASS|HELD|BEST|CHOSEN|STEADY|CLEAN|WIDENS|SHIFTS UP|SUPPORTED)(?=  )", _BOLD + _GREEN),
        (r"^(WORSE|FAIL|MOVED|LEAKS|FLAKY|DRIFT|NARROWS|SHIFTS DOWN|SAFETY FAILED|UNSUPPORTED)(?=  )", _BOLD + _RED),
        (r"^(UNCLEAR|INCONCLUSIVE|TIED|PARTIAL|NO RESULT|OPEN|NOT SETTLED|CHOSEN ON TEST)(?=  |:)", _BOLD + _YELLOW),
        (r"^(DONE|SAME)(?=  )", _BOLD),
        (r"▲ better$|^  ✓(?= )", _GREEN),
        (r"▼ worse$|^  ✗(?= )|^! .*$|FRAGILE", _RED),
        (r"\? unclear(?: ²)?$|^  \?(?= )", _YELLOW),
        (r"^(?:[¹²³] |next: ).*$", _DIM),
    )
)


def paint(text: str) -> str:
    """Add colour to a report's text; without it nothing is lost."""
    for pattern, colour in _RULES:
        text = pattern.sub(lambda found, colour=colour: f"{colour}{found[0]}{_OFF}", text)  # type: ignore[misc]
    return text
