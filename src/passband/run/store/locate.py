"""From what a user types to a store."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from passband.errors import UsageError
from passband.run.store.sqlite import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.run.store.base import BaseStore

__all__ = ["is_url", "open_store", "whole_or_nothing"]

_SCHEMES = ("postgresql://", "postgres://")


def is_url(where: str) -> bool:
    """Whether a store's name is the address of a database server, not a file."""
    return where.startswith(_SCHEMES)


def open_store(where: str, *, create: bool = False) -> BaseStore:
    """Open a store file, or the PostgreSQL database at a URL.

    Parameters
    ----------
    where : str
        A path, or ``postgresql://USER@HOST/DATABASE``.
    create : bool
        Make what is not there: the file, or the tables.

    Raises
    ------
    StoreError
        Where it cannot be opened, is not a store, or is from a newer version.
    UsageError
        Where it names nothing, or a server of another kind; and where a URL is given and the extra ``postgres`` is not
        installed.
    """
    fix = "give a file, or postgresql://USER@HOST/DATABASE"
    if not where.strip():
        raise UsageError("names no store", where="--store ''", fix=fix)
    if is_url(where):
        from passband.run.store.postgres import PostgresStore

        return PostgresStore(where, create=create)
    if "://" in where:
        raise UsageError("is no kind of store", where=f"{where.split('://', maxsplit=1)[0]}://", fix=fix)
    return Store(where, create=create)


@contextlib.contextmanager
def whole_or_nothing(where: str) -> Iterator[None]:
    """Take a store file away again where what is done within fails, if it was not there before."""
    new = not is_url(where) and not Path(where).exists()
    try:
        yield
    except BaseException:
        for ending in ("", "-wal", "-shm") if new else ():
            Path(f"{where}{ending}").unlink(missing_ok=True)
        raise
