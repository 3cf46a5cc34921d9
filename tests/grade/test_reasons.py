from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade import Grading, TestOutcome
from passband.records import Outcome, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.records import EvalCase

HALVES = {
    "an exception": 'def f(x): raise ValueError("a\\ud800b" * 99)\n',
    "a failing import": 'raise ValueError("a\\udc80b")\n',
    "the text of an object": 'class A:\n    def __repr__(self): return "a\\udc80b"\ndef f(x): return A()\n',
    "a returned text": 'def f(x): return "a\\ud800b"\n',
    "a name": 'E = type("E", (Exception,), {})\nE.__name__ = "a\\udc80b"\ndef f(x): raise E\n',
}


def test_reasons_hold_no_addresses():
    """Equal runs give equal reasons: where an object lay in memory is left out, small numbers are not."""
    why = "assert <calc.Box object at 0x7f3db83ec4a0> == 0x1f"
    assert TestOutcome(passed=False, why=why).why == "assert <calc.Box object at 0x…> == 0x1f"


@pytest.fixture(scope="module", params=["split", "pytest"])
def case(request: pytest.FixtureRequest) -> EvalCase:
    return make_case(
        {"m.py": "def f(x): return x\n"},
        "from m import f\ndef test_a(): assert f(3) == 6\n",
        {"m.py": "def f(x): return x * 2\n"},
        fail=("test_a",),
        tier=request.param,
    )


@pytest.mark.parametrize("code", HALVES.values(), ids=HALVES)
def test_half_a_character_is_spelled_out(code: str, case: EvalCase, grading: Grading) -> None:
    """Whatever a candidate fails with, its verdict can be written down: no half of a surrogate pair is left in it."""
    verdict = grading.grade(case, whole_files({"m.py": code}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.outcome is Outcome.UNRESOLVED
    assert verdict.detail.encode().decode() == verdict.detail
    assert "\\ud" in verdict.detail
