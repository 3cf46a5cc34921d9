"""Where hidden tests may lie and what they may import: what pytest would find in the repository is found here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from passband.records import Outcome, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading
    from passband.records import EvalCase

WRONG, RIGHT = "def f(x): return 0\n", "def f(x): return x * 2\n"
HELPERS = "import m\n\ndef check(a, b):\n    assert m.f(a) == b\n"
USES = "def test_f():\n    check(2, 4)\n"


def case_of(
    tests: str,
    *,
    repo: dict[str, str] | None = None,
    hidden: dict[str, str] | None = None,
    tier: str = "auto",
    module: str = "m.py",
    name: str = "test_f",
) -> EvalCase:
    """Make a case whose one module is wrong."""
    return make_case({module: WRONG, **(repo or {})}, tests, {module: RIGHT}, fail=(name,), hidden=hidden, tier=tier)


def outcomes(case: EvalCase, grading: Grading, module: str = "m.py") -> list[str]:
    """Grade a right answer and a wrong one."""
    found = []
    for text in (f"{RIGHT}# as an answer\n", "def f(x): return x * 3\n"):
        verdict = grading.grade(case, whole_files({module: text}))
        assert isinstance(verdict, Verdict), verdict
        found.append(f"{verdict.outcome.value}: {verdict.detail}")
    return found


LAYOUTS = {
    "conftest_at_the_root": (
        "from m import f\ndef test_f(val):\n    assert f(val) == 14\n",
        {},
        {"conftest.py": "import pytest\n@pytest.fixture\ndef val(): return 7\n"},
    ),
    "relative_import": (
        f"from .helpers import check\n{USES}",
        {},
        {"tests/__init__.py": "", "tests/helpers.py": HELPERS},
    ),
    "package_of_the_repository": (
        f"from tests.helpers import check\n{USES}",
        {"tests/__init__.py": ""},
        {"tests/helpers.py": HELPERS},
    ),
}


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(name: str, tier: str, grading: Grading) -> None:
    """A right answer is resolved and a wrong one is not, in both tiers."""
    tests, repo, hidden = LAYOUTS[name]
    right, wrong = outcomes(case_of(tests, repo=repo, hidden=hidden, tier=tier), grading)
    assert right.startswith(Outcome.RESOLVED.value), right
    assert wrong.startswith(Outcome.UNRESOLVED.value), wrong


def test_part_of_a_package_that_is_not_hidden(grading: Grading) -> None:
    """Of a repository's package of tests the rest is found beside the hidden part."""
    case = case_of(
        "from tests.helpers import check\nfrom tests.numbers import FOUR\ndef test_f():\n    check(2, FOUR)\n",
        repo={"tests/__init__.py": "", "tests/numbers.py": "FOUR = 4\n"},
        hidden={"tests/helpers.py": HELPERS},
        tier="pytest",
    )
    right, wrong = outcomes(case, grading)
    assert right.startswith(Outcome.RESOLVED.value), right
    assert wrong.startswith(Outcome.UNRESOLVED.value), wrong


def test_tests_inside_the_package(grading: Grading) -> None:
    """Tests that lie in the candidate's own package import from it by dots."""
    case = make_case(
        {"pkg/__init__.py": "", "pkg/core.py": WRONG, "pkg/tests/__init__.py": ""},
        "",
        {"pkg/core.py": RIGHT},
        fail=("test_f",),
        hidden={"pkg/tests/test_core.py": "from ..core import f\ndef test_f():\n    assert f(2) == 4\n"},
    )
    spec = msgspec.structs.replace(case.grader_spec, fail_to_pass=("pkg/tests/test_core.py::test_f",))
    case = msgspec.structs.replace(case, grader_spec=spec)
    right, wrong = outcomes(case, grading, "pkg/core.py")
    assert right.startswith(Outcome.RESOLVED.value), right
    assert wrong.startswith(Outcome.UNRESOLVED.value), wrong


def test_a_candidate_does_not_choose_the_layout(grading: Grading) -> None:
    """Settings and packages of tests are the suite's: what an answer adds there changes nothing."""
    case = case_of(f"from helpers import check\n{USES}", hidden={"tests/helpers.py": HELPERS}, tier="pytest")
    stray = {
        "tests/__init__.py": "raise SystemExit(0)\n",
        "pytest.ini": "[pytest]\npythonpath = evil\n",
        "evil/helpers.py": "def check(a, b): pass\n",
    }
    # Answers may not hold such files; run on a tree that does.
    tree = {**case.workspace, **{path: text.encode() for path, text in stray.items()}}
    run = grading.run_tests(case, tree)
    assert [outcome.passed for outcome in run.outcomes.values()] == [False]
    assert "assert 0 == 4" in next(iter(run.outcomes.values())).why


def test_a_tree_with_src(grading: Grading) -> None:
    """A package below ``src`` is imported from there."""
    module = "src/pkg/m.py"
    case = case_of(
        "from pkg.m import f\ndef test_f():\n    assert f(2) == 4\n", repo={"src/pkg/__init__.py": ""}, module=module
    )
    right, wrong = outcomes(case, grading, module)
    assert right.startswith(Outcome.RESOLVED.value), right
    assert wrong.startswith(Outcome.UNRESOLVED.value), wrong


SUBTESTS = {
    "TestF::test_f": """
        import unittest
        from m import f
        class TestF(unittest.TestCase):
            def test_f(self):
                for i in range(1, 4):
                    with self.subTest(i=i):
                        self.assertEqual(f(i), i * 2)
        """,
    "test_f": """
        from m import f
        def test_f(subtests):
            for x, want in [(1, 2), (2, 4)]:
                with subtests.test(x=x):
                    assert f(x) == want
        """,
}


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("name", SUBTESTS)
def test_parts_of_a_test(name: str, tier: str, grading: Grading) -> None:
    """A test with parts passes if all of them do; one that fails fails it."""
    case = case_of(SUBTESTS[name], tier=tier, name=name)
    right, wrong = outcomes(case, grading)
    assert right.startswith(Outcome.RESOLVED.value), right
    assert wrong.startswith(Outcome.UNRESOLVED.value), wrong
    assert "AssertionError" in wrong, wrong
