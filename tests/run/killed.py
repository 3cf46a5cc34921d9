"""A run in a process of its own, for tests that kill it: ``python -m tests.run.killed STORE N``."""

from __future__ import annotations

import sys
import time

from passband.run import RetryPolicy, execute, make_header, open_store
from passband.subject import FunctionSubject

from .doubles import ExactGrading, coin_suite

CASES = 8


def answer(view, seed):
    """Take a millisecond or three over a coin."""
    time.sleep(0.001 + seed % 3 / 1000)
    return "1" if seed % 4 else "0"


def draw(where: str, n: int) -> str:
    """Draw what is missing of n samples a case and return the run's id."""
    suite, grading, subject = coin_suite(CASES), ExactGrading(), FunctionSubject("coin", answer)
    header = make_header(suite, subject, grading, samples_per_case=n, seed=5, created_at=1.0)
    with open_store(where, create=True) as store:
        store.add_run(header)
        execute(header, suite, subject, grading, store, workers=4, on_progress=_say, retry=RetryPolicy(), budget=None)
    return header.run_id


def _say(progress):
    print(progress.done, flush=True)  # noqa: T201 - the test listens


if __name__ == "__main__":
    draw(sys.argv[1], int(sys.argv[2]))
