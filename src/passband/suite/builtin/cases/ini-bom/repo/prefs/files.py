"""Preferences on disk."""

from pathlib import Path

from prefs.text import Prefs, PrefsError, parse, write

ENCODING = "utf-8"


def load(path: Path) -> Prefs:
    """Read a file; a missing one has no preferences."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    try:
        text = raw.decode(ENCODING)
    except UnicodeDecodeError as error:
        raise PrefsError(f"{path.name} is not {ENCODING}: byte {error.start}") from None
    return parse(text)


def save(path: Path, prefs: Prefs) -> None:
    """Write a file with plain line endings."""
    path.write_bytes(write(prefs).encode(ENCODING))
