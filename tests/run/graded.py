"""A graded run in a process of its own, whose graders a test kills: ``python -m tests.run.graded STORE``."""

from __future__ import annotations

import sys

from passband.grade import Grading
from passband.run import RetryPolicy, execute, make_header, open_store
from passband.subject import Mutator
from passband.suite import BUILTIN, EvalSuite, load_suite

CASES, SAMPLES = 4, 20


def draw(where: str) -> None:
    """Let two graders grade a few cases of the built-in suite."""
    few = EvalSuite("few", tuple(load_suite(BUILTIN))[:CASES])
    subject, retry = Mutator("mutator"), RetryPolicy(attempts=30, base_s=0.02)
    with Grading(workers=2) as grading, open_store(where, create=True) as store:
        header = make_header(few, subject, grading, samples_per_case=SAMPLES, seed=1, created_at=1.0)
        store.add_run(header)
        execute(header, few, subject, grading, store, workers=2, on_progress=_say, retry=retry)


def _say(progress):
    print(progress.done, flush=True)  # noqa: T201 - the test listens


if __name__ == "__main__":
    draw(sys.argv[1])
