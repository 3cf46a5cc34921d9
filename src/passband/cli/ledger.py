"""The test-set ledger: which models each test set has seen, in the store beside the runs.

Every run in the store that drew a sample of a test case has touched that test set, whether or not anybody reported it:
the ledger is refilled from the runs themselves each time it is read, and so can't be forgotten.
"""

from __future__ import annotations

import getpass
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.records import RunHeader, Split
    from passband.run import BaseStore

__all__ = ["LedgerEntry", "entries", "models_seen", "record_report", "register", "seen_notes", "test_set_notes"]

_TABLES = (
    """
CREATE TABLE IF NOT EXISTS test_sets (
  digest TEXT PRIMARY KEY, suite TEXT NOT NULL, suite_version TEXT NOT NULL, part TEXT NOT NULL,
  cases TEXT NOT NULL, everything TEXT NOT NULL
)
""",
    """
CREATE TABLE IF NOT EXISTS test_ledger (
  digest TEXT NOT NULL, event TEXT NOT NULL, run_id TEXT NOT NULL, model TEXT NOT NULL, subject TEXT NOT NULL,
  harness TEXT NOT NULL, who TEXT NOT NULL, at DOUBLE PRECISION NOT NULL, note TEXT NOT NULL,
  UNIQUE (digest, event, run_id, note)
)
""",
)


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


def register(store: BaseStore, split: Split, part: str) -> str:
    """Make a part known as a test set; return its digest."""
    digest = split.part_digest(part)
    everything = sorted(case for ids in split.parts.values() for case in ids)
    with store._writing():  # noqa: SLF001 - the store's own way to write, for a table of ours
        for statement in _TABLES:
            store._do(statement)  # noqa: SLF001
        store._do(  # noqa: SLF001
            "INSERT INTO test_sets VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                digest,
                split.suite,
                split.suite_version,
                part,
                orjson.dumps(sorted(split.parts[part])).decode(),
                orjson.dumps(everything).decode(),
            ),
        )
    _refill(store)
    return digest


def record_report(store: BaseStore, digest: str, header: RunHeader, note: str) -> None:
    """Write down that a number of a test set was reported, by which rule."""
    _add(store, digest, "reported", header, note, time.time())


def entries(store: BaseStore, digest: str | None = None) -> list[LedgerEntry]:
    """All touches of a test set, or of all of them, oldest first."""
    if not _known(store):
        return []
    _refill(store)
    rows = store._read(  # noqa: SLF001
        "SELECT digest, event, run_id, model, subject, harness, who, at, note FROM test_ledger ORDER BY at, run_id"
    )
    return [LedgerEntry(*row) for row in rows if digest is None or row[0] == digest]


def models_seen(found: Iterable[LedgerEntry]) -> int:
    """How many different models (subject and parameters) the entries name."""
    return len({entry.model for entry in found})


def test_set_notes(store: BaseStore, header: RunHeader) -> list[str]:
    """Say of each test set that a run touches how many models it has seen."""
    sets = _known(store)
    touched = [row for row in sets if _touches(header, row)]
    if not touched:
        return []
    from passband.report.words import many

    found = entries(store)
    notes = []
    for row in touched:
        mine = [entry for entry in found if entry.digest == row[0]]
        evaluated = sum(entry.event == "evaluated" for entry in mine)
        notes.append(
            f"holds {row[3]} cases of {row[1]} (test set {row[0][:8]}), which has seen "
            f"{many(models_seen(mine), 'model')} in {many(evaluated, 'evaluation')}"
        )
    return notes


def seen_notes(names: Iterable[str], store_path: str) -> list[str]:
    """Notes on the test sets that the named runs touch; runs of counts files touch none that is known."""
    from passband.cli.common import open_run

    notes = []
    for name in names:
        if ".csv" in name:
            continue
        store, run_id = open_run(name, store_path)
        with store:
            notes += [f"{run_id} {note}" for note in test_set_notes(store, store.find(run_id))]
    return notes


def _known(store: BaseStore) -> list[tuple[str, str, str, str, str, str]]:
    from passband.errors import StoreError

    try:
        rows = store._read("SELECT digest, suite, suite_version, part, cases, everything FROM test_sets")  # noqa: SLF001
    except StoreError:  # no test set was ever registered here
        return []
    return [tuple(row) for row in rows]


def _touches(header: RunHeader, row: tuple[str, str, str, str, str, str]) -> bool:
    cases = set(header.case_ids)
    ours = header.harness.suite_version == row[2] or cases <= set(orjson.loads(row[5]))
    return ours and not cases.isdisjoint(orjson.loads(row[4]))


def _refill(store: BaseStore) -> None:
    """Enter every run that has drawn a sample of a known test set's cases."""
    have = {(r[0], r[1]) for r in store._read("SELECT digest, run_id FROM test_ledger WHERE event = 'evaluated'")}  # noqa: SLF001
    for row in _known(store):
        cases = set(orjson.loads(row[4]))
        for listed in store.runs():
            header = listed.header
            if (row[0], header.run_id) in have or not listed.done or not _touches(header, row):
                continue
            table = store.table(header.run_id)
            if cases & {header.case_ids[place] for place in set(table.case)}:
                _add(store, row[0], "evaluated", header, "", header.created_at)


def _add(store: BaseStore, digest: str, event: str, header: RunHeader, note: str, at: float) -> None:
    from passband.records import content_digest

    model = content_digest("passband.model", 1, {"subject": header.subject, "params": header.subject_params})
    with store._writing():  # noqa: SLF001
        store._do(  # noqa: SLF001
            "INSERT INTO test_ledger VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                digest, event, header.run_id, model, header.subject, header.harness.fingerprint, _user(), at, note,
            ),
        )  # fmt: skip


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this uid
        return "unknown"
