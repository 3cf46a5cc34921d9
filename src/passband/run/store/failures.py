"""What SQLite's errors mean to somebody who has a disk and not a database."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["explain", "unreadable"]

_NO_ROOM = 2**16  # bytes: less is left of a full disk that reports an I/O error, since writes go by pages
_SAFE = "what was committed is safe"


def explain(error: sqlite3.Error, path: Path) -> tuple[str, str | None]:
    """What went wrong, and what to do about it.

    Parameters
    ----------
    error : sqlite3.Error
        Of a store that lies at `path`.
    path : Path
        The file.
    """
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    said = str(error)
    if code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _free(path) < _NO_ROOM):
        return f"no room is left on its disk ({said})", f"{_SAFE}; free some space and run again with --resume"
    if code == sqlite3.SQLITE_IOERR:
        return said, f"{_SAFE}; look after the disk, then run again with --resume"
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}:
        return _refused(path, said)
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return f"another process holds it ({said})", "try again when that one has ended"
    if code == sqlite3.SQLITE_CORRUPT:
        return said, f"see what is left with: passband store check {path}"
    if code == sqlite3.SQLITE_NOTADB:
        return said, f"if it was a store, get what is left of it with: passband store rescue {path} -o NEW"
    return said, None


def _refused(path: Path, said: str) -> tuple[str, str]:
    folder = path.resolve().parent
    if not folder.is_dir():
        return f"there is no folder {folder}", "make it first"
    if path.exists() and not os.access(path, os.R_OK):
        return "permission denied", "ask its owner for leave to read it, or name another"
    return f"it or its folder cannot be written to ({said})", "copy it to where you may write, or name another"


def _free(path: Path) -> int:
    try:
        found = os.statvfs(path.resolve().parent)
        return found.f_bavail * found.f_frsize
    except OSError:
        return _NO_ROOM


def unreadable(path: Path) -> str:
    """Why a file that is there can't be read at all; nothing where it can."""
    try:
        with path.open("rb"):
            return ""
    except OSError as error:
        return error.strerror or str(error)
