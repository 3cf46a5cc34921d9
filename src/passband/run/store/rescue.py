"""Saving what can be read of a damaged store file."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passband.errors import DataError, StoreError
from passband.records import RunHeader, decode
from passband.run.store.check import headers, opened_as_it_is, scan, where
from passband.run.store.ledger import TABLES
from passband.run.store.locate import whole_or_nothing
from passband.run.store.pages import leaf_rows
from passband.run.store.rows import Row, make_row, read_record
from passband.run.store.sqlite import Store

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["RescueReport", "rescue_store"]

_BATCH = 1000


@dataclass(frozen=True)
class RescueReport:
    """What a rescue saved."""

    runs: int
    samples: int
    lost: tuple[str, ...] = ()
    """What was found damaged, one line each; samples that are not saved are drawn again when the run is resumed."""
    saved: tuple[tuple[str, int, int], ...] = ()
    """Run, samples saved of it, samples it was to have."""


def rescue_store(path: str | Path, target: str | Path) -> RescueReport:
    """Copy everything that can be read into a new store; the damaged file stays as it is.

    Rows are made anew from the records, so that a run counts what it can show. What SQLite can't reach, in a file that
    was cut or has lost inner pages, is looked for page by page.

    Parameters
    ----------
    path, target : str or Path
        The damaged file; a file that does not exist yet.

    Raises
    ------
    StoreError
        Where `target` exists, or nothing at all can be saved.
    """
    if Path(target).exists():
        raise StoreError("is there already", where=str(target), fix="name a file that does not exist yet")
    with whole_or_nothing(str(target)), Store(target, create=True) as store:
        saving = _Saving(store)
        try:
            with opened_as_it_is(Path(path)) as db:
                saving.take_tables(db)
        except sqlite3.Error as error:
            saving.lost.append(f"the file: {error}")
        if saving.lost:
            saving.take_pages(Path(path))
        saved = saving.finish()
        if not saved:
            what = "nothing in it can be read"
            if saving.orphans:
                what = f"{len(saving.orphans):,} records can be read, but no run's header, and they are nothing without"
            raise StoreError(what, where=str(path), fix="draw the run anew, into a new store")
        lost = [*dict.fromkeys(saving.lost)]
        return RescueReport(len(saved), sum(number for _, number, _ in saved), tuple(lost), tuple(saved))


class _Saving:
    """What has been saved so far; whatever comes first of a run or a sample stays."""

    def __init__(self, store: Store) -> None:
        self.lost: list[str] = []
        self.orphans: set[tuple[int, int, int]] = set()
        """Records of runs whose header is lost."""
        self._store = store
        self._runs: dict[int, RunHeader] = {}
        self._batch: dict[int, list[Row]] = {}
        self._enough: dict[int, tuple[int, str]] = {}

    def take_tables(self, db: sqlite3.Connection) -> None:
        """Take what SQLite gives."""
        for key, header in headers(db, self.lost):
            self._take_run(key, header)
        for row in scan(db, "records", self.lost):
            self._take_record(*row)
        try:
            for key, rows, *_, enough in db.execute("SELECT * FROM columns"):
                self._enough[key] = rows, enough
        except (sqlite3.Error, ValueError):  # not there in the first schema; without the reason in the second
            pass
        names = {name for (name,) in db.execute("SELECT name FROM sqlite_schema")}
        for table in TABLES:
            if table in names:
                self._take_ledger(table, scan(db, table, self.lost))

    def take_pages(self, path: Path) -> None:
        """Take what the pages hold: a row is known by the kinds of its values."""
        for row, values in leaf_rows(path):
            match values:
                case [None, str(name), bytes(header), float() | int()]:
                    try:
                        self._take_run(row, decode(header, RunHeader, where=f"run {name}"))
                    except DataError as error:
                        self.lost.append(str(error))
                case [None, int(rows), bytes(), str(enough)]:
                    self._enough.setdefault(row, (rows, enough))
                case [str(), str(), str(), str(), str(), str()]:
                    self._take_ledger("test_sets", [tuple(values)])
                case [str(), str(), str(), str(), str(), str(), str(), float() | int(), str()]:
                    self._take_ledger("test_ledger", [tuple(values)])
        for _, values in leaf_rows(path):
            match values:
                case [int(key), int(case_no), int(sample_no), bytes(record)]:
                    self._take_record(key, case_no, sample_no, record)

    def finish(self) -> list[tuple[str, int, int]]:
        """Write what is left to write; return (run, samples saved, samples scheduled) of each run."""
        for key in list(self._batch):
            self._write(key)
        found = []
        for key, header in self._runs.items():
            number = self._store.count(header.run_id)
            rows, enough = self._enough.get(key, (-1, ""))
            if enough and rows == number:
                self._store.settle(header.run_id, enough=enough)
            scheduled = rows if enough else len(header.case_ids) * header.samples_per_case
            found.append((header.run_id, number, scheduled))
        return found

    def _take_run(self, key: int, header: RunHeader) -> None:
        if key not in self._runs:
            self._runs[key] = header
            self._store.add_run(header)

    def _take_record(self, key: int, case_no: int, sample_no: int, record: bytes) -> None:
        place = where(self._runs, key, case_no, sample_no)
        header = self._runs.get(key)
        try:
            sample = read_record(record, where=place)
        except DataError as error:
            self.lost.append(str(error))
            return
        if header is None:
            self.orphans.add((key, case_no, sample_no))
            self.lost.append(f"{place}: belongs to a run whose header is lost")
        elif not 0 <= case_no < len(header.case_ids) or sample.index != sample_no:
            self.lost.append(f"{place}: is no sample of its run")
        else:
            self._batch.setdefault(key, []).append(make_row(case_no, sample))
            if len(self._batch[key]) == _BATCH:
                self._write(key)

    def _write(self, key: int) -> None:
        self._store.add_rows(self._runs[key].run_id, self._batch.pop(key))

    def _take_ledger(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._store.ledger.add_rows(table, rows)
