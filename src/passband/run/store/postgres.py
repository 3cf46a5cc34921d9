"""The store of a team: a PostgreSQL database, with the same tables and the same promises."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING, Any, cast

from passband.errors import StoreError, UsageError
from passband.run.store.base import STORE_SCHEMA, BaseStore

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

__all__ = ["PostgresStore"]

_OPENING = "cannot be opened"
_SCHEMA = "passband"
_CHUNK = 4096
_COLUMNS = """
CREATE TABLE columns (
  run         BIGINT PRIMARY KEY REFERENCES runs(id),
  rows        BIGINT NOT NULL,
  data        BYTEA NOT NULL
)
"""
_ENOUGH = "ALTER TABLE columns ADD COLUMN enough TEXT NOT NULL DEFAULT ''"
_TABLES: Sequence[str] = (
    "CREATE TABLE meta (version INTEGER NOT NULL)",
    """
CREATE TABLE runs (
  id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id      TEXT NOT NULL UNIQUE,
  header      BYTEA NOT NULL,
  created_at  DOUBLE PRECISION NOT NULL
)
""",
    """
CREATE TABLE samples (
  run         BIGINT NOT NULL REFERENCES runs(id),
  case_no     INTEGER NOT NULL,
  sample_no   INTEGER NOT NULL,
  outcome     SMALLINT NOT NULL,
  score       DOUBLE PRECISION,
  answer      BIGINT NOT NULL,
  cost_usd    DOUBLE PRECISION,
  tokens      BIGINT NOT NULL,
  seconds     DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (run, case_no, sample_no)
)
""",
    """
CREATE TABLE records (
  run         BIGINT NOT NULL,
  case_no     INTEGER NOT NULL,
  sample_no   INTEGER NOT NULL,
  record      BYTEA NOT NULL,
  PRIMARY KEY (run, case_no, sample_no)
)
""",
    # Compressed already: the server must not try again.
    "ALTER TABLE records ALTER COLUMN record SET STORAGE EXTERNAL",
    _COLUMNS,
    _ENOUGH,
)
_MIGRATIONS: Mapping[int, Sequence[str]] = {1: (_COLUMNS,), 2: (_ENOUGH,)}
_PASSWORD = re.compile(r"(://[^:/@]*):[^@]*@")


class PostgresStore(BaseStore):
    """The schema ``passband`` of one database.

    Parameters
    ----------
    url : str
        ``postgresql://USER:PASSWORD@HOST:PORT/DATABASE``; parts left out come from the PG… environment variables.
    create : bool
        Make the tables where they do not exist.

    Raises
    ------
    StoreError
        Where the server cannot be reached, or holds no store or one from a newer version.
    UsageError
        Where the extra ``postgres`` is not installed.
    """

    def __init__(self, url: str, *, create: bool = False) -> None:
        super().__init__(_PASSWORD.sub(r"\1@", url))
        try:
            import psycopg
        except ImportError:
            raise UsageError(
                "PostgreSQL needs the extra 'postgres'", where=self.location, fix="pip install 'passband[postgres]'"
            ) from None
        self._psycopg = psycopg
        with self._errors(_OPENING):
            self._db = psycopg.connect(url, autocommit=True, client_encoding="utf8")
            try:
                self._open(create=create)
            except BaseException:
                self._db.close()
                raise

    def _open(self, *, create: bool) -> None:
        self._do(f"SET search_path TO {_SCHEMA}")
        version = self._version()
        if version == STORE_SCHEMA:
            return
        if version == 0 and not create:
            raise StoreError("holds no store", where=self.location, fix="make one with: passband run … --store URL")
        with self._writing():
            # One process makes or migrates the tables; the others wait, and find the work done.
            self._do("SELECT pg_advisory_xact_lock(1348563778)")
            version = self._version()
            if version > STORE_SCHEMA:
                raise StoreError(
                    f"was written by a newer Passband (schema {version}, this one reads up to {STORE_SCHEMA})",
                    where=self.location,
                    fix="upgrade passband",
                )
            if version == 0:
                self._do(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}")
                for statement in _TABLES:
                    self._do(statement)
                self._do("INSERT INTO meta VALUES (?)", (STORE_SCHEMA,))
            else:
                for step in range(version, STORE_SCHEMA):
                    for statement in _MIGRATIONS[step]:
                        self._do(statement)
                self._do("UPDATE meta SET version = ?", (STORE_SCHEMA,))

    def _version(self) -> int:
        # A query and not to_regclass(): that one may answer from a cache older than the lock.
        there = self._read("SELECT 1 FROM pg_tables WHERE schemaname = ? AND tablename = 'meta'", (_SCHEMA,))
        return int(self._read("SELECT version FROM meta")[0][0]) if there else 0

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            lost = isinstance(error, self._psycopg.OperationalError)
            fix = "what was committed is safe; when the server is back, run again with --resume" if lost else None
            if lost and what == _OPENING:
                fix = "see that the server runs, and that the address is right"
            text = str(error).strip().split("\n", maxsplit=1)[0]
            raise StoreError(f"{what}: {text or type(error).__name__}", where=self.location, fix=fix) from error

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def _read(self, sql: str, arguments: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._lock, self._errors("cannot be read"):
            return self._db.execute(_marks(sql), arguments).fetchall()

    def _stream(self, sql: str, arguments: Sequence[Any] = ()) -> Generator[tuple[Any, ...], None, None]:
        # Held for the whole stream: one connection has one cursor at work at a time.
        with (
            self._lock,
            self._errors("cannot be read"),
            self._db.transaction(),
            self._db.cursor(name="passband_stream") as cursor,
        ):
            cursor.itersize = _CHUNK
            cursor.execute(_marks(sql), arguments)
            yield from cursor

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, self._errors("cannot be written"), self._db.transaction():
            yield

    def _do(self, sql: str, arguments: Sequence[Any] = ()) -> None:
        self._db.execute(_marks(sql), arguments)

    def _insert(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        if not rows:
            return
        staging = f"new_{table}"
        with self._db.cursor() as cursor:
            cursor.execute(_marks(f"CREATE TEMP TABLE IF NOT EXISTS {staging} (LIKE {table}) ON COMMIT DELETE ROWS"))
            with cursor.copy(_marks(f"COPY {staging} FROM STDIN")) as copy:
                for row in rows:
                    copy.write_row(row)
            cursor.execute(
                _marks(f"INSERT INTO {table} SELECT * FROM {staging} ON CONFLICT DO NOTHING")  # noqa: S608 - our names
            )
            cursor.execute(_marks(f"TRUNCATE {staging}"))  # a transaction may insert more than once


def _marks(sql: str) -> Any:
    """Our statements mark arguments with ``?``, psycopg with ``%s``; neither sign occurs in them otherwise."""
    return cast("Any", sql.replace("?", "%s"))
