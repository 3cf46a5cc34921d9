"""What every store does, said once: the tables and the statements are the same in each engine.

Narrow rows for whatever is counted, compressed records apart for whatever is read. A sample is durable when its
transaction is committed, and the key (run, case, sample) makes writing idempotent: that is all that resuming needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.errors import DataError, StoreError
from passband.run.store.columns import ColumnStore
from passband.run.store.database import plain
from passband.run.store.ledger import TestSetLedger
from passband.run.store.listing import Spent
from passband.run.store.rows import Row, make_row, read_record
from passband.run.store.runs import SEE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from passband.records import Sample

__all__ = ["STORE_SCHEMA", "BaseStore"]

STORE_SCHEMA = 3
"""Version of the tables; a store of a newer one is refused, of an older one migrated."""


class BaseStore(ColumnStore):
    """Runs and samples in a database, whichever it is.

    Safe to use from several threads; several processes may read and write one store at once.

    Parameters
    ----------
    location : str
        What to call the store in messages.
    """

    @property
    def ledger(self) -> TestSetLedger:
        """Which runs have touched which test set."""
        return TestSetLedger(self)

    def add_samples(self, run_id: str, samples: Iterable[tuple[int, Sample]]) -> None:
        """Write samples in one transaction; one that is there already stays as it is.

        Parameters
        ----------
        run_id : str
            A run that :meth:`add_run` has written.
        samples : iterable of (int, Sample)
            The case's position in the header, and the sample.
        """
        self.add_rows(run_id, [make_row(case_no, sample) for case_no, sample in samples])

    def add_rows(self, run_id: str, rows: Sequence[Row]) -> None:
        """Write samples that are packed already."""
        key = self._key(run_id)
        with self._writing():
            self._do("DELETE FROM columns WHERE run = ?", (key,))
            self._insert("samples", [(key, *row[:-1]) for row in rows])
            self._insert("records", [(key, row.case_no, row.sample_no, row.record) for row in rows])

    def replace_rows(self, run_id: str, rows: Sequence[Row]) -> None:
        """Put packed samples in the place of those of the same case and index."""
        key = self._key(run_id)
        with self._writing():
            self._do("DELETE FROM columns WHERE run = ?", (key,))
            for row in rows:
                for table in ("samples", "records"):
                    self._do(
                        f"DELETE FROM {table} WHERE run = ? AND case_no = ? AND sample_no = ?",  # noqa: S608 - ours
                        (key, row.case_no, row.sample_no),
                    )
            self._insert("samples", [(key, *row[:-1]) for row in rows])
            self._insert("records", [(key, row.case_no, row.sample_no, row.record) for row in rows])

    def outcomes(self, run_id: str) -> dict[tuple[int, int], tuple[int, int]]:
        """(case position, sample index) → (outcome code, hash of the answer) of every sample of a run."""
        rows = self._stream(
            "SELECT case_no, sample_no, outcome, answer FROM samples WHERE run = ? ORDER BY case_no, sample_no",
            (self._key(run_id),),
        )
        return {(case_no, sample_no): (outcome, answer) for case_no, sample_no, outcome, answer in rows}

    def drop_errored(self, run_id: str) -> int:
        """Forget the errored samples of a run, so that they are drawn again; return how many there were."""
        key = self._key(run_id)
        with self._writing():
            ((count,),) = self._read("SELECT count(*) FROM samples WHERE run = ? AND outcome = 0", (key,))
            self._do("DELETE FROM columns WHERE run = ?", (key,))
            self._do(
                "DELETE FROM records WHERE run = ? AND (case_no, sample_no) IN"
                " (SELECT case_no, sample_no FROM samples WHERE run = ? AND outcome = 0)",
                (key, key),
            )
            self._do("DELETE FROM samples WHERE run = ? AND outcome = 0", (key,))
        return int(count)

    def counts(self, run_id: str) -> list[tuple[int, int, int, int]]:
        """(case position, passed, graded, errored) of every case with samples: the aggregate, made by the database."""
        rows = self._read(
            "SELECT case_no, sum(CASE WHEN outcome = 1 THEN 1 ELSE 0 END),"
            " sum(CASE WHEN outcome > 0 THEN 1 ELSE 0 END), sum(CASE WHEN outcome = 0 THEN 1 ELSE 0 END)"
            " FROM samples WHERE run = ? GROUP BY case_no ORDER BY case_no",
            (self._key(run_id),),
        )
        return [(int(a), int(b), int(c), int(d)) for a, b, c, d in rows]

    def spent(self, run_id: str) -> Spent:
        """What the samples of a run have used."""
        ((tokens, dollars, unpriced, most_tokens, most_usd),) = self._read(
            "SELECT coalesce(sum(tokens), 0), coalesce(sum(cost_usd), 0), count(*) - count(cost_usd),"
            " coalesce(max(tokens), 0), coalesce(max(cost_usd), 0) FROM samples WHERE run = ?",
            (self._key(run_id),),
        )
        return Spent(int(tokens), float(dollars), int(unpriced), int(most_tokens), float(most_usd))

    def done(self, run_id: str) -> Iterator[tuple[int, int]]:
        """(case position, sample index) of every sample the store holds for a run, in order."""
        for place in self._stream(
            "SELECT case_no, sample_no FROM samples WHERE run = ? ORDER BY case_no, sample_no", (self._key(run_id),)
        ):
            yield place[0], place[1]

    def rows(self, run_id: str) -> Iterator[Row]:
        """Every sample of a run as it is stored, ordered by case and index."""
        for row in self._stream(
            "SELECT s.case_no, s.sample_no, outcome, score, answer, cost_usd, tokens, seconds, record"
            " FROM samples s JOIN records r ON r.run = s.run AND r.case_no = s.case_no AND r.sample_no = s.sample_no"
            " WHERE s.run = ? ORDER BY s.case_no, s.sample_no",
            (self._key(run_id),),
        ):
            *narrow, record = row
            yield Row._make((*narrow, plain(record)))

    def samples(
        self, run_id: str, case_no: int | None = None, *, damaged: Callable[[int, StoreError], None] | None = None
    ) -> Iterator[tuple[int, Sample]]:
        """Full samples of a run, or of one case of it, ordered by case and index.

        Parameters
        ----------
        run_id : str
            A run of this store.
        case_no : int, optional
            A case's position in the header.
        damaged : callable, optional
            Is given the index and the error of each record that can't be read, in place of the sample.

        Raises
        ------
        StoreError
            Where a record is damaged, and nobody is to be given the error.
        """
        query = "SELECT case_no, sample_no, record FROM records WHERE run = ?"
        arguments: tuple[int, ...] = (self._key(run_id),)
        if case_no is not None:
            query += " AND case_no = ?"
            arguments += (case_no,)
        for case, index, record in self._stream(f"{query} ORDER BY case_no, sample_no", arguments):
            try:
                sample = _read_sample(record, f"{self.location}: case {case}, sample {index}")
            except StoreError as error:
                if damaged is None:
                    raise
                damaged(index, error)
            else:
                yield case, sample

    def causes(self, run_id: str) -> Iterator[str]:
        """Why a run's errored samples have no verdict: the last fault of each, in order."""
        for case, index, record in self._stream(
            "SELECT s.case_no, s.sample_no, record FROM samples s JOIN records r"
            " ON r.run = s.run AND r.case_no = s.case_no AND r.sample_no = s.sample_no"
            " WHERE s.run = ? AND outcome = 0 ORDER BY s.case_no, s.sample_no",
            (self._key(run_id),),
        ):
            try:
                yield _read_sample(record, f"case {case}, sample {index}").cause
            except StoreError:
                yield "its record is damaged"


def _read_sample(record: Any, where: str) -> Sample:
    try:
        return read_record(plain(record), where=where)
    except DataError as error:
        raise StoreError(error.what, where=where, fix=SEE) from None
