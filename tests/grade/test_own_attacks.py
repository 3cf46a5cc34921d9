"""Attacks of our own: none of them passes, in either tier, and after each the grader still works."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade import Grading
from passband.records import EvalCase, Limits, Outcome, Verdict
from tests.grade import hostile
from tests.grade.cases import LIMITS, make_case, whole_files

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = """
import pytest
from calc import Tally, bump, each, first, top


def test_top():
    assert top(9, 4) == 4


@pytest.mark.parametrize("x, hi, want", [(7, 5, 5), (3, 5, 3), (60, 55, 55)])
def test_top_of_each(x, hi, want):
    got = top(x, hi)
    assert got == want


def test_top_text():
    assert f"{top(12, 11)}" == "11"


def test_bump():
    assert bump(1) == 2


def test_first():
    xs = [3, 1, 2]
    assert first(xs) == 1
    assert xs == [1, 2, 3]


def test_each():
    got = []
    each([1, 2], got.append)
    assert got == [1, 2]


def test_tally():
    assert Tally().add(2).add(3).total() == 5
"""
RIGHT = hostile.BASE.format(body="return min(x, hi)")
SHORT = Limits(wall_s=4, cpu_s=1, mem_mb=512, file_mb=16, pids=48)


def make(tier: str, limits: Limits) -> EvalCase:
    """Make the case, to be graded in one tier."""
    return make_case(
        {"calc.py": hostile.BASE.format(body=hostile.WRONG)},
        TESTS,
        {"calc.py": RIGHT},
        fail=("test_top", "test_top_of_each[7-5-5]", "test_top_of_each[60-55-55]", "test_top_text"),
        ok=("test_top_of_each[3-5-3]", "test_bump", "test_first", "test_each", "test_tally"),
        tier=tier,
        limits=limits,
    )


CASES = {tier: make(tier, SHORT) for tier in ("split", "pytest")}


@pytest.fixture(scope="module")
def grading() -> Iterator[Grading]:
    """One grader for all attacks: what one of them broke would show in the next."""
    with Grading() as made:
        yield made


@pytest.mark.parametrize("tier", CASES)
@pytest.mark.parametrize("name", hostile.candidates())
def test_own_attacks(name: str, tier: str, grading: Grading) -> None:
    """A hostile candidate is unresolved: not resolved, not an error of ours."""
    verdict = grading.grade(CASES[tier], whole_files({"calc.py": hostile.candidates()[name]}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.outcome is Outcome.UNRESOLVED, verdict.detail


@pytest.mark.parametrize("name", hostile.candidates())
def test_attacks_are_programs(name: str) -> None:
    """Each attack compiles: it fails for what it does, not for how it is written."""
    compile(hostile.candidates()[name], name, "exec")


LIAR = """
import sys, types
frame = sys._getframe()
while frame:
    o = frame.f_globals.get("call_plain")
    if o is not None and o.__defaults__ is None:
        true = types.FunctionType(o.__code__, o.__globals__)
        o.__code__ = (
            lambda get, given, true: ("passed", "", "") if "refuses" in get().__name__ else true(get, given)
        ).__code__
        o.__defaults__ = (true,)
    frame = frame.f_back


def check(x):
    return x
"""


@pytest.mark.parametrize("tier", CASES)
def test_a_lie_about_an_exception(tier: str, grading: Grading) -> None:
    """A candidate that rewrites the runner for the test it fails is found out, even if that only expects an error."""
    case = make_case(
        {"calc.py": "def check(x): return x"},
        """
        import pytest
        from calc import check

        def test_refuses():
            with pytest.raises(ValueError):
                check(-1)

        def test_accepts():
            assert check(1) == 1
        """,
        {"calc.py": "def check(x):\n    if x < 0: raise ValueError\n    return x"},
        fail=("test_refuses",),
        ok=("test_accepts",),
        tier=tier,
    )
    verdict = grading.grade(case, whole_files({"calc.py": LIAR}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.outcome is Outcome.UNRESOLVED
    assert ("run was bent" in verdict.detail) == (tier == "pytest"), verdict.detail


@pytest.mark.parametrize("tier", CASES)
def test_right_answer_after_all_attacks(tier: str, grading: Grading) -> None:
    """When all of that has run, a right answer still passes; what might be left behind is counted beside this file."""
    # With time enough for a busy machine, which the hostile ones were not given.
    verdict = grading.grade(make(tier, LIMITS), whole_files({"calc.py": RIGHT}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.passed, verdict.detail
