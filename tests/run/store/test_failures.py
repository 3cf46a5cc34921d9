import sqlite3
from types import SimpleNamespace

import pytest

from passband.run.store.failures import explain


def error(code, text):
    """An error as SQLite raises it, with one of its extended codes."""
    made = sqlite3.OperationalError(text)
    made.sqlite_errorcode = code
    return made


@pytest.mark.parametrize(
    ("code", "text", "what", "fix"),
    [
        (sqlite3.SQLITE_FULL, "database or disk is full", "no room is left", "free some space"),
        (sqlite3.SQLITE_IOERR | 3 << 8, "disk I/O error", "disk I/O error", "look after the disk"),
        (sqlite3.SQLITE_READONLY, "attempt to write a readonly database", "cannot be written to", "copy it"),
        (sqlite3.SQLITE_BUSY, "database is locked", "another process holds it", "when that one has ended"),
        (sqlite3.SQLITE_CORRUPT, "database disk image is malformed", "malformed", "passband store check"),
        (sqlite3.SQLITE_NOTADB, "file is not a database", "not a database", "passband store rescue"),
    ],
)
def test_each_failure_has_its_way_out(tmp_path, code, text, what, fix):
    """What SQLite says is said in words of files and disks, with what to do."""
    path = tmp_path / "s.db"
    path.touch()
    said, way = explain(error(code, text), path)
    assert what in said
    assert fix in way


def test_an_io_error_on_a_full_disk_is_a_full_disk(tmp_path, monkeypatch):
    """A disk with no room left for a page fails with an I/O error, which says nothing of room."""
    monkeypatch.setattr("os.statvfs", lambda _: SimpleNamespace(f_bavail=3, f_frsize=4096))
    said, way = explain(error(sqlite3.SQLITE_IOERR, "disk I/O error"), tmp_path / "s.db")
    assert said == "no room is left on its disk (disk I/O error)"
    assert "--resume" in way


def test_a_folder_that_is_not_there_is_named(tmp_path):
    """A store in a folder that does not exist can't be made: the folder is what is missing."""
    said, way = explain(error(sqlite3.SQLITE_CANTOPEN, "unable to open database file"), tmp_path / "no" / "s.db")
    assert said == f"there is no folder {tmp_path / 'no'}"
    assert way == "make it first"
