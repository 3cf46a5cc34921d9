"""What reports say of the test sets that a run touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.records import RunHeader
    from passband.run import BaseStore
    from passband.run.store import LedgerEntry

__all__ = ["models_seen", "seen_notes", "test_set_notes"]


def models_seen(found: Iterable[LedgerEntry]) -> int:
    """How many different models (subject and parameters) the entries name."""
    return len({entry.model for entry in found})


def test_set_notes(store: BaseStore, header: RunHeader) -> list[str]:
    """Say of each test set that a run touches how many models it has seen."""
    touched = [known for known in store.ledger.test_sets() if known.touched_by(header)]
    if not touched:
        return []
    from passband.report.words import many

    found = store.ledger.entries()
    notes = []
    for known in touched:
        mine = [entry for entry in found if entry.digest == known.digest]
        evaluated = sum(entry.event == "evaluated" for entry in mine)
        notes.append(
            f"holds {known.part} cases of {known.suite} (test set {known.digest[:8]}), which has seen "
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
