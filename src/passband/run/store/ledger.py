"""The test-set ledger: which runs have touched which test set, in the store beside the runs.

Every run in the store that drew a sample of a test case has touched that test set, whether or not anybody reported it:
the ledger is refilled from the runs themselves each time it is read, and so can't be forgotten.
"""

from __future__ import annotations

import getpass
import time
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

import orjson

from passband.errors import StoreError
from passband.records import content_digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passband.records import RunHeader, Split
    from passband.run.store.columns import ColumnStore

__all__ = ["TABLES", "LedgerEntry", "TestSet", "TestSetLedger"]

TABLES = {
    "test_sets": """
CREATE TABLE IF NOT EXISTS test_sets (
  digest TEXT PRIMARY KEY, suite TEXT NOT NULL, suite_version TEXT NOT NULL, part TEXT NOT NULL,
  cases TEXT NOT NULL, everything TEXT NOT NULL
)
""",
    "test_ledger": """
CREATE TABLE IF NOT EXISTS test_ledger (
  digest TEXT NOT NULL, event TEXT NOT NULL, run_id TEXT NOT NULL, model TEXT NOT NULL, subject TEXT NOT NULL,
  harness TEXT NOT NULL, who TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, note TEXT NOT NULL,
  UNIQUE (digest, event, run_id, note)
)
""",
}
"""The ledger's tables, made when a first test set is declared."""


@dataclass(frozen=True)
class LedgerEntry:
    """One touch of a test set."""

    digest: str
    event: str
    """``evaluated``: a run drew samples of it; ``reported``: a number of it was printed by select."""
    run_id: str
    model: str
    """Digest of the subject and its parameters."""
    subject: str
    harness: str
    who: str
    at: float
    note: str


@dataclass(frozen=True)
class TestSet:
    """A part of a suite that was declared a test set."""

    digest: str
    suite: str
    suite_version: str
    part: str
    cases: frozenset[str]
    everything: frozenset[str]
    """Cases of all parts of its split."""

    def touched_by(self, header: RunHeader) -> bool:
        """Whether a run is to draw samples of it."""
        cases = set(header.case_ids)
        ours = header.harness.suite_version == self.suite_version or cases <= self.everything
        return ours and not cases.isdisjoint(self.cases)


class TestSetLedger:
    """The ledger of one store.

    Parameters
    ----------
    store : ColumnStore
        The runs, and where the ledger is kept.
    """

    def __init__(self, store: ColumnStore) -> None:
        self._store = store

    def register(self, split: Split, part: str) -> str:
        """Make a part known as a test set; return its digest."""
        digest = split.part_digest(part)
        everything = sorted(case for ids in split.parts.values() for case in ids)
        row = (
            digest,
            split.suite,
            split.suite_version,
            part,
            orjson.dumps(sorted(split.parts[part])).decode(),
            orjson.dumps(everything).decode(),
        )
        with self._store.transaction():
            self.add_rows("test_sets", [row])
        self._refill()
        return digest

    def add_rows(self, table: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Write rows of one of :data:`TABLES`; one that is there already stays as it is."""
        with self._store.transaction():
            for statement in TABLES.values():
                self._store.execute(statement)
            for row in rows:
                marks = ", ".join("?" * len(row))
                self._store.execute(f"INSERT INTO {table} VALUES ({marks}) ON CONFLICT DO NOTHING", row)  # noqa: S608 - ours

    def take(self, other: TestSetLedger) -> None:
        """Enter what another store's ledger holds."""
        if other.test_sets():
            for table in TABLES:
                self.add_rows(table, other._store.query(f"SELECT * FROM {table}"))  # noqa: S608 - ours

    def record_report(self, digest: str, header: RunHeader, note: str) -> None:
        """Write down that a number of a test set was reported, by which rule."""
        self.add_rows("test_ledger", [astuple(_entry(digest, "reported", header, note, time.time()))])

    def entries(self, digest: str | None = None) -> list[LedgerEntry]:
        """All touches of a test set, or of all of them, oldest first."""
        if not self.test_sets():
            return []
        if self._store.read_only:
            unwritten = list(self._missing())
        else:
            self._refill()
            unwritten = []
        rows = self._store.query(
            "SELECT digest, event, run_id, model, subject, harness, who, at, note FROM test_ledger ORDER BY at, run_id"
        )
        found = sorted([*(LedgerEntry(*row) for row in rows), *unwritten], key=lambda entry: (entry.at, entry.run_id))
        return [entry for entry in found if digest is None or entry.digest == digest]

    def test_sets(self) -> list[TestSet]:
        """Every test set that was made known here."""
        try:
            rows = self._store.query("SELECT digest, suite, suite_version, part, cases, everything FROM test_sets")
        except StoreError:  # none was ever registered here
            return []
        return [
            TestSet(digest, suite, version, part, frozenset(orjson.loads(cases)), frozenset(orjson.loads(everything)))
            for digest, suite, version, part, cases, everything in rows
        ]

    def _refill(self) -> None:
        """Enter every run that has drawn a sample of a known test set's cases."""
        missing = list(self._missing())
        if missing:
            self.add_rows("test_ledger", map(astuple, missing))

    def _missing(self) -> Iterator[LedgerEntry]:
        """Runs that have drawn a sample of a known test set's cases and are not entered yet."""
        rows = self._store.query("SELECT digest, run_id FROM test_ledger WHERE event = 'evaluated'")
        have = {(digest, run_id) for digest, run_id in rows}
        for known in self.test_sets():
            for listed in self._store.runs():
                header = listed.header
                if (known.digest, header.run_id) in have or not listed.done or not known.touched_by(header):
                    continue
                table = self._store.table(header.run_id)
                if known.cases & {header.case_ids[place] for place in set(table.case)}:
                    yield _entry(known.digest, "evaluated", header, "", header.created_at)


def _entry(digest: str, event: str, header: RunHeader, note: str, at: float) -> LedgerEntry:
    model = content_digest("passband.model", 1, {"subject": header.subject, "params": header.subject_params})
    return LedgerEntry(
        digest, event, header.run_id, model, header.subject, header.harness.fingerprint, _user(), at, note
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this uid
        return "unknown"
