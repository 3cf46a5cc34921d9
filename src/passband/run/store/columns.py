"""The samples of a run as columns: packed once a run has come to its end, made of its rows until then."""

from __future__ import annotations

import contextlib
import io
from typing import IO, TYPE_CHECKING

from passband.errors import DataError, StoreError
from passband.run.store.database import plain
from passband.run.store.rows import cut, pack_columns, readable, unpack_columns
from passband.run.store.runs import SEE, RunIndex

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.records import SampleTable
    from passband.run.store.rows import Readable

__all__ = ["ColumnStore"]

_IN_MEMORY = 100_000  # rows whose columns are packed in memory: half a megabyte


class ColumnStore(RunIndex):
    """What every aggregate reads: narrow values, some thousands of samples at a time."""

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
        yield readable(plain(found[0][0]) if found else None, where=self.location)

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
            raise StoreError(error.what, where=f"{self.location}: {error.where}", fix=SEE) from None
