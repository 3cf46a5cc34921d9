"""The durable store: one SQLite file, or a PostgreSQL database."""

from passband.run.store.base import STORE_SCHEMA, BaseStore
from passband.run.store.check import CheckReport, check_store, glance
from passband.run.store.ledger import LedgerEntry, TestSet, TestSetLedger
from passband.run.store.listing import RunRow, Spent
from passband.run.store.locate import is_url, open_store
from passband.run.store.merge import MergeReport, merge_files, merge_store
from passband.run.store.rescue import RescueReport, rescue_store
from passband.run.store.sqlite import Store

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
