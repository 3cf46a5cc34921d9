"""What reports say of the test sets that a run touches."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passband.records import RunHeader, Split
    from passband.run import BaseStore
    from passband.run.store import LedgerEntry

__all__ = ["Ledgers", "models_seen", "open_ledgers", "seen_notes", "test_set_notes"]


class Ledgers:
    """The ledgers of several stores, read and written as one.

    Parameters
    ----------
    stores : sequence of BaseStore
        Each once.
    """

    def __init__(self, stores: Sequence[BaseStore]) -> None:
        self._ledgers = [store.ledger for store in stores]

    def register(self, split: Split, part: str) -> str:
        """Make a part known as a test set in every store; return its digest."""
        for ledger in self._ledgers:
            ledger.register(split, part)
        return split.part_digest(part)

    def record_report(self, digest: str, header: RunHeader, note: str) -> None:
        """Write down in every store that a number of a test set was reported, by which rule."""
        for ledger in self._ledgers:
            ledger.record_report(digest, header, note)

    def entries(self, digest: str) -> list[LedgerEntry]:
        """All touches of a test set that any of the stores knows, each once, oldest first."""
        of = {(e.event, e.run_id, e.note): e for ledger in self._ledgers for e in ledger.entries(digest)}
        return sorted(of.values(), key=lambda entry: (entry.at, entry.run_id))


@contextmanager
def open_ledgers(names: Iterable[str], store_path: str) -> Iterator[Ledgers]:
    """Open the ledger of every store that holds one of the named runs; of `store_path` where they are all counts."""
    from passband.cli.opening import open_run
    from passband.run import open_store

    with ExitStack() as opened:
        stores: dict[str, BaseStore] = {}
        for name in names:
            if ".csv" not in name:
                store = opened.enter_context(open_run(name, store_path)[0])
                stores.setdefault(store.location, store)
        yield Ledgers(list(stores.values()) or [opened.enter_context(open_store(store_path))])


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
    from passband.cli.opening import open_run

    notes = []
    for name in names:
        if ".csv" in name:
            continue
        store, run_id = open_run(name, store_path)
        with store:
            notes += [f"{run_id} {note}" for note in test_set_notes(store, store.find(run_id))]
    return notes
