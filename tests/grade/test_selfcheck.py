"""What a check of a case finds wrong with it, and what grading makes of a case that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.grade import check_case
from passband.records import Fault, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading

WRONG = {"m.py": "CASES = [1]\n\ndef f(x):\n    return 0\n"}
STILL_WRONG = {"m.py": "CASES = [1, 3]\n\ndef f(x):\n    return -x\n"}
RIGHT = {"m.py": "CASES = [1, 2]\n\ndef f(x):\n    return x\n\ndef late(x):\n    return x\n"}
TESTS = "import m\n\ndef test_f():\n    assert m.f(1) == 1\n"
LATE = "from m import f, late\n\ndef test_late():\n    assert late(f(1)) == 1\n"
# The temporary folder asks for tier 2.
LATE_WHOLE = "from m import f, late\n\ndef test_late(tmp_path):\n    assert late(f(1)) == 1 and tmp_path\n"
GROWING = "import m, pytest\n\n@pytest.mark.parametrize('x', m.CASES)\ndef test_case(x):\n    assert m.f(x) == x\n"


@pytest.mark.parametrize("tests", [LATE, LATE_WHOLE])
@pytest.mark.parametrize("reference", [RIGHT, None])
def test_new_names(tests: str, reference: dict[str, str] | None, grading: Grading) -> None:
    """Tests that import what only the fix brings pass on a right answer, with or without a reference to plan by."""
    case = make_case(WRONG, tests, reference, fail=("test_late",))
    right, wrong = (grading.grade(case, whole_files(dict(files))) for files in (RIGHT, STILL_WRONG))
    assert isinstance(right, Verdict)
    assert right.passed, right.detail
    assert isinstance(wrong, Verdict)
    assert not wrong.passed
    assert "late" in wrong.detail
    assert grading.plan(case).tier == ("split" if tests == LATE else "pytest")


def test_parameters_of_the_candidate(grading: Grading) -> None:
    """A test whose parameters come from the candidate may be there only with the right one; others lack it."""
    case = make_case(WRONG, GROWING, None, fail=("test_case[2]",))
    right, wrong = (grading.grade(case, whole_files(dict(files))) for files in (RIGHT, STILL_WRONG))
    assert isinstance(right, Verdict)
    assert right.passed, right.detail
    assert isinstance(wrong, Verdict)
    assert not wrong.passed


@pytest.mark.parametrize(
    "tests", [TESTS, f"{TESTS}\ndef test_folder(tmp_path):\n    assert tmp_path\n", LATE, LATE_WHOLE]
)
@pytest.mark.parametrize("reference", [RIGHT, None])
@pytest.mark.parametrize("list_", ["FAIL_TO_PASS", "PASS_TO_PASS"])
def test_ids_of_no_test(tests: str, reference: dict[str, str] | None, list_: str, grading: Grading) -> None:
    """A test id that the hidden tests do not hold is the suite's fault: the check says so, and no answer fails."""
    there = "test_late" if "late" in tests else "test_f"
    if list_ == "FAIL_TO_PASS":
        case = make_case(WRONG, tests, reference, fail=(there, "test_typo"))
    else:
        case = make_case(WRONG, tests, reference, fail=(there,), ok=("test_typo",))
    assert f"{list_} tests/test_it.py::test_typo is not among the hidden tests" in check_case(case, grading).problems
    graded = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(graded, Fault)
    assert not graded.retryable
    assert "test_typo" in graded.detail


@pytest.mark.parametrize("reference", [RIGHT, None])
@pytest.mark.parametrize(
    ("tests", "tier", "why"),
    [
        (TESTS, "", ""),
        (TESTS, "pytest", "the case asks for whole-repository runs"),
        (f"{TESTS}\ndef test_folder(tmp_path):\n    assert tmp_path\n", "", "a test uses tmp_path"),
        (f"import m\nlate = hasattr(m, 'late')\n{TESTS}", "", "hasattr asks for late before any test runs"),
    ],
)
def test_why_not_tier_one(tests: str, tier: str, why: str, reference: dict[str, str] | None, grading: Grading) -> None:
    """The check of a case says in which tier it is graded, and if not in tier 1 why."""
    case = make_case(WRONG, tests, reference, fail=("test_f",), **({"tier": tier} if tier else {}))
    check = check_case(case, grading, repeats=1)
    assert check.why_tier == why
    assert check.tier.startswith("pytest@" if why else "split@")
    assert check.problems == (() if reference else ("it has no reference to check",))


def test_tier_one_that_cannot_be_had(grading: Grading) -> None:
    """A case that insists on tier 1 and does not belong there has a problem; the check of other cases goes on."""
    case = make_case(WRONG, f"import m\nlate = hasattr(m, 'late')\n{TESTS}", RIGHT, fail=("test_f",), tier="split")
    assert check_case(case, grading).problems == ("it asks for tier 1, but hasattr asks for late before any test runs",)
