"""The durable store: one SQLite file, or a PostgreSQL database."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from passband.run.store.base import STORE_SCHEMA, BaseStore
from passband.run.store.ledger import LedgerEntry, TestSet, TestSetLedger
from passband.run.store.listing import RunRow, Spent
from passband.run.store.locate import is_url, open_store
from passband.run.store.sqlite import Store

if TYPE_CHECKING:
    from passband.run.store.check import CheckReport, check_store, glance
    from passband.run.store.merge import MergeReport, merge_files, merge_store
    from passband.run.store.rescue import RescueReport, rescue_store

__all__ = [
    "STORE_SCHEMA",
    "BaseStore",
    "CheckReport",
    "LedgerEntry",
    "MergeReport",
    "RescueReport",
    "RunRow",
    "Spent",
    "Store",
    "TestSet",
    "TestSetLedger",
    "check_store",
    "glance",
    "is_url",
    "merge_files",
    "merge_store",
    "open_store",
    "rescue_store",
]

# Imported when they are asked for: a run needs none of them.
_HOMES = {
    "CheckReport": "check",
    "MergeReport": "merge",
    "RescueReport": "rescue",
    "check_store": "check",
    "glance": "check",
    "merge_files": "merge",
    "merge_store": "merge",
    "rescue_store": "rescue",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
