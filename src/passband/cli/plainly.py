"""Output on a terminal or in a file whose encoding has not all that reports are written with."""

from __future__ import annotations

import codecs
import io
import sys

__all__ = ["speak_plainly"]

_PLAIN = {"–": "-", "—": "-", "−": "-", "…": "...", "×": "x", "·": "|", "→": "->", "±": "+-", "‘": "'", "’": "'"}


def speak_plainly() -> None:
    """Let both streams write another character for one they do not have, and never fail for it."""
    codecs.register_error("passband.plain", _plain)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict" and stream.encoding != "utf-8":
            stream.reconfigure(errors="passband.plain")


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(ch) or ch.encode("ascii", "backslashreplace").decode() for ch in text), error.end
