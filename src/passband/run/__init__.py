"""n samples a case: seeded, drawn, graded, stored, resumable."""

from passband.run.engine import Progress, draw, execute
from passband.run.plan import make_header, plan_harness
from passband.run.seeds import sample_seed
from passband.run.store import STORE_SCHEMA, RunRow, Store

__all__ = [
    "STORE_SCHEMA",
    "Progress",
    "RunRow",
    "Store",
    "draw",
    "execute",
    "make_header",
    "plan_harness",
    "sample_seed",
]
