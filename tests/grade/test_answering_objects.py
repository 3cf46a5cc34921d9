"""Candidates of tier 1 that answer a test's questions with objects, names and mocks of their own making."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from passband.records import Outcome, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading
    from passband.records import EvalCase


class Row(NamedTuple):
    """One way to answer."""

    wrong: str
    right: str
    tests: str
    lie: str


# Finds the executor's own object by its frames, and lets every class claim a home in the library.
CLAIM = """
import sys
frame, peer = sys._getframe(), None
while frame:
    found = frame.f_locals.get("self")
    if type(found).__name__ == "CandidatePeer":
        peer = type(found)
    frame = frame.f_back
honest = peer.description
peer.description = lambda self, cls: {**honest(self, cls), "g": cls.__module__, "q": cls.__qualname__}
"""
CASE = "import unittest\nfrom m import f\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        "
ROWS = {
    "stops the test": Row(
        "def f(x): return 0",
        "def f(x): return x * 2",
        f"{CASE}self.assertEqual(f(3), 6)",
        f"{CLAIM}\nimport unittest.case\ndef f(x): raise unittest.case._ShouldStop",
    ),
    "skips the test": Row(
        "def f(x): return 0",
        "def f(x): return x * 2",
        f"{CASE}self.assertEqual(f(3), 6)",
        f"{CLAIM}\nimport unittest\ndef f(x): raise unittest.SkipTest('x')",
    ),
    "a class holds anything": Row(
        "def f(x): return []",
        "def f(x): return x.split()",
        "from m import f\n\ndef test_it():\n    assert 'b' in f('a b')",
        "class M(type):\n    def __contains__(cls, item): return True\nclass K(metaclass=M): pass\ndef f(x): return K",
    ),
    "a function starts with anything": Row(
        "def f(x): return 'z'",
        "def f(x): return x.lower()",
        "from m import f\n\ndef test_it():\n    assert f('AB').startswith('a')",
        "def f(x): return f\nf.startswith = lambda text: True",
    ),
    "two of its own are equal": Row(
        "class P:\n    def __init__(self, x): self.x = x\n    def twice(self): return self",
        (
            "class P:\n    def __init__(self, x): self.x = x\n    def twice(self): return P(self.x * 2)\n"
            "    def __eq__(self, other): return isinstance(other, P) and self.x == other.x\n    __hash__ = None"
        ),
        "from m import P\n\ndef test_it():\n    want = P(4)\n    got = P(2).twice()\n    assert got == want",
        (
            "class P:\n    def __init__(self, x): self.x = x\n    def twice(self): return self\n"
            "    def __eq__(self, other): return True"
        ),
    ),
    "configures a mock": Row(
        "def f(x): return 0",
        "def f(x):\n    x.go(1)\n    return 5",
        (
            "from unittest import mock\nfrom m import f\n\ndef test_it():\n    k = mock.Mock()\n"
            "    assert f(k) == 5\n    k.go.assert_called_once_with(1)"
        ),
        "def f(x):\n    x.go.configure_mock(assert_called_once_with=print)\n    return 5",
    ),
    "borrows a name": Row(
        "def f(x): return 0",
        "def f(x): raise ValueError(x)",
        "import pytest\nfrom m import f\n\ndef test_it():\n    with pytest.raises(ValueError):\n        f(3)",
        "class ValueError(Exception):\n    __module__ = 'builtins'\ndef f(x): raise ValueError(x)",
    ),
    "a list that equals anything": Row(
        "def f(x): return []",
        "def f(x): return [x]",
        "from m import f\n\ndef test_it():\n    assert f(3) == [3]",
        "class L(list):\n    def __eq__(self, other): return True\ndef f(x): return L()",
    ),
}


def case_of(row: Row) -> EvalCase:
    """Make the case."""
    test = "T::test_it" if "class T" in row.tests else "test_it"
    return make_case({"m.py": row.wrong}, row.tests, {"m.py": row.right}, fail=(test,), tier="split")


@pytest.mark.parametrize("name", ROWS)
def test_an_answer_of_its_own_is_not_believed(name: str, grading: Grading) -> None:
    """The reference is resolved, and who answers with something else is not, whatever it is."""
    row = ROWS[name]
    case = case_of(row)
    right = grading.grade(case, whole_files({"m.py": row.right}))
    assert isinstance(right, Verdict)
    assert right.outcome is Outcome.RESOLVED, right.detail
    lied = grading.grade(case, whole_files({"m.py": row.lie}))
    assert isinstance(lied, Verdict)
    assert lied.outcome is Outcome.UNRESOLVED, lied.detail
