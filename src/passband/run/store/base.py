"""What every store does, said once: the tables and the statements are the same in each engine.

Narrow rows for whatever is counted, compressed records apart for whatever is read. A sample is durable when its
transaction is committed, and the key (run, case, sample) makes writing idempotent: that is all that resuming needs.
"""

from __future__ import annotations

import contextlib
import io
import time
from typing import IO, TYPE_CHECKING, Any

from passband.errors import DataError, StoreError, UnknownNameError, UsageError
from passband.records import RunHeader, Sample, SampleTable, encode
from passband.run.store.database import Database
from passband.run.store.ledger import TestSetLedger
from passband.run.store.listing import RunRow, Spent
from passband.run.store.rows import (
    Row,
    cut,
    make_row,
    pack_columns,
    read_header,
    read_record,
    readable,
    unpack_columns,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from passband.run.store.rows import Readable

__all__ = ["STORE_SCHEMA", "BaseStore"]

STORE_SCHEMA = 3
"""Version of the tables; a store of a newer one is refused, of an older one migrated."""

LATEST = "latest"
_IN_MEMORY = 100_000  # rows whose columns are packed in memory: half a megabyte
_CHECK = "see what is left with: passband store check FILE"


class BaseStore(Database):
    """Runs and samples in a database, whichever it is.

    Safe to use from several threads; several processes may read and write one store at once.

    Parameters
    ----------
    location : str
        What to call the store in messages.
    """

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self._keys: dict[str, int] = {}

    @property
    def ledger(self) -> TestSetLedger:
        """Which runs have touched which test set."""
        return TestSetLedger(self)

    # -- runs ---------------------------------------------------------------------------------------------------------

    def add_run(self, header: RunHeader) -> None:
        """Write a run's header; a run of that id that is already there stays as it is."""
        with self._writing():
            self._do(
                "INSERT INTO runs (run_id, header, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (header.run_id, encode(header), header.created_at or time.time()),
            )

    def runs(self) -> list[RunRow]:
        """All runs, oldest first."""
        rows = self._read(
            "SELECT header, coalesce((SELECT rows FROM columns WHERE run = runs.id),"
            " (SELECT count(*) FROM samples WHERE run = runs.id)),"
            " coalesce((SELECT enough FROM columns WHERE run = runs.id), '') FROM runs ORDER BY created_at, id"
        )
        found = [(self._header(header), done, str(enough)) for header, done, enough in rows]
        return [
            RunRow(header, done if isinstance(done, int) else self.count(header.run_id), enough)
            for header, done, enough in found
        ]

    def find(self, name: str) -> RunHeader:
        """Header of the run called `name`: its id, an unambiguous beginning of it, or ``latest``.

        Raises
        ------
        UnknownNameError
            Where there is none.
        UsageError
            Where several begin so.
        """
        ids = [str(row[0]) for row in self._read("SELECT run_id FROM runs ORDER BY created_at, id")]
        if name == LATEST and ids:
            found = ids[-1:]
        else:
            found = [run_id for run_id in ids if run_id == name] or [
                run_id for run_id in ids if name and run_id.startswith(name)
            ]
        if len(found) > 1:
            shown = ", ".join(found[:4]) + (f", … {len(found) - 4} more" if len(found) > 4 else "")
            raise UsageError(
                f"{name!r} fits {len(found)} runs: {shown}", where=self.location, fix="write more of its id"
            )
        if not found:
            raise UnknownNameError("run", name, ids, where=self.location)
        for (header,) in self._read("SELECT header FROM runs WHERE run_id = ?", (found[0],)):
            return self._header(header)
        raise StoreError(f"holds a damaged name of a run: {found[0]}", where=self.location, fix=_CHECK)

    def _header(self, header: Any) -> RunHeader:
        try:
            return read_header(_plain(header), where=self.location)
        except DataError as error:
            raise StoreError(f"holds a damaged header: {error.what}", where=self.location, fix=_CHECK) from None

    def has_run(self, run_id: str) -> bool:
        """Whether a run of exactly that id is there."""
        return bool(self._read("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)))

    # -- samples ------------------------------------------------------------------------------------------------------

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

    def settle(self, run_id: str, *, enough: str = "") -> None:
        """Pack the columns of a run that has come to its end, so that reading them takes no time.

        Parameters
        ----------
        run_id : str
            A run of this store.
        enough : str
            Why its rule ended it before n samples of each case, where one did. A sample that is added or taken away
            later opens the run again.
        """
        key = self._key(run_id)
        with self._room(self._count(key)) as packed:
            rows = pack_columns(self.pieces(run_id), packed)
            with self._writing():
                # Somebody may have added samples since: then the columns are not those of the run.
                if self._count(key) == rows:
                    self._do("DELETE FROM columns WHERE run = ?", (key,))
                    self._put_columns(key, rows, packed, enough)

    @staticmethod
    def _room(rows: int) -> IO[bytes]:
        """Where columns are put while they are packed: on disk where there are many, so that memory does not grow."""
        if rows < _IN_MEMORY:
            return io.BytesIO()
        import tempfile

        return tempfile.TemporaryFile()

    def _put_columns(self, key: int, rows: int, packed: IO[bytes], enough: str) -> None:
        """Write packed columns within :meth:`_writing`."""
        packed.seek(0)
        self._do(
            "INSERT INTO columns (run, rows, data, enough) VALUES (?, ?, ?, ?)", (key, rows, packed.read(), enough)
        )

    @contextlib.contextmanager
    def _columns(self, key: int) -> Iterator[Readable]:
        """Packed columns, to be read from."""
        found = self._read("SELECT data FROM columns WHERE run = ?", (key,))
        yield readable(_plain(found[0][0]) if found else None, where=self.location)

    def count(self, run_id: str) -> int:
        """Samples the store holds for a run."""
        return self._count(self._key(run_id))

    def _count(self, key: int) -> int:
        return int(self._read("SELECT count(*) FROM samples WHERE run = ?", (key,))[0][0])

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

    def table(self, run_id: str) -> SampleTable:
        """All samples of a run in columns."""
        pieces = self.pieces(run_id)
        table = next(pieces)
        for piece in pieces:
            table.extend(piece)
        return table

    def pieces(self, run_id: str) -> Iterator[SampleTable]:
        """All samples of a run in tables of some thousands, cut between cases; an empty one where there is none."""
        header = self.find(run_id)
        key = self._key(header.run_id)
        last = -1
        for (enough,) in self._read("SELECT enough FROM columns WHERE run = ?", (key,)):
            # Damaged, they are no loss: the rows they were made of are there.
            with contextlib.suppress(DataError), self._columns(key) as packed:
                for piece in unpack_columns(packed, header, enough=str(enough), where=self.location):
                    last = piece.case[-1] if len(piece) else last
                    yield piece
                return
        narrow = self._stream(
            "SELECT case_no, sample_no, outcome, score, answer, cost_usd, tokens, seconds"
            " FROM samples WHERE run = ? AND case_no > ? ORDER BY case_no, sample_no",
            (key, last),
        )
        try:
            with contextlib.closing(narrow):
                yield from cut(narrow, header)
        except DataError as error:
            if isinstance(error, StoreError):
                raise
            raise StoreError(error.what, where=f"{self.location}: {error.where}", fix=_CHECK) from None

    def rows(self, run_id: str) -> Iterator[Row]:
        """Every sample of a run as it is stored, ordered by case and index."""
        for row in self._stream(
            "SELECT s.case_no, s.sample_no, outcome, score, answer, cost_usd, tokens, seconds, record"
            " FROM samples s JOIN records r ON r.run = s.run AND r.case_no = s.case_no AND r.sample_no = s.sample_no"
            " WHERE s.run = ? ORDER BY s.case_no, s.sample_no",
            (self._key(run_id),),
        ):
            *narrow, record = row
            yield Row._make((*narrow, _plain(record)))

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

    def _key(self, run_id: str) -> int:
        if run_id not in self._keys:
            rows = self._read("SELECT id FROM runs WHERE run_id = ?", (run_id,))
            if not rows:
                raise UnknownNameError("run", run_id, where=self.location)
            self._keys[run_id] = int(rows[0][0])
        return self._keys[run_id]


def _read_sample(record: Any, where: str) -> Sample:
    try:
        return read_record(_plain(record), where=where)
    except DataError as error:
        raise StoreError(error.what, where=where, fix=_CHECK) from None


def _plain(value: Any) -> Any:
    """Bytes as bytes, whichever way the engine gives them; anything else as it is, for its reader to refuse."""
    return bytes(value) if isinstance(value, memoryview) else value
