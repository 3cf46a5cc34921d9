"""A content-addressed store of what servers have answered."""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import orjson
import zstandard

from passband.errors import StoreError
from passband.subject.base import SubjectFault

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Episode", "ResponseStore"]

_SHARED: dict[str, Any] = {"uri": True, "timeout": 30, "isolation_level": None, "check_same_thread": False}

_APPLICATION_ID = 0x50617352  # "PasR"
_TABLES = """
CREATE TABLE IF NOT EXISTS bodies (hash TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS responses (
  key TEXT PRIMARY KEY, content_type TEXT NOT NULL, hash TEXT NOT NULL REFERENCES bodies(hash)
) WITHOUT ROWID;
"""


class ResponseStore:
    """One file of recorded responses; safe to use from many threads.

    A response is found by what was asked, by whom: the sample's case and seed, the request, and how often that sample
    has sent the same request before. Repeats thus stay distinct. Bodies are stored once each, by their hash.

    Parameters
    ----------
    path : str or Path
        The file; made where it does not exist, unless `replay`.
    replay : bool
        Answer from the file alone: what it does not hold is an error, nothing is sent and nothing written.

    Raises
    ------
    StoreError
        Where the file cannot be opened or is another kind of file.
    """

    def __init__(self, path: str | Path, *, replay: bool = False) -> None:
        self.path = Path(path)
        self.replaying = replay
        self._lock = threading.Lock()
        if replay and not self.path.is_file():
            raise StoreError("there is no such recording", where=str(path), fix="make one with --record")
        if self.path.is_dir():
            raise StoreError("is a folder", where=str(path), fix="name a file in it")
        with self._errors("cannot be opened"):
            self._db = self._connect()
            (application,) = self._db.execute("PRAGMA application_id").fetchone()
            (tables,) = self._db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            if not tables and not replay:
                self._db.execute("PRAGMA journal_mode=WAL")
                self._db.execute("PRAGMA synchronous=NORMAL")
                self._db.executescript(_TABLES)
                self._db.execute(f"PRAGMA application_id={_APPLICATION_ID}")
            elif application != _APPLICATION_ID:
                raise StoreError("is not a recording of model traffic", where=str(path), fix="name a file of --record")

    def _connect(self) -> sqlite3.Connection:
        uri = self.path.resolve().as_uri()
        if self.replaying:
            with contextlib.suppress(sqlite3.OperationalError):
                db: sqlite3.Connection = sqlite3.connect(f"{uri}?mode=ro", **_SHARED)
                db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
                return db
            # Even a reader keeps an index beside the file: where it can't, the file is one that nobody changes.
            uri += "?mode=ro&immutable=1"
        found: sqlite3.Connection = sqlite3.connect(uri, **_SHARED)
        return found

    @contextlib.contextmanager
    def _errors(self, what: str) -> Iterator[None]:
        """One line for whatever the disk or the file does; nothing that another attempt could mend."""
        try:
            yield
        except (sqlite3.Error, zstandard.ZstdError) as error:
            room = "full" in str(error) or "I/O" in str(error)
            fix = "see that the disk has room" if room else None
            raise StoreError(f"{what}: {error}", where=str(self.path), fix=fix) from error

    def get(self, key: str) -> tuple[str, bytes] | None:
        """(content type, body) of the response under a key.

        Raises
        ------
        StoreError
            Where the file is damaged.
        """
        with self._lock, self._errors("cannot be read"):
            row = self._db.execute(
                "SELECT content_type, body, hash FROM responses JOIN bodies USING (hash) WHERE key = ?", (key,)
            ).fetchone()
            body = zstandard.decompress(row[1]) if row else b""
        if row and hashlib.sha256(body).hexdigest() != row[2]:
            raise StoreError("holds a damaged response", where=str(self.path), fix="record it anew")
        return (row[0], body) if row else None

    def put(self, key: str, content_type: str, body: bytes) -> None:
        """Store a response; the last one under a key counts, since it is the one that was used.

        Raises
        ------
        StoreError
            Where it can't be written, for want of room.
        """
        digest = hashlib.sha256(body).hexdigest()
        with self._lock, self._errors("cannot be written"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute("INSERT OR IGNORE INTO bodies VALUES (?, ?)", (digest, zstandard.compress(body)))
                self._db.execute("INSERT OR REPLACE INTO responses VALUES (?, ?, ?)", (key, content_type, digest))
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back already
                    self._db.execute("ROLLBACK")
                raise

    def __len__(self) -> int:
        with self._lock:
            return int(self._db.execute("SELECT count(*) FROM responses").fetchone()[0])

    def close(self) -> None:
        """Let the file go."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Episode:
    """The traffic of one attempt at one sample.

    Parameters
    ----------
    store : ResponseStore
        Where it goes to or comes from.
    case_id : str
        The case.
    seed : int
        The sample's seed, which stands for its index: no two samples of a case share one.
    """

    def __init__(self, store: ResponseStore, case_id: str, seed: int) -> None:
        self._store = store
        self._who = f"{seed}/{case_id}"
        self._asked: dict[bytes, int] = {}
        self._lock = threading.Lock()

    def key(self, method: str, path: str, content: bytes) -> str:
        """Key of the next request of this content."""
        request = hashlib.sha256(f"{method} {path}\n".encode() + _canonical(content)).digest()
        with self._lock:
            nth = self._asked[request] = self._asked.get(request, 0) + 1
        return hashlib.sha256(f"passband.response/1/{nth}/{self._who}\n".encode() + request).hexdigest()

    def place(self, method: str, path: str) -> str:
        """Key of the next request to this path, whatever it holds.

        Agents put session ids and dates into what they send; their n-th request is still their n-th request.
        """
        target = hashlib.sha256(f"place {method} {path}".encode()).digest()
        with self._lock:
            nth = self._asked[target] = self._asked.get(target, 0) + 1
        return hashlib.sha256(f"passband.response/1/{nth}/{self._who}\n".encode() + target).hexdigest()

    def replay(self, key: str) -> bytes | None:
        """Return the recorded body, or None where this is no replay.

        Raises
        ------
        SubjectFault
            In a replay, where nothing was recorded under the key.
        """
        found = self.replay_typed(key)
        return found[1] if found else None

    def replay_typed(self, *keys: str) -> tuple[str, bytes] | None:
        """Return as :meth:`replay`, with the content type before the body, under the first key that holds anything."""
        if not self._store.replaying:
            return None
        found = next(filter(None, map(self._store.get, keys)), None)
        if found is None:
            raise SubjectFault(
                f"{self._store.path} holds no response to this request: prompt, settings or seed have moved",
                retryable=False,
            )
        return found

    def record(self, key: str, body: bytes, content_type: str = "application/json") -> None:
        """Store a response that was used."""
        self._store.put(key, content_type, body)


def _canonical(content: bytes) -> bytes:
    """JSON with sorted keys, so that a client's order of fields is no difference; other bytes as they are."""
    try:
        return orjson.dumps(orjson.loads(content), option=orjson.OPT_SORT_KEYS)
    except orjson.JSONDecodeError:
        return content
