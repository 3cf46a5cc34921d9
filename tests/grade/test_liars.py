"""Objects that say what the test wants to hear: what each tier makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from passband.records import Outcome, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading

RIGHT = "def f(x):\n    if x is None:\n        raise ValueError\n    return sorted(x)\n"
TESTS = {
    "computed": "def test_f():\n    want = sorted([3, 1])\n    assert f([3, 1]) == want",
    "member": "def test_f():\n    wanted = sorted([3, 1])\n    assert f([3, 1])[0] in wanted",
    "holder": "def test_f():\n    item = min(3, 1)\n    assert item in f([3, 1])",
    "loop": "def test_f():\n    for got, want in zip(f([3, 1]), sorted([3, 1])):\n        assert got == want",
    "unittest": (
        "import unittest\n"
        "class T(unittest.TestCase):\n    def test_f(self):\n"
        "        want = sorted([3, 1])\n        self.assertEqual(f([3, 1]), want)"
    ),
    "raises": "import pytest\ndef test_f():\n    with pytest.raises(ValueError):\n        f(None)",
    "raises_one_of": "import pytest\ndef test_f():\n    with pytest.raises((KeyError, ValueError)):\n        f(None)",
    "assert_raises": (
        "import unittest\n"
        "class T(unittest.TestCase):\n    def test_f(self):\n"
        "        with self.assertRaises(ValueError):\n            f(None)"
    ),
}
EQUALS = """
class Equals(list):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __contains__(self, item): return True
    def __getitem__(self, at): return Equals()
    def __iter__(self): return iter([Equals(), Equals()])
    __hash__ = None

def f(x):
    return Equals()
"""
CLAIMS = """
class Claims(Exception):
    __class__ = ValueError

def f(x):
    if x is None:
        raise Claims
    return sorted(x)
"""


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("name", TESTS)
def test_an_object_that_says_yes(name: str, tier: str, grading: Grading) -> None:
    """It is unresolved in both tiers, and the reference resolved."""
    case = make_case(
        {"calc.py": "def f(x):\n    return 7\n"},
        f"from calc import f\n{TESTS[name]}\n",
        {"calc.py": RIGHT},
        fail=("T::test_f" if "unittest" in TESTS[name] else "test_f",),
        tier=tier,
    )
    for source, outcome in (
        (EQUALS if "raises" not in name else CLAIMS, Outcome.UNRESOLVED),
        (RIGHT + "# as an answer\n", Outcome.RESOLVED),
    ):
        verdict = grading.grade(case, whole_files({"calc.py": source}))
        assert isinstance(verdict, Verdict), verdict
        assert verdict.outcome is outcome, verdict.detail


BOUNDS = {
    "chain": "assert 3 < f(7) < 5",
    "both": "x = f(7)\n    assert x > 3 and x < 5",
    "one by one": "x = f(7)\n    assert x > 3\n    assert x < 5",
    "of each call": "assert f(7) > 3.5 and f(8) < 4.5",
    "either": "assert f(7) > 3 or f(7) is None",
    "chains": "assert all(3 < f(x) < 5 for x in (7, 8))",
    "a chain or": "assert 3 < f(7) < 5 or f(7) is None",
    "all": "assert all(x < 5 for x in [f(7), f(8)])",
    "equal on both sides": "assert f(7) == 4 == f(8)",
    "the second alone": "assert len([f(1)]) == 1 and f(7) == 4",
    "said twice": "x = f(7)\n    assert x != 3 and x == 4",
}
YES = """
class Yes({base}):
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __lt__
    __hash__ = None

def f(x):
    return Yes({made})
"""
WITHIN = """
import datetime, sys
frame = sys._getframe()
while frame:
    if "content_of" in frame.f_globals:
        frame.f_globals["content_of"] = lambda value, name: float("inf" if "g" in name else "-inf")
    frame = frame.f_back

class Within({base}): pass

def f(x):
    return Within({made})
"""
LIARS = {
    "says yes": YES.format(base="object", made=""),
    "a number that says yes": YES.format(base="int", made="9"),
    "a list of any content": WITHIN.format(base="list", made=""),
    "a date of any content": WITHIN.format(base="datetime.date", made="1, 1, 1"),
}


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("name", BOUNDS)
def test_an_object_within_all_bounds(name: str, tier: str, grading: Grading) -> None:
    """It is unresolved in both tiers, by whatever it lies: its comparisons, or what they compare."""
    case = make_case(
        {"calc.py": "def f(x):\n    raise ValueError\n"},
        f"from calc import f\ndef test_f():\n    {BOUNDS[name]}\n",
        {"calc.py": "def f(x):\n    return 4\n"},
        fail=("test_f",),
        tier=tier,
    )
    for liar, source in LIARS.items():
        verdict = grading.grade(case, whole_files({"calc.py": source}))
        assert isinstance(verdict, Verdict), verdict
        assert verdict.outcome is Outcome.UNRESOLVED, (liar, verdict.detail)
    verdict = grading.grade(case, whole_files({"calc.py": "def f(x):\n    return 3 + 1\n"}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.passed, verdict.detail


SAID = {
    "denied": "assert not f(7) != 4",
    "denied of two": "assert not (f(7) != 4 or f(8) != 4)",
    "denied of a call": "assert not f(7) != min(4, 5)",
    "of none": "assert not any(f(x) != min(4, 5) for x in (7, 8))",
    "in a choice": "assert f(7) == min(4, 5) if f(8) else f(7) == 5",
    "and that is true": "assert (f(7) == min(4, 5)) is True",
    "unittest, denied": "self.assertFalse(f(7) != 4)",
    "unittest, denied of two": "self.assertFalse(f(7) != 4 or f(8) != 4)",
    "unittest, of all": "self.assertTrue(all(f(x) == min(4, 5) for x in (7, 8)))",
}


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("name", SAID)
def test_an_object_that_is_like_anything(name: str, tier: str, grading: Grading) -> None:
    """It is unresolved however the test says that two things are equal, and the reference resolved."""
    case = make_case(
        {"calc.py": "def f(x):\n    raise ValueError\n"},
        f"import unittest\nfrom calc import f\n"
        f"class T(unittest.TestCase):\n    def test_f(self):\n        {SAID[name]}\n",
        {"calc.py": "def f(x):\n    return 4\n"},
        fail=("T::test_f",),
        tier=tier,
    )
    for source, outcome in (
        (EQUALS, Outcome.UNRESOLVED),
        (EQUALS.replace("(list)", ""), Outcome.UNRESOLVED),
        ("def f(x):\n    return 3 + 1\n", Outcome.RESOLVED),
    ):
        verdict = grading.grade(case, whole_files({"calc.py": source}))
        assert isinstance(verdict, Verdict), verdict
        assert verdict.outcome is outcome, verdict.detail
