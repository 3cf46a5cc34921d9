"""Tests that call the candidate from several threads are for the tier in which it shares their process."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from passband.records import Limits, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading

WRONG = {"m.py": "def f(x):\n    return 0\n"}
RIGHT = {"m.py": "import time\n\ndef f(x):\n    time.sleep(0.01)\n    return x * 2\n"}
TESTS = """
import threading
from concurrent.futures import ThreadPoolExecutor
from m import f

def test_pool():
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(f, range(8))) == [2 * n for n in range(8)]

def test_threads():
    got = []
    threads = [threading.Thread(target=lambda n=n: got.append(f(n))) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [2, 4, 6, 8]
"""
# Longer than everything together may take: what waits for it to pass is noticed.
PATIENT = Limits(wall_s=120, cpu_s=20, mem_mb=512, file_mb=16, pids=64)


def test_threads_are_noticed_at_once(grading: Grading) -> None:
    """Planning does not wait for the clock to find out that two threads are in each other's way."""
    case = make_case(WRONG, TESTS, RIGHT, fail=("test_pool", "test_threads"), limits=PATIENT)
    before = time.monotonic()
    plan = grading.plan(case)
    assert time.monotonic() - before < PATIENT.wall_s
    assert plan.tier == "pytest"
    assert "called from several threads" in plan.why
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail
