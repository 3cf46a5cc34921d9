"""The runs of a store: their headers, and how many samples each has."""

from __future__ import annotations

import re
import time
from typing import Any

from passband.errors import DataError, StoreError, UnknownNameError, UsageError
from passband.records import RunHeader, encode
from passband.run.store.database import Database, plain
from passband.run.store.listing import RunRow
from passband.run.store.rows import read_header

__all__ = ["LATEST", "SEE", "RunIndex"]

LATEST = "latest"
"""Names the newest run."""
SEE = "see what is left with: passband store check FILE"
"""What to do about a damaged file."""


_DIGEST = re.compile(r"-[0-9a-f]{8}\Z")


class RunIndex(Database):
    """The headers of runs, and the keys that stand for them in the other tables."""

    def __init__(self, location: str) -> None:
        super().__init__(location)
        self._keys: dict[str, int] = {}

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
        """Header of the run called `name`: its id, the id without its digest, a beginning of it, or ``latest``.

        Raises
        ------
        UnknownNameError
            Where there is none.
        UsageError
            Where several fit equally well.
        """
        ids = [str(row[0]) for row in self._read("SELECT run_id FROM runs ORDER BY created_at, id")]
        if name == LATEST and ids:
            found = ids[-1:]
        else:
            ways = (
                lambda run_id: run_id == name,
                lambda run_id: _DIGEST.sub("", run_id) == name,
                lambda run_id: bool(name) and run_id.startswith(name),
            )
            found = next((some for way in ways if (some := [run_id for run_id in ids if way(run_id)])), [])
        if len(found) > 1:
            shown = ", ".join(found[:4]) + (f", … {len(found) - 4} more" if len(found) > 4 else "")
            raise UsageError(
                f"{name!r} fits {len(found)} runs: {shown}", where=self.location, fix="write more of its id"
            )
        if not found:
            raise UnknownNameError("run", name, ids, where=self.location)
        for (header,) in self._read("SELECT header FROM runs WHERE run_id = ?", (found[0],)):
            return self._header(header)
        raise StoreError(f"holds a damaged name of a run: {found[0]}", where=self.location, fix=SEE)

    def _header(self, header: Any) -> RunHeader:
        try:
            return read_header(plain(header), where=self.location)
        except DataError as error:
            raise StoreError(f"holds a damaged header: {error.what}", where=self.location, fix=SEE) from None

    def has_run(self, run_id: str) -> bool:
        """Whether a run of exactly that id is there."""
        return bool(self._read("SELECT 1 FROM runs WHERE run_id = ?", (run_id,)))

    def count(self, run_id: str) -> int:
        """Samples the store holds for a run."""
        return self._count(self._key(run_id))

    def _count(self, key: int) -> int:
        return int(self._read("SELECT count(*) FROM samples WHERE run = ?", (key,))[0][0])

    def _key(self, run_id: str) -> int:
        if run_id not in self._keys:
            rows = self._read("SELECT id FROM runs WHERE run_id = ?", (run_id,))
            if not rows:
                raise UnknownNameError("run", run_id, where=self.location)
            self._keys[run_id] = int(rows[0][0])
        return self._keys[run_id]
