"""The durable store: one SQLite file in WAL mode.

Narrow rows for whatever is counted, compressed records apart for whatever is read. A sample is durable when its
transaction is committed, and the key (run, case, sample) makes writing idempotent: that is all that resuming needs.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import zstandard

from passband.errors import StoreError, UnknownNameError
from passband.records import RunHeader, Sample, SampleTable, decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["STORE_SCHEMA", "RunRow", "Store"]

STORE_SCHEMA = 1
"""Version of the tables; a store of a newer one is refused, of an older one migrated."""

_APPLICATION_ID = 0x50617342  # "PasB", so that `file` and we know the file for what it is
_LATEST = "latest"

_TABLES = """
CREATE TABLE runs (
  id          INTEGER PRIMARY KEY,
  run_id      TEXT NOT NULL UNIQUE,
  header      BLOB NOT NULL,
  created_at  REAL NOT NULL
);
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
) WITHOUT ROWID;
CREATE TABLE records (
  run         INTEGER NOT NULL,
  case_no     INTEGER NOT NULL,
  sample_no   INTEGER NOT NULL,
  record      BLOB NOT NULL,
  UNIQUE (run, case_no, sample_no)
);
"""


class RunRow:
    """A run as the store lists it."""

    __slots__ = ("done", "header")

    def __init__(self, header: RunHeader, done: int) -> None:
        self.header = header
        self.done = done

    @property
    def scheduled(self) -> int:
        """Samples the run is to have."""
        return len(self.header.case_ids) * self.header.samples_per_case


class Store:
    """One store file.

    Safe to use from several threads; several processes may read and write the same file at once.

    Parameters
    ----------
    path : str or Path
        The file.
    create : bool
        Make it where it does not exist; without, a missing file is an error.

    Raises
    ------
    StoreError
        Where the file cannot be opened, is not a store, or is from a newer version.
    """

    def __init__(self, path: str | Path, *, create: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        if not create and not self.path.is_file():
            raise StoreError(
                "there is no such store", where=str(path), fix="make one with: passband run … --store FILE"
            )
        with self._errors("cannot be opened"):
            self._db = sqlite3.connect(self.path, timeout=30, isolation_level=None, check_same_thread=False)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def _open(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
        if tables and application != _APPLICATION_ID:
            raise StoreError("is a database, but not a Passband store", where=str(self.path))
        if version > STORE_SCHEMA:
            raise StoreError(
                f"was written by a newer Passband (schema {version}, this one reads up to {STORE_SCHEMA})",
                where=str(self.path),
                fix="upgrade passband",
            )
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        if not tables:
            with self._transaction():
                # Another process may have been first between the look and the lock.
                if not self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                    for statement in _TABLES.split(";\n"):
                        self._db.execute(statement)
                    self._db.execute(f"PRAGMA application_id={_APPLICATION_ID}")
                    self._db.execute(f"PRAGMA user_version={STORE_SCHEMA}")

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            fix = (
                "what was committed is safe; free some space and run again with --resume"
                if "full" in str(error)
                else None
            )
            raise StoreError(f"{what}: {error}", where=str(self.path), fix=fix) from error

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back already
                self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def close(self) -> None:
        """Let the file go; the last connection to close folds the log into it."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    # -- runs ---------------------------------------------------------------------------------------------------------

    def add_run(self, header: RunHeader) -> None:
        """Write a run's header; a run of that id that is already there stays as it is."""
        with self._lock, self._errors("cannot be written"), self._transaction():
            self._db.execute(
                "INSERT OR IGNORE INTO runs (run_id, header, created_at) VALUES (?, ?, ?)",
                (header.run_id, encode(header), header.created_at or time.time()),
            )

    def runs(self) -> list[RunRow]:
        """All runs, oldest first."""
        with self._lock, self._errors("cannot be read"):
            rows = self._db.execute(
                "SELECT header, (SELECT count(*) FROM samples WHERE run = runs.id) FROM runs ORDER BY created_at, id"
            ).fetchall()
        return [RunRow(decode(header, RunHeader, where=str(self.path)), done) for header, done in rows]

    def find(self, name: str) -> RunHeader:
        """Header of the run called `name`: its id, an unambiguous beginning of it, or ``latest``.

        Raises
        ------
        UnknownNameError
            Where there is none, or more than one.
        """
        headers = [row.header for row in self.runs()]
        if name == _LATEST and headers:
            return headers[-1]
        exact = [header for header in headers if header.run_id == name]
        found = exact or [header for header in headers if header.run_id.startswith(name) and name]
        if len(found) == 1:
            return found[0]
        known = [header.run_id for header in found or headers]
        raise UnknownNameError("run", name, known, where=str(self.path))

    def has_run(self, run_id: str) -> bool:
        """Whether a run of exactly that id is there."""
        return any(row.header.run_id == run_id for row in self.runs())

    # -- samples ------------------------------------------------------------------------------------------------------

    def add_samples(self, run_id: str, samples: Iterable[tuple[int, Sample]]) -> None:
        """Write samples in one transaction; one that is there already stays as it is.

        Parameters
        ----------
        run_id : str
            A run that :meth:`add_run` has written.
        samples : iterable of (int, Sample)
            The case's position in the header, and the sample.
        """
        key = self._key(run_id)
        rows, records = [], []
        for case_no, sample in samples:
            answer = hashlib.sha256(sample.output.payload if sample.output else b"").digest()
            seconds = sample.timing.subject_s + sample.timing.grade_s
            tokens = sample.usage.input_tokens + sample.usage.output_tokens
            place = (key, case_no, sample.index)
            rows.append(
                (
                    *place,
                    SampleTable.outcome_code(sample),
                    sample.verdict.score if sample.verdict else None,
                    int.from_bytes(answer[:8], signed=True),
                    sample.usage.cost_usd,
                    tokens,
                    seconds,
                )
            )
            records.append((*place, zstandard.compress(encode(sample))))
        with self._lock, self._errors("cannot be written"), self._transaction():
            self._db.executemany("INSERT OR IGNORE INTO samples VALUES (?,?,?,?,?,?,?,?,?)", rows)
            self._db.executemany("INSERT OR IGNORE INTO records VALUES (?,?,?,?)", records)

    def done(self, run_id: str) -> set[tuple[int, int]]:
        """(case position, sample index) of every sample the store holds for a run."""
        key = self._key(run_id)
        with self._lock, self._errors("cannot be read"):
            return set(self._db.execute("SELECT case_no, sample_no FROM samples WHERE run = ?", (key,)))

    def table(self, run_id: str) -> SampleTable:
        """All samples of a run in columns."""
        table = SampleTable(self.find(run_id))
        key = self._key(run_id)
        with self._lock, self._errors("cannot be read"):
            rows = self._db.execute(
                "SELECT case_no, sample_no, outcome, score, answer, cost_usd, tokens, seconds"
                " FROM samples WHERE run = ? ORDER BY case_no, sample_no",
                (key,),
            )
            for case, index, outcome, score, answer, cost_usd, tokens, seconds in rows:
                table.append(
                    case=case,
                    index=index,
                    outcome=outcome,
                    score=score,
                    answer=answer,
                    cost_usd=cost_usd,
                    tokens=tokens,
                    seconds=seconds,
                )
        return table

    def samples(self, run_id: str, case_no: int | None = None) -> Iterator[tuple[int, Sample]]:
        """Full samples of a run, or of one case of it, ordered by case and index."""
        key = self._key(run_id)
        query = "SELECT case_no, sample_no, record FROM records WHERE run = ?"
        arguments: tuple[int, ...] = (key,)
        if case_no is not None:
            query += " AND case_no = ?"
            arguments += (case_no,)
        with self._lock, self._errors("cannot be read"):
            rows = self._db.execute(f"{query} ORDER BY case_no, sample_no", arguments).fetchall()
        for case, index, record in rows:
            where = f"{self.path}: case {case}, sample {index}"
            try:
                data = zstandard.decompress(record)
            except zstandard.ZstdError as error:
                raise StoreError(f"holds a damaged record: {error}", where=where) from None
            yield case, decode(data, Sample, where=where)

    def _key(self, run_id: str) -> int:
        with self._lock, self._errors("cannot be read"):
            row = self._db.execute("SELECT id FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        if row is None:
            raise UnknownNameError("run", run_id, where=str(self.path))
        return int(row[0])
