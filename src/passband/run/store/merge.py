"""Bringing the runs of several stores together."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from passband.errors import StoreError
from passband.run.store.locate import open_store, whole_or_nothing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passband.records import RunHeader
    from passband.run.store.base import BaseStore
    from passband.run.store.rows import Row

__all__ = ["MergeReport", "merge_files", "merge_store"]

_BATCH = 1000


@dataclass(frozen=True)
class MergeReport:
    """What a merge has brought."""

    runs: int
    added: int
    """Samples that the target did not hold."""
    same: int
    """Samples that both held, with one outcome."""
    replaced: int
    """Errored samples of the target for which the source had an outcome."""
    conflicts: tuple[str, ...] = ()
    """Samples that both held with different outcomes; the target's stay."""


def merge_files(sources: Sequence[str], output: str) -> dict[str, MergeReport]:
    """Bring stores together in one, all of them or nothing: where one can't be read, the output is as it was.

    Parameters
    ----------
    sources : sequence of str
        Files or URLs.
    output : str
        A file or URL, made if need be.

    Raises
    ------
    StoreError
        As for :func:`merge_store`, and where a source can't be opened or read.
    """
    with contextlib.ExitStack() as opened:
        stores = {name: opened.enter_context(open_store(name)) for name in sources}
        with whole_or_nothing(output), open_store(output, create=True) as target, target.transaction():
            return {name: merge_store(source, target) for name, source in stores.items()}


def merge_store(source: BaseStore, target: BaseStore) -> MergeReport:
    """Copy every run and sample of `source` into `target`, and what its test-set ledger holds.

    Parts of one run, drawn on several machines, become one run. A sample both hold is kept as the target has it, unless
    it is errored there and not in the source.

    Raises
    ------
    StoreError
        Where a run of one id is not the same run in both: nothing of it is copied.
    """
    target.ledger.take(source.ledger)
    found = MergeReport(0, 0, 0, 0)
    for row in source.runs():
        header = row.header
        _check_same(header, source, target)
        target.add_run(header)
        part = _merge_run(header, source, target)
        found = MergeReport(
            found.runs + 1,
            found.added + part.added,
            found.same + part.same,
            found.replaced + part.replaced,
            found.conflicts + part.conflicts,
        )
    return found


def _check_same(header: RunHeader, source: BaseStore, target: BaseStore) -> None:
    if not target.has_run(header.run_id):
        return
    held = target.find(header.run_id)
    if msgspec.structs.replace(held, created_at=header.created_at) != header:
        raise StoreError(
            f"run {header.run_id} is another run than in {source.location}", where=target.location, fix="merge apart"
        )


def _merge_run(header: RunHeader, source: BaseStore, target: BaseStore) -> MergeReport:
    held = target.outcomes(header.run_id)
    added = same = 0
    better: list[Row] = []
    conflicts: list[str] = []
    batch: list[Row] = []
    for row in source.rows(header.run_id):
        there = held.get((row.case_no, row.sample_no))
        if there is None:
            added += 1
            batch.append(row)
            if len(batch) == _BATCH:
                target.add_rows(header.run_id, batch)
                batch = []
        elif there == (row.outcome, row.answer):
            same += 1
        elif there[0] == 0:
            better.append(row)
        elif row.outcome != 0:
            conflicts.append(f"{header.run_id}, {header.case_ids[row.case_no]}, sample {row.sample_no}")
    if batch:
        target.add_rows(header.run_id, batch)
    if better:
        target.replace_rows(header.run_id, better)
    enough = source.table(header.run_id).enough
    if enough and target.count(header.run_id) == source.count(header.run_id):
        target.settle(header.run_id, enough=enough)  # what was a whole run there is one here
    return MergeReport(1, added, same, len(better), tuple(conflicts))
