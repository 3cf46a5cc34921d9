"""Trees of many files: sent once, changed by each candidate for itself alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from passband.records import Answer, AnswerFormat, Verdict
from tests.grade.cases import make_case

if TYPE_CHECKING:
    from passband.grade import Grading

REPO = {
    "calc.py": "def f(x): return 0\n",
    "old.py": "y = 1\n",
    **{f"pkg{n % 7}/mod{n}.py": f"x = {n}\n" for n in range(300)},
}
TESTS = """
    import os
    from calc import f

    def test_f():
        assert f(1) == 1

    def test_tree(tmp_path):
        import pkg1.mod1
        assert pkg1.mod1.x == 1
        assert not os.path.exists("old.py")
        assert sorted(os.listdir("pkg0"))[0] == "mod0.py"
        with open("calc.py", "a") as file: file.write("# changed by a run")
        for place in ("new.txt", "pkg2/new.txt"):
            assert not os.path.exists(place)
            open(place, "w").close()
        os.remove("pkg3/added.py")
"""


@pytest.mark.parametrize("tier", ["auto", "split"])
def test_many_files(tier: str, grading: Grading) -> None:
    """Changed, deleted and added files show; what one run writes the next does not see; other candidates differ."""
    tests = TESTS if tier == "auto" else TESTS.partition("    def test_tree")[0]
    fail = ("test_f", "test_tree") if tier == "auto" else ("test_f",)
    case = make_case(REPO, tests, None, fail=fail, tier=tier)
    for n, result in enumerate(("x", "x + 1", "x", "x")):
        files = {"calc.py": f"def f(x): return {result}  # {n}\n", "old.py": None, "pkg3/added.py": ""}
        verdict = grading.grade(case, Answer(json.dumps(files).encode(), AnswerFormat.FILES))
        assert isinstance(verdict, Verdict)
        assert verdict.passed == (result == "x"), verdict.detail


def test_many_cases_with_many_files(grading: Grading) -> None:
    """More large trees than a server keeps: each case is still graded on its own."""
    for n in range(20):
        repo = {**REPO, "calc.py": f"K = {n}\n\ndef f(x): return 0\n"}
        tests = f"import calc\ndef test_f(): assert (calc.K, calc.f(1)) == ({n}, 1)"
        case = make_case(repo, tests, None, fail=("test_f",), tier="split" if n % 2 else "pytest")
        files = {"calc.py": f"K = {n}\n\ndef f(x): return x\n"}
        verdict = grading.grade(case, Answer(json.dumps(files).encode(), AnswerFormat.FILES))
        assert isinstance(verdict, Verdict), verdict
        assert verdict.passed, verdict.detail
