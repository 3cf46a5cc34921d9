"""Tests with nothing in them that could be changed have no twin, and that is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade import check_case
from passband.records import Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading
    from passband.records import EvalCase

WRONG = {
    "m.py": "class Box:\n    def __init__(self, x):\n        raise ValueError\n\ndef f(x):\n    raise ValueError\n"
}
RIGHT = {
    "m.py": (
        "class Box:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, other):\n"
        "        return self.x == other.x\n\ndef f(x):\n    return x\n"
    )
}
BARE = """
from m import Box, f

def test_quiet():
    f(1)

def test_value():
    assert f(2) == 2

def test_equal():
    if Box(1) == Box(2):
        raise RuntimeError
"""
IDS = {name: f"tests/test_it.py::{name}" for name in ("test_quiet", "test_value", "test_equal")}
UNGUARDED = {
    # Where no candidate can reach the judge a quiet test needs no twin; one that believed an object does.
    "split": ("test_equal",),
    "pytest": ("test_quiet", "test_equal"),
    "command": ("test_quiet", "test_value", "test_equal"),
}


def bare_case(tier: str) -> EvalCase:
    """Make the case."""
    if tier != "command":
        return make_case(WRONG, BARE, RIGHT, fail=tuple(IDS), tier=tier)
    runner = (
        "import sys\nsys.path.insert(0, sys.argv[1])\n"
        "from tests import test_it\nfor name in ('test_quiet', 'test_value', 'test_equal'):\n"
        "    getattr(test_it, name)()\n    print('ok -', 'tests/test_it.py::' + name)\n"
    )
    command = ("{python}", "{hidden}/run.py", "{hidden}")
    hidden = {"run.py": runner}
    return make_case(WRONG, BARE, RIGHT, fail=tuple(IDS), hidden=hidden, tier="command", command=command, results="tap")


@pytest.mark.parametrize("tier", UNGUARDED)
def test_what_has_no_twin_is_named(tier: str, grading: Grading) -> None:
    """The verdict counts the tests without a twin that a pass rests on, and the check of the suite names them."""
    case = bare_case(tier)
    names = UNGUARDED[tier]
    checked = check_case(case, grading, repeats=2)
    assert checked.ok, checked
    assert set(checked.unguarded) == {IDS[name] for name in names}
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail
    assert f"all 3 tests passed, {len(names)} of them with no twin that must fail [execution/{tier}@" in verdict.detail
    assert verdict.tier == f"execution/{tier}@{grading.sandbox.label}"


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_nothing_is_said_of_guarded_tests(tier: str, grading: Grading) -> None:
    """Where every test has a twin, or needs none, the verdict has nothing to say about it."""
    case = make_case(WRONG, BARE, RIGHT, fail=("test_value",), tier=tier)
    assert check_case(case, grading, repeats=1).unguarded == ()
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert "twin" not in verdict.detail
