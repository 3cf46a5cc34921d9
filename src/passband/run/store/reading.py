"""Opening a store file to read it and nothing else, on whatever disk it lies."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cannot_write", "copied", "reading"]

_SHARED: dict[str, Any] = {"isolation_level": None, "check_same_thread": False}
_REFUSED = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def cannot_write(error: sqlite3.Error) -> bool:
    """Whether SQLite failed for want of a place it may write to: even readers keep an index beside the file."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _REFUSED


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file that is not to be changed, its log included.

    Where the folder can't be written to, SQLite takes the file for one that nobody changes (``immutable=1``), which
    leaves the log aside: if there is one, a copy of both is read.

    Raises
    ------
    sqlite3.Error
        Where it is no database, or can't be read.
    """
    path = path.resolve()  # the log lies beside the file itself, not beside a link to it
    uri = path.as_uri()
    # One that only reads leaves an empty log behind that it can't take away; one that may write takes it away, and has
    # nothing to fold in where there was none.
    mode = "ro" if any(path.with_name(path.name + ending).exists() for ending in ("-wal", "-journal")) else "rw"
    with contextlib.ExitStack() as opened:
        db = opened.enter_context(contextlib.closing(sqlite3.connect(f"{uri}?mode={mode}", uri=True, **_SHARED)))
        try:
            db.execute("PRAGMA query_only=ON")
            db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        except sqlite3.OperationalError as error:
            if not cannot_write(error):
                raise
            db = opened.enter_context(_beside_nothing(path, f"{uri}?mode=ro&immutable=1"))
        yield db


@contextlib.contextmanager
def _beside_nothing(path: Path, uri: str) -> Iterator[sqlite3.Connection]:
    if _log(path).is_file() and _log(path).stat().st_size:
        with copied(path) as copy, contextlib.closing(sqlite3.connect(copy, **_SHARED)) as db:
            yield db
    else:
        with contextlib.closing(sqlite3.connect(uri, uri=True, **_SHARED)) as db:
            yield db


@contextlib.contextmanager
def copied(path: Path) -> Iterator[Path]:
    """Copy a file and its log to a folder of its own, for as long as they are needed."""
    import shutil  # neither is needed for a store that can be opened, and both take time
    import tempfile

    with tempfile.TemporaryDirectory(prefix="passband-") as folder:
        copy = Path(folder, path.name)
        shutil.copyfile(path, copy)
        if _log(path).is_file():
            shutil.copyfile(_log(path), _log(copy))
        yield copy


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")
