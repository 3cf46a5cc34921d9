"""The order of sets: another in each run of a candidate, the same whenever it is graded."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from passband.grade import Grading
from passband.records import Outcome, Verdict
from tests.grade.cases import make_case, whole_files


def first_of_set(words: list[str], seed: int) -> str:
    """Return which of some words comes first in a set, under a hash seed."""
    code = "import sys; print(next(iter(set(sys.argv[1:]))))"
    argv = [sys.executable, "-c", code, *words]
    done = subprocess.run(argv, env={"PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def words_in_another_order() -> list[str]:
    """Find two words whose set begins with the first in one run and with the second in the next."""
    for n in range(40):
        words = [f"left{n}", f"right{n}"]
        if first_of_set(words, 0) == words[0] and first_of_set(words, 1) == words[1]:
            return words
    raise AssertionError("no two words in forty pairs")


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_an_answer_that_rests_on_the_order_of_a_set(tier: str, grading: Grading) -> None:
    """It is unresolved, however often it is asked; one that sorts is resolved."""
    words = words_in_another_order()
    case = make_case(
        {"pick.py": "def first(words):\n    return words[-1]"},
        f"from pick import first\ndef test_first():\n    assert first({words!r}) == {words[0]!r}",
        {"pick.py": "def first(words):\n    return words[0]"},
        fail=("test_first",),
        tier=tier,
    )
    lucky = "def first(words):\n    return next(iter(set(words)))\n"
    sound = "def first(words):\n    return sorted(set(words))[0]\n"
    for comment in ("# once\n", "# and again, as an answer that no cache knows\n"):
        verdict = grading.grade(case, whole_files({"pick.py": lucky + comment}))
        assert isinstance(verdict, Verdict), verdict
        assert verdict.outcome is Outcome.UNRESOLVED, verdict.detail
        right = grading.grade(case, whole_files({"pick.py": sound + comment}))
        assert isinstance(right, Verdict), right
        assert right.passed, right.detail


@pytest.mark.parametrize("tier", ["split", "pytest", "command"])
def test_each_turn_has_its_order(tier: str, grading: Grading) -> None:
    """The same turn of a run sees the same hashes in every server, another turn others."""
    command = {}
    if tier == "command":
        argv = ("{python}", "-m", "unittest", "-v", "tests.test_it")
        command = {"command": argv, "results": "unittest"}
    case = make_case(
        {"say.py": "def say():\n    return 1"},
        """
        import unittest
        from say import say

        class T(unittest.TestCase):
            def test_say(self):
                self.assertEqual(say(), 2)
        """,
        {"say.py": "def say():\n    return 2"},
        fail=("T::test_say",),
        tier=tier,
        **command,
    )
    tree = {"say.py": b"import os\nos.write(2, b'<%d>' % hash(chr(97)))\ndef say():\n    return 2\n"}
    ids = ["tests.test_it.T.test_say"] if tier == "command" else None

    def hashes(run: Grading, turn: int) -> set[str]:
        return set(re.findall(r"<(-?\d+)>", run.run_tests(case, tree, ids, turn=turn).log))

    with Grading() as other:
        seen = [hashes(grading, turn) for turn in range(5)]
        again = [hashes(other, turn) for turn in (0, 1)]
    assert all(len(found) == 1 for found in seen)
    assert again == seen[:2]
    assert len({min(found) for found in seen}) == 5


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("given", ["set", "helper"])
def test_an_answer_that_rests_on_the_order_of_a_set_of_others(given: str, tier: str, grading: Grading) -> None:
    """Nor is it resolved where the set is the test's, or comes from a module that the answer leaves as it is."""
    words = words_in_another_order()
    argument = repr(set(words)) if given == "set" else repr(" ".join(words))
    tags = "from tags import tags\n" if given == "helper" else "tags = list\n"
    case = make_case(
        {"pick.py": "def first(x):\n    return None", "tags.py": "def tags(x):\n    return set(x.split())"},
        f"from pick import first\ndef test_first():\n    assert first({argument}) == {words[0]!r}",
        {"pick.py": f"{tags}def first(x):\n    return sorted(tags(x))[0]"},
        fail=("test_first",),
        tier=tier,
    )
    verdict = grading.grade(case, whole_files({"pick.py": f"{tags}def first(x):\n    return next(iter(tags(x)))\n"}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.outcome is Outcome.UNRESOLVED, verdict.detail
    right = grading.grade(case, whole_files({"pick.py": f"{tags}def first(x):\n    return sorted(tags(x))[0] # x\n"}))
    assert isinstance(right, Verdict), right
    assert right.passed, right.detail
