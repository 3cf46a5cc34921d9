"""The tables of a store, and the way from every earlier version of them to this one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["APPLICATION_ID", "MIGRATIONS", "TABLES"]

APPLICATION_ID = 0x50617342
"""``PasB``, so that `file` and we know the file for what it is."""

_COLUMNS = """
CREATE TABLE columns (
  run         INTEGER PRIMARY KEY REFERENCES runs(id),
  rows        INTEGER NOT NULL,
  data        BLOB NOT NULL
)
"""
_ENOUGH = "ALTER TABLE columns ADD COLUMN enough TEXT NOT NULL DEFAULT ''"

TABLES: Sequence[str] = (
    """
CREATE TABLE runs (
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL UNIQUE,
  header      BLOB NOT NULL,
  created_at  REAL NOT NULL
)
""",
    """
CREATE TABLE samples (
  run         INTEGER NOT NULL REFERENCES runs(id),
  case_no     INTEGER NOT NULL,
  sample_no   INTEGER NOT NULL,
  outcome     INTEGER NOT NULL,
  score       REAL,
  answer      INTEGER NOT NULL,
  cost_usd    REAL,
  tokens      INTEGER NOT NULL,
  seconds     REAL NOT NULL,
  PRIMARY KEY (run, case_no, sample_no)
) WITHOUT ROWID
""",
    """
CREATE TABLE records (
  run         INTEGER NOT NULL,
  case_no     INTEGER NOT NULL,
  sample_no   INTEGER NOT NULL,
  record      BLOB NOT NULL,
  UNIQUE (run, case_no, sample_no)
)
""",
    _COLUMNS,
    _ENOUGH,
)
"""Statements that make an empty SQLite store of the newest version."""

MIGRATIONS: Mapping[int, Sequence[str]] = {1: (_COLUMNS,), 2: (_ENOUGH,)}
"""Version → statements that lead from it to the next."""
