"""Finding damage in a store file."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passband.errors import DataError, StoreError
from passband.run.store.base import STORE_SCHEMA
from passband.run.store.failures import unreadable
from passband.run.store.migrate import APPLICATION_ID
from passband.run.store.reading import reading
from passband.run.store.rows import is_whole, make_row, read_header, read_record, readable, unpack_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.records import RunHeader

__all__ = ["CheckReport", "check_store", "glance", "headers", "opened_as_it_is", "scan", "where"]

_LONGEST = 96  # characters of a finding
_GLANCED = 32 * 2**20  # bytes of a file that is looked through in passing: a tenth of a second
_UNPACKED = 8 * 2**20  # … with its records


@dataclass(frozen=True)
class CheckReport:
    """What a check found."""

    runs: int
    samples: int
    problems: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is damaged."""
        return not self.problems


def check_store(path: str | Path) -> CheckReport:
    """Look for damage: of the database, of each record, and between records and the rows that count them.

    Nothing is written.

    Parameters
    ----------
    path : str or Path
        A store file of the newest schema.

    Raises
    ------
    StoreError
        Where the file is not there or is no store at all.
    """
    with _opened(path) as db:
        problems = [f"database: {text}" for text in _integrity(db, "integrity_check(20)")]
        runs = dict(headers(db, problems))
        narrow: dict[tuple[int, int, int], tuple[Any, ...]] = {}
        for row in scan(db, "samples", problems):
            narrow[row[0], row[1], row[2]] = row[3:]
        samples = 0
        for key, case_no, sample_no, record in scan(db, "records", problems):
            samples += 1
            place = where(runs, key, case_no, sample_no)
            found = narrow.pop((key, case_no, sample_no), None)
            try:
                made = make_row(case_no, read_record(record, where=place))
            except DataError as error:
                problems.append(str(error))
                continue
            if key not in runs:
                problems.append(f"{place}: belongs to no run")
            if found is None:
                problems.append(f"{place}: its row is missing")
            elif made[1:-1] != (sample_no, *found):
                problems.append(f"{place}: its row contradicts its record")
        problems += [f"{where(runs, *place)}: its record is missing" for place in narrow]
        for key, _, data, *_ in scan(db, "columns", problems):
            try:
                place = f"run {runs[key].run_id}"
                for _ in unpack_columns(readable(data, where=place), runs[key], where=place):
                    pass
            except KeyError:
                problems.append(f"columns: those of run number {key} belong to no run")
            except DataError as error:
                problems.append(f"{error}, which are made anew from its rows when it is resumed")
        return CheckReport(len(runs), samples, tuple(problems))


