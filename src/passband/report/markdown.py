"""Text inside markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passband.report.words import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["cell", "row"]


def cell(text: str) -> str:
    """Text that can't end a cell, start a tag or a mention, or break the line."""
    safe = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for mark in "\\|`*_[]":
        safe = safe.replace(mark, f"\\{mark}")
    return " ".join(re.sub(r"(?<!\w)@(?=\w)", "@\u200b", safe).split())


def row(cells: Sequence[str]) -> str:
    """One line of a table."""
    return f"| {' | '.join(cell(text) for text in cells)} |"
