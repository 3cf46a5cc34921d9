"""The embedded store: one SQLite file in WAL mode."""

from __future__ import annotations

import contextlib
import io
import sqlite3
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from passband.errors import StoreError
from passband.run.store.base import STORE_SCHEMA, BaseStore
from passband.run.store.failures import explain, unreadable
from passband.run.store.migrate import APPLICATION_ID, MIGRATIONS, TABLES
from passband.run.store.reading import cannot_write, copied, reading

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from passband.run.store.rows import Readable

__all__ = ["Store"]

_CHUNK = 4096
_BLOCK = 2**16  # bytes of packed columns that are written at once
_TIMEOUT = 30.0  # seconds that a lock held by another connection is waited for


class Store(BaseStore):
    """One store file.

    Parameters
    ----------
    path : str or Path
        The file.
    create : bool
        Make it where it does not exist; without, a missing file is an error, and one that can't be written to, or lies
        where nothing can be, is opened for reading alone.

    Raises
    ------
    StoreError
        Where the file cannot be opened, is not a store, or is from a newer version.
    """

    def __init__(self, path: str | Path, *, create: bool = False) -> None:
        super().__init__(str(path))
        self.path = Path(path)
        if self.path.is_dir():
            raise StoreError("is a folder", where=str(path), fix="name a file in it")
        if not create and not self.path.is_file():
            raise StoreError(
                "there is no such store", where=str(path), fix="make one with: passband run … --store FILE"
            )
        if self.path.exists() and (why := unreadable(self.path)):
            raise StoreError(f"cannot be read: {why}", where=str(path), fix="ask its owner, or name another")
        self._held = contextlib.ExitStack()
        with self._errors("cannot be opened"):
            try:
                self._open(create=create)
            except BaseException:
                self._held.close()
                raise

    def _open(self, *, create: bool) -> None:
        try:
            self._db = self._connect(self.path)
            self._prepare()
        except sqlite3.OperationalError as error:
            self._held.close()
            if create or not cannot_write(error):
                raise
            self._open_for_reading()

    def _connect(self, path: Path) -> sqlite3.Connection:
        db = sqlite3.connect(path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False)
        return self._held.enter_context(contextlib.closing(db))

    def _open_for_reading(self) -> None:
        self.read_only = True
        self._db = self._held.enter_context(reading(self.path))
        if self._look() < STORE_SCHEMA:  # to be migrated, which the file itself cannot be
            self._db = self._connect(self._held.enter_context(copied(self.path)))
            self._prepare()
        self._db.execute("PRAGMA query_only=ON")

    def _look(self) -> int:
        """Return the version of the tables, 0 where there are none; refuse what is no store of ours."""
        # One snapshot for all: between two looks another process may make the tables.
        self._db.execute("BEGIN")
        try:
            tables, foreign = self._db.execute(
                "SELECT count(*), coalesce(sum(type IN ('view', 'trigger')), 0) FROM sqlite_schema"
            ).fetchone()
            (application,) = self._db.execute("PRAGMA application_id").fetchone()
            version = self._version()
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        # Views and triggers are statements of whoever made the file, and run when its tables are read or written.
        if tables and (application != APPLICATION_ID or foreign or version < 0):
            raise StoreError("is a database, but not a Passband store", where=self.location)
        if version > STORE_SCHEMA:
            raise StoreError(
                f"was written by a newer Passband (schema {version}, this one reads up to {STORE_SCHEMA})",
                where=self.location,
                fix="upgrade passband",
            )
        return version

    def _prepare(self) -> None:
        version = self._look()
        self._use_wal()
        # Survives the death of any process; FULL, at a twentieth of the speed, would add the loss of power.
        self._db.execute("PRAGMA synchronous=NORMAL")
        if version < STORE_SCHEMA:
            with self._writing():
                # Another process may have been first between the look and the lock.
                version = self._version()
                for statement in (
                    TABLES if version == 0 else [s for v in range(version, STORE_SCHEMA) for s in MIGRATIONS[v]]
                ):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version={STORE_SCHEMA}")

    def _use_wal(self) -> None:
        # A change of the journal's mode that meets another connection fails at once: SQLite keeps its busy timeout
        # for reads and writes. The first to come makes it, so all that others need is to ask again.
        deadline = time.monotonic() + _TIMEOUT
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
            time.sleep(0.01)

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            said, fix = explain(error, self.path)
            raise StoreError(f"{what}: {said}", where=self.location, fix=fix) from error

    def close(self) -> None:
        """Let the file go; the last connection to close folds the log into it."""
        self._held.close()

    def _read(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._errors("cannot be read"):
            return self._db.execute(sql, arguments).fetchall()

    def _stream(self, sql: str, arguments: Sequence[Any] = ()) -> Generator[tuple[Any, ...], None, None]:
        with self._lock, self._errors("cannot be read"):
            cursor = self._db.execute(sql, arguments)
        while True:
            with self._lock, self._errors("cannot be read"):
                rows = cursor.fetchmany(_CHUNK)
            if not rows:
                return
            yield from rows

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, self._errors("cannot be written"):
            if self._db.in_transaction:  # of the same thread: the lock is held
                yield
                return
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def _do(self, sql: str, arguments: Sequence[Any] = ()) -> None:
        self._db.execute(sql, arguments)

    def _put_columns(self, key: int, rows: int, packed: IO[bytes], enough: str) -> None:
        size = packed.seek(0, io.SEEK_END)
        packed.seek(0)
        self._do(
            "INSERT INTO columns (run, rows, data, enough) VALUES (?, ?, zeroblob(?), ?)", (key, rows, size, enough)
        )
        with self._db.blobopen("columns", "data", key) as blob:
            while part := packed.read(_BLOCK):
                blob.write(part)

    @contextlib.contextmanager
    def _columns(self, key: int) -> Iterator[Readable]:
        with self._lock, self._errors("cannot be read"):
            blob = self._db.blobopen("columns", "data", key, readonly=True)
        try:
            yield _Blob(self, blob)
        finally:
            blob.close()

    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if rows:
            marks = ",".join("?" * len(rows[0]))
            self._db.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", rows)  # noqa: S608 - our own names


class _Blob:
    """A value that is read a part at a time."""

    def __init__(self, store: Store, blob: sqlite3.Blob) -> None:
        self._store = store
        self._blob = blob

    def read(self, size: int = -1, /) -> bytes:
        with self._store._lock, self._store._errors("cannot be read"):  # noqa: SLF001 - a part of it
            return self._blob.read(size)
