"""n samples a case: seeded, drawn, graded, stored, resumable."""

from passband.run.budget import Budget, most_of_run
from passband.run.engine import execute
from passband.run.plan import make_header, plan_harness
from passband.run.progress import Progress
from passband.run.retry import RetryPolicy
from passband.run.seeds import sample_seed
from passband.run.store import STORE_SCHEMA, BaseStore, RunRow, Store, open_store

__all__ = [
    "STORE_SCHEMA",
    "BaseStore",
    "Budget",
    "Progress",
    "RetryPolicy",
    "RunRow",
    "Store",
    "execute",
    "make_header",
    "most_of_run",
    "open_store",
    "plan_harness",
    "sample_seed",
]