@contextlib.contextmanager
def opened_as_it_is(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a store's file for reading, however damaged; a file of an older or newer schema too.

    A damaged file must not be made worse, and its log not be folded in.

    Raises
    ------
    StoreError
        Where it is not there, or not a store.
    sqlite3.Error
        Where SQLite can't make anything of it.
    """
    if not path.is_file():
        raise StoreError("there is no such store", where=str(path))
    if why := unreadable(path):
        raise StoreError(f"cannot be read: {why}", where=str(path))
    with reading(path) as db:
        (application,) = db.execute("PRAGMA application_id").fetchone()
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if not path.stat().st_size:
            raise StoreError("is empty", where=str(path))
        if application != APPLICATION_ID:
            raise StoreError("is not a Passband store", where=str(path))
        if version > STORE_SCHEMA:
            raise StoreError(f"has schema {version}, not {STORE_SCHEMA}", where=str(path), fix="upgrade passband")
        yield db


@contextlib.contextmanager
def _opened(path: str | Path) -> Iterator[sqlite3.Connection]:
    """Open a store of the newest schema."""
    with contextlib.ExitStack() as stack:
        try:
            db = stack.enter_context(opened_as_it_is(Path(path)))
        except sqlite3.Error as error:
            fix = f"get what is left of it with: passband store rescue {path} -o NEW"
            raise StoreError(f"cannot be read at all: {error}", where=str(path), fix=fix) from None
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version != STORE_SCHEMA:
            fix = "open it once, with: passband runs --store FILE"
            raise StoreError(f"has schema {version}, not {STORE_SCHEMA}", where=str(path), fix=fix)
        yield db


def glance(path: str | Path, run_id: str | None = None, *, thorough: bool = False) -> str:
    """Look for damage in passing: say in one line what there is, or nothing.

    Parameters
    ----------
    path : str or Path
        A store file.
    run_id : str, optional
        A run whose records are unpacked, which finds what is wrong with their bytes.
    thorough : bool
        However large the file is. Otherwise a file of up to 8 MiB is looked through in all these ways, of up to 32 MiB
        without its records, and of a larger one rows and records are counted.
    """
    size = 0 if thorough else Path(path).stat().st_size
    with _opened(path) as db:
        if size <= _GLANCED and (found := _integrity(db, "quick_check(1)")):
            return found[0]
        try:
            db.execute("BEGIN")  # of one moment, whatever others write
            rows, records = (
                db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608 - our own names
                for table in ("samples", "records")
            )
            if rows != records:
                return f"{rows:,} rows of samples stand against {records:,} records"
            return _damaged(db, run_id) if run_id is not None and size <= _UNPACKED else ""
        except sqlite3.Error as error:
            return _short(str(error))


def _damaged(db: sqlite3.Connection, run_id: str) -> str:
    """Say how many records of a run can't be unpacked."""
    found = records = 0
    for (record,) in db.execute(
        "SELECT record FROM records WHERE run = (SELECT id FROM runs WHERE run_id = ?)", (run_id,)
    ):
        records += 1
        found += not is_whole(record)
    return f"{found:,} of {records:,} records of {run_id} cannot be read" if found else ""


def _integrity(db: sqlite3.Connection, pragma: str) -> list[str]:
    """What SQLite finds, a short line each."""
    try:
        found = [str(row[0]) for row in db.execute(f"PRAGMA {pragma}")]
    except sqlite3.Error as error:
        found = [str(error)]
    lines = (line.strip() for text in found for line in text.splitlines())
    return [_short(line) for line in lines if line and line != "ok" and not line.startswith("***")]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def headers(db: sqlite3.Connection, problems: list[str]) -> Iterator[tuple[int, RunHeader]]:
    """Every run's number and header that can be read; the others are added to `problems`."""
    for key, run_id, header, _ in scan(db, "runs", problems):
        try:
            yield key, read_header(header, where=f"run {run_id}")
        except DataError as error:
            problems.append(str(error))


def scan(db: sqlite3.Connection, table: str, problems: list[str]) -> Iterator[tuple[Any, ...]]:
    """Every row of a table that can be read, past the pages that cannot."""
    if table == "samples":
        # Without row ids there is nothing to step over a page with: up to the first damage, then no further.
        try:
            yield from db.execute("SELECT * FROM samples")
        except sqlite3.Error as error:
            problems.append(f"samples: {error}")
        return
    try:
        (last,) = db.execute(f"SELECT max(rowid) FROM {table}").fetchone()  # noqa: S608 - our own names
    except sqlite3.Error as error:
        problems.append(f"{table}: {error}")
        last = _last_readable(db, table)
    yield from _range(db, table, 1, last or 0, problems)


def _last_readable(db: sqlite3.Connection, table: str) -> int:
    """Upper bound of the row ids: the last step at which anything answers, doubling."""
    bound = 1
    for power in range(41):
        with contextlib.suppress(sqlite3.Error):
            if db.execute(f"SELECT 1 FROM {table} WHERE rowid >= ? LIMIT 1", (2**power,)).fetchone():  # noqa: S608
                bound = 2 ** (power + 1)
    return bound


def _range(db: sqlite3.Connection, table: str, first: int, last: int, problems: list[str]) -> Iterator[tuple[Any, ...]]:
    """Rows `first` to `last`, halving the range around whatever cannot be read."""
    step = 512
    for low in range(first, last + 1, step):
        yield from _readable(db, table, low, min(low + step - 1, last), problems)


def _readable(db: sqlite3.Connection, table: str, low: int, high: int, problems: list[str]) -> list[tuple[Any, ...]]:
    try:
        return db.execute(
            f"SELECT * FROM {table} NOT INDEXED WHERE rowid BETWEEN ? AND ?",  # noqa: S608 - our own names
            (low, high),
        ).fetchall()
    except sqlite3.Error as error:
        if low == high:
            problems.append(f"{table} row {low}: {error}")
            return []
    middle = (low + high) // 2
    return _readable(db, table, low, middle, problems) + _readable(db, table, middle + 1, high, problems)


def where(runs: dict[int, RunHeader], key: int, case_no: int, sample_no: int) -> str:
    """What to call a sample in messages."""
    header = runs.get(key)
    if header is None:
        return f"run number {key}, case {case_no}, sample {sample_no}"
    case = header.case_ids[case_no] if 0 <= case_no < len(header.case_ids) else f"case {case_no}"
    return f"{header.run_id}, {case}, sample {sample_no}"
