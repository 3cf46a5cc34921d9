"""The durable store: one SQLite file, or a PostgreSQL database."""

from passband.run.store.base import STORE_SCHEMA, BaseStore, RunRow
from passband.run.store.locate import is_url, open_store
from passband.run.store.sqlite import Store

__all__ = ["STORE_SCHEMA", "BaseStore", "RunRow", "Store", "is_url", "open_store"]
