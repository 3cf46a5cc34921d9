"""Threads: tests that call the candidate from several are for tier 2, a candidate that has its own for both tiers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

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


VISITED = {"m.py": "def each(items, visit):\n    return [0 for item in items]\n\ndef one():\n    return 0\n"}
VISITS = {"m.py": "def each(items, visit):\n    return [visit(item) for item in items]\n\ndef one():\n    return 1\n"}
IN_THREADS = {
    "m.py": (
        "from concurrent.futures import ThreadPoolExecutor\n\ndef each(items, visit):\n"
        "    with ThreadPoolExecutor(4) as pool:\n        return list(pool.map(visit, items))\n\n"
        "def one():\n    return 1\n"
    )
}
CALLBACKS = """
from m import each, one

def test_visit():
    seen = []
    def visit(item):
        seen.append(item)
        return item * 2
    assert each(list(range(8)), visit) == [2 * n for n in range(8)]
    assert sorted(seen) == list(range(8))

def test_there_and_back():
    assert each([1, 2, 3, 4], lambda item: item + one()) == [2, 3, 4, 5]

def test_deeper():
    assert each([1, 2], lambda a: each([1, 2], lambda b: a * b)) == [[1, 2], [2, 4]]
"""


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_threads_of_the_candidate_s(tier: str, grading: Grading) -> None:
    """A candidate calls what a test hands it from threads of its own, and each has its answer, in both tiers."""
    names = ("test_visit", "test_there_and_back", "test_deeper")
    case = make_case(VISITED, CALLBACKS, VISITS, fail=names, tier=tier)
    for files in (VISITS, IN_THREADS):
        run = grading.run_tests(case, {path: text.encode() for path, text in files.items()})
        assert not run.failed, run.outcomes
