"""n samples a case: seeded, drawn, graded, stored, resumable."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passband.run.budget import Budget, most_of_run
    from passband.run.engine import execute
    from passband.run.plan import make_header, plan_harness
    from passband.run.progress import Progress
    from passband.run.retry import RetryPolicy
    from passband.run.rounds import Rule
    from passband.run.seeds import sample_seed
    from passband.run.store import STORE_SCHEMA, BaseStore, RunRow, Store, open_store

__all__ = [
    "STORE_SCHEMA",
    "BaseStore",
    "Budget",
    "Progress",
    "RetryPolicy",
    "Rule",
    "RunRow",
    "Store",
    "execute",
    "make_header",
    "most_of_run",
    "open_store",
    "plan_harness",
    "sample_seed",
]

# Names are imported when they are asked for: who only reads a store waits for no grader.
_HOMES = {
    "Budget": "budget",
    "most_of_run": "budget",
    "execute": "engine",
    "make_header": "plan",
    "plan_harness": "plan",
    "Progress": "progress",
    "RetryPolicy": "retry",
    "Rule": "rounds",
    "sample_seed": "seeds",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES.get(name, 'store')}"), name)
    globals()[name] = found
    return found
