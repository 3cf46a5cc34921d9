"""From what a user types to a store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.run.store.sqlite import Store

if TYPE_CHECKING:
    from passband.run.store.base import BaseStore

__all__ = ["is_url", "open_store"]

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
        Where a URL is given and the extra ``postgres`` is not installed.
    """
    if is_url(where):
        from passband.run.store.postgres import PostgresStore

        return PostgresStore(where, create=create)
    return Store(where, create=create)
