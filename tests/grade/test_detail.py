"""What a failing verdict says: the kind of error and the head of its text, or which limit was used up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade.inside.clip import clip
from passband.records import Limits
from tests.grade.cases import make_case

if TYPE_CHECKING:
    from passband.grade import Grading

# One that is run by calling it, and one that needs pytest's own protocol.
TESTS = {
    "plain": "import m\n\ndef test_f():\n    assert m.f() == 1\n",
    "fixture": (
        "import m, pytest\n\n@pytest.fixture\ndef one():\n    return 1\n\ndef test_f(one):\n    assert m.f() == one\n"
    ),
}
TERM = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def f():
    while True:
        try:
            time.sleep(1e6)
        except BaseException:
            pass
"""
RAISES = {
    "def f():\n    raise ValueError('head ' + 'x' * 3000 + ' tail')\n": ("ValueError: head x", " tail"),
    "def f():\n    return ['y' * 40] * 300\n": ("AssertionError: assert ['yyyy", ""),
    "def f():\n    return 2\n": ("AssertionError: assert 2 == 1", ""),
    f"raise RuntimeError('head ' + {'z' * 3000!r} + ' tail')\n": ("tests/test_it.py: RuntimeError: head z", " tail"),
    "import time\ndef f():\n    time.sleep(1e6)\n": ("timed out after its 1.5 s (wall_s)", "(wall_s)"),
    TERM: ("timed out after its 1.5 s (wall_s)", "(wall_s)"),
    "import time\ntime.sleep(1e6)\n": ("timed out after its 1.5 s (wall_s)", "(wall_s)"),
}


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("tests", TESTS.values(), ids=TESTS)
@pytest.mark.parametrize("code", RAISES)
def test_detail(code: str, tests: str, tier: str, grading: Grading) -> None:
    """The reason begins with the kind of failure and is short, in both tiers and both ways of running a test."""
    limits = Limits(wall_s=1.5, cpu_s=5, mem_mb=512) if "time" in code else Limits(cpu_s=5, mem_mb=512)
    case = make_case({"m.py": "def f():\n    return 0\n"}, tests, None, fail=("test_f",), tier=tier, limits=limits)
    run = grading.run_tests(case, {"m.py": code.encode()})
    ((_id, outcome),) = run.outcomes.items()
    begins, ends = RAISES[code]
    assert outcome.why.startswith(begins)
    assert outcome.why.endswith(ends)
    assert len(outcome.why) < 600


def test_clip() -> None:
    """A text is cut from its middle, to the limit, and left alone where it fits."""
    assert clip("short", 5) == "short"
    cut = clip("a" * 50 + "b" * 50, 20)
    assert (len(cut), cut[:1], cut[-1:]) == (20, "a", "b")
