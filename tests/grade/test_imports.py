"""Every way in which hidden tests can import the candidate's modules, in the tier that knows no candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from passband.records import Answer, Verdict
from tests.grade.cases import make_case, whole_files
from tests.grade.test_handed_attacks import ROWS, answer, handed_case

if TYPE_CHECKING:
    from passband.grade import Grading

WRONG = {"pkg/__init__.py": "", "pkg/mod.py": "_two = 2\n\ndef f():\n    return 0\n"}
RIGHT = {"pkg/mod.py": "_two = 2\n__version__ = '1'\n\ndef f():\n    return 1\n"}
FORMS = {
    "import pkg.mod": "pkg.mod.f",
    "import pkg.mod as x": "x.f",
    "import pkg, pkg.mod": "pkg.mod.f",
    "from pkg import mod": "mod.f",
    "from pkg import mod as x": "x.f",
    "from pkg.mod import f": "f",
    "from pkg.mod import f as g": "g",
    "from pkg.mod import _two, f": "f",
    "import pkg.mod as x\nsame = x.f": "same",
}
# With a fixture, since then pytest looks over every name of the test module for more of them.
TESTS = """
import pytest
{form}

@pytest.fixture
def one():
    return 1

def test_one(one):
    assert {name}() == one

@pytest.mark.parametrize("wanted", [1])
def test_plain(wanted):
    assert {name}() == wanted
"""


@pytest.mark.parametrize("reference", [True, False])
@pytest.mark.parametrize("form", FORMS)
def test_import_forms(form: str, reference: bool, grading: Grading) -> None:
    """A right answer passes and a wrong one does not, in tier 1, however the tests import what they test."""
    tests = TESTS.format(form=form, name=FORMS[form])
    case = make_case(WRONG, tests, RIGHT if reference else None, fail=("test_one", "test_plain[1]"))
    assert (grading.plan(case).tier, grading.plan(case).why) == ("split", "")
    for files, passed in ((RIGHT, True), (WRONG, False)):
        verdict = grading.grade(case, whole_files(dict(files)))
        assert isinstance(verdict, Verdict)
        assert verdict.passed is passed, verdict.detail


@pytest.mark.parametrize(
    ("form", "why"),
    [
        ("import pkg.mod\nlate = hasattr(pkg.mod, 'late')", "hasattr asks for late"),
        ("import pkg.mod\nlate = getattr(pkg.mod, 'late', False)", "getattr asks for late"),
        ("import pkg.mod\nfrom pkg.mod import *\nlate = False", "pkg.mod.__all__ is used"),
    ],
)
def test_probing_needs_a_candidate(form: str, why: str, grading: Grading) -> None:
    """A test file that asks what the candidate's module has while it is imported goes to tier 2, which says so."""
    tests = f"{form}\n\ndef test_one():\n    assert not late and pkg.mod.f() == 1\n"
    case = make_case(WRONG, tests, RIGHT, fail=("test_one",))
    plan = grading.plan(case)
    assert plan.tier == "pytest"
    assert why in plan.why
    verdict = grading.grade(case, Answer.of(str(case.reference)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


def test_marks_of_modules(grading: Grading) -> None:
    """A running test can ask a module of the candidate's for its version, and is told what it lacks."""
    tests = """
    from pkg import mod

    def test_version():
        assert mod.__version__ == "1"
        assert not hasattr(mod, "_mock_name")
        assert not hasattr(mod, "late")
    """
    case = make_case(WRONG, tests, None, fail=("test_version",))
    assert grading.plan(case).tier == "split"
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


@pytest.mark.parametrize("id_", [id_ for id_ in ROWS if id_.startswith(("b01_", "r05_", "r07_", "r27_"))])
def test_handed_attacks_on_plain_imports(id_: str, grading: Grading) -> None:
    """Attacks on the run itself fail as well where the tests import the module rather than names of it."""
    case = handed_case("split")
    name = "tests/test_calc.py"
    text = case.hidden[name].decode().replace("from calc import clamp, label, mean", "import calc")
    for function in ("clamp", "label", "mean"):
        text = text.replace(f" {function}(", f" calc.{function}(")
    rewritten = msgspec.structs.replace(case, hidden={**case.hidden, name: text.encode()})
    verdict = grading.grade(rewritten, answer(ROWS[id_]))
    assert isinstance(verdict, Verdict)
    assert verdict.outcome.value == ROWS[id_]["expected"], verdict.detail
    assert verdict.tier.startswith("execution/split")
