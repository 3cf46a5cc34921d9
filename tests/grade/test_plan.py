"""Which tier a case is graded in, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from passband.errors import SuiteError
from passband.records import Fault, Outcome, Verdict
from tests.grade.cases import make_case, source, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading

WRONG = {"m.py": "class Box:\n    limit = 3\n    def __init__(self, n): self.n = n\n\ndef f(x): return 0\n"}
RIGHT = {"m.py": "class Box:\n    limit = 3\n    def __init__(self, n): self.n = n\n\ndef f(x): return x\n"}


F = "from m import Box, f\n"
TIERS = {
    "plain": (f"{F}def test_f(): assert f(1) == 1", "split", ""),
    "patched": (
        "import m\ndef test_f(monkeypatch):\n    monkeypatch.setattr(m, 'f', m.f)\n    assert m.f(1) == 1",
        "split",
        "",
    ),
    "printed": (f"{F}def test_f(capsys):\n    assert f(1) == 1\n    assert not capsys.readouterr().out", "split", ""),
    "folder": (f"{F}def test_f(tmp_path): assert f(1) == 1", "pytest", "tmp_path"),
    "environment": (
        f"{F}def test_f(monkeypatch):\n    monkeypatch.setenv('A', 'b')\n    assert f(1) == 1",
        "pytest",
        "environment",
    ),
    "seed": (f"import random\n{F}def test_f():\n    random.seed(1)\n    assert f(1) == 1", "pytest", "random"),
    "subclass": (f"{F}class Sub(Box): pass\ndef test_f(): assert f(Sub(1).n) == 1", "pytest", "mro_entries"),
    "early": (f"{F}VALUE = f(1)\ndef test_f(): assert VALUE == 1", "pytest", "before any test runs"),
    "inner": (f"{F}def test_f():\n    class S(Box): pass\n    assert f(S(1).n) == 1", "pytest", "cannot derive"),
    "inspect": (
        f"import inspect\n{F}def test_f(): assert inspect.signature(f).parameters and f(1) == 1",
        "pytest",
        "test_f",
    ),
}


@pytest.mark.parametrize("name", TIERS)
def test_tiers(name: str, grading: Grading) -> None:
    """Tier 1 wherever the reference passes there and nothing had to cross that cannot; else tier 2, with the reason."""
    tests, tier, why = TIERS[name]
    case = make_case(WRONG, tests, RIGHT, fail=("test_f",))
    plan = grading.plan(case)
    assert (plan.tier, why in plan.why) == (tier, True), plan.why
    right, wrong = (grading.grade(case, whole_files(dict(files))) for files in (RIGHT, {"m.py": "f = abs\n"}))
    assert isinstance(right, Verdict)
    assert right.passed, right.detail
    assert ("split" in right.tier) == (tier == "split")
    assert isinstance(wrong, Verdict)


def test_a_tree_that_shadows_the_library(grading: Grading) -> None:
    """A module with a name of the standard library's is not taken for it: tier 2, and there the tree's own is found."""
    case = make_case(
        {"statistics.py": "def f(x): return 0"},
        "from statistics import f\ndef test_f(): assert f(1) == 1",
        {"statistics.py": "def f(x): return x"},
        fail=("test_f",),
    )
    assert "standard library" in grading.plan(case).why
    verdict = grading.grade(case, whole_files({"statistics.py": "def f(x): return x  # right"}))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


def test_tier_one_on_demand(grading: Grading) -> None:
    """A case that asks for tier 1 and cannot have it is a fault of the suite, not a verdict."""
    case = make_case(
        WRONG, "from m import f\ndef test_f(tmp_path): assert f(1) == 1", RIGHT, fail=("test_f",), tier="split"
    )
    with pytest.raises(SuiteError, match="tmp_path"):
        grading.plan(case)
    fault = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(fault, Fault)
    assert not fault.retryable


def test_a_test_that_is_not_there_is_named(grading: Grading) -> None:
    """Test ids of a file that the case does not hold are the suite's fault, said with the file."""
    case = make_case(WRONG, "from m import f\ndef test_f(): assert f(1) == 1", RIGHT, fail=("test_f",))
    absent = msgspec.structs.replace(case, hidden={})
    with pytest.raises(SuiteError, match="case case: hidden/tests/test_it.py is not there, but test ids name it"):
        grading.plan(absent)


def test_packages_where_the_reference_needs_them(grading: Grading) -> None:
    """Installed packages are planned for in tier 1 where the reference needs them, and had where a candidate does."""
    plain = make_case(WRONG, "from m import f\ndef test_f(): assert f(1) == 1", RIGHT, fail=("test_f",))
    numbers = {"m.py": "import numpy\ndef f(x): return int(numpy.int64(x))\n"}
    needing = make_case(WRONG, "from m import f\ndef test_f(): assert f(1) == 1", numbers, fail=("test_f",))
    assert not grading.plan(plain).executor.packages
    assert grading.plan(needing).executor.packages
    verdicts = [grading.grade(case, whole_files(dict(numbers))) for case in (plain, needing)]
    assert [v.outcome for v in verdicts if isinstance(v, Verdict)] == [Outcome.RESOLVED, Outcome.RESOLVED]


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_an_own_conftest_is_the_suites(tier: str, grading: Grading) -> None:
    """Fixtures come from the suite's conftest; one in the candidate's tree is never loaded."""
    case = make_case(
        {**WRONG, "conftest.py": "import pytest\n@pytest.fixture\ndef one(): return 99\n"},
        "from m import f\ndef test_f(one): assert f(one) == 1\ndef test_fake(): assert True",
        RIGHT,
        fail=("test_f",),
        ok=("test_fake",),
        hidden={"tests/conftest.py": "import pytest\n@pytest.fixture\ndef one(): return 1\n"},
        tier=tier,
    )
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_hidden_helpers_and_data(tier: str, grading: Grading) -> None:
    """Tests may import modules beside them, and read data files beside them."""
    case = make_case(
        WRONG,
        """
        import json, pathlib
        from helpers import expected
        from m import f
        DATA = json.loads(pathlib.Path(__file__).with_name("data.json").read_text())
        def test_f(): assert f(DATA["x"]) == expected()
        """,
        RIGHT,
        fail=("test_f",),
        hidden={"tests/helpers.py": "def expected(): return 7", "tests/data.json": '{"x": 7}'},
        tier=tier,
    )
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


@pytest.mark.parametrize("tier", ["split", "pytest"])
@pytest.mark.parametrize("how", ["random", "os.urandom(1)[0]"])
def test_luck_is_tried_again(tier: str, how: str, grading: Grading) -> None:
    """A candidate that is right by the toss of a coin is run often enough to be found out."""
    import_, draw = ("random", "random.random() < 0.5") if how == "random" else ("os", f"{how} % 2")
    case = make_case(WRONG, "from m import f\ndef test_f(): assert f(1) == 1", RIGHT, fail=("test_f",), tier=tier)
    lucky = 0
    for n in range(12):
        text = f"import {import_}\n\nclass Box: pass\n\ndef f(x): return x if {draw} else {n + 2}\n"
        verdict = grading.grade(case, whole_files({"m.py": text}))
        assert isinstance(verdict, Verdict)
        lucky += verdict.passed
    # Five runs each: all twelve are found out seven times in ten, ten of them nearly always.
    assert lucky <= 3


def test_unittest_classes(grading: Grading) -> None:
    """Hidden tests written with unittest run too, in tier 1 and with twins."""
    case = make_case(
        WRONG,
        """
        import unittest
        from m import f

        class FTest(unittest.TestCase):
            def setUp(self): self.x = 5
            def test_f(self): self.assertEqual(f(self.x), 5)
            def test_raises(self):
                with self.assertRaises(TypeError): f()
        """,
        RIGHT,
        fail=("FTest::test_f",),
        ok=("FTest::test_raises",),
    )
    assert grading.plan(case).tier == "split", grading.plan(case).why
    verdict = grading.grade(case, whole_files(dict(RIGHT)))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail


def test_whatever_the_answer_holds(grading: Grading) -> None:
    """Names that no file system takes, trees that cannot be: a verdict, never a fault."""
    case = make_case(WRONG, "from m import f\ndef test_f(): assert f(1) == 1", RIGHT, fail=("test_f",))
    for files in ({"x" * 300: "a"}, {"m.py/x.py": "a"}, {"d/" * 200 + "f": "a"}, {"m.py": "\udcff"}):
        verdict = grading.grade(case, whole_files(dict(files)))
        assert isinstance(verdict, Verdict), verdict
        assert not verdict.passed
    assert source("x = 1") == b"x = 1"


@pytest.mark.parametrize("tier", ["split", "pytest"])
def test_arrays(tier: str, grading: Grading) -> None:
    """Arrays and scalars of numpy cross by value, with their type and shape, where the test has numpy too."""
    case = make_case(
        {"m.py": "import numpy as np\ndef f(x): return x\ndef g(n): return np.arange(n)\n"},
        """
        import numpy as np
        from m import f, g

        def test_f():
            got = f(np.array([[1.5, 2.0]], dtype="f4"))
            assert type(got) is np.ndarray
            assert got.dtype == "f4" and got.shape == (1, 2)
            assert (got == [[3.0, 4.0]]).all()
            np.testing.assert_allclose(f(np.float64(2)), 4.0)

        def test_g():
            assert g(3).tolist() == [0, 1, 2]
            assert g(3)[1].dtype == np.arange(1).dtype
        """,
        {"m.py": "import numpy as np\ndef f(x): return x * 2\ndef g(n): return np.arange(n)\n"},
        fail=("test_f",),
        ok=("test_g",),
        tier=tier,
    )
    verdict = grading.grade(case, whole_files({"m.py": "import numpy as np\ndef f(x): return x + x\ng = np.arange\n"}))
    assert isinstance(verdict, Verdict), verdict
    assert verdict.passed, verdict.detail
    lies = "import numpy as np\nclass A(np.ndarray):\n    def __eq__(self, o): return np.bool_(True)\n"
    wrong = {"m.py": f"{lies}def f(x): return np.asarray(x).view(A)\ng = np.arange\n"}
    verdict = grading.grade(case, whole_files(wrong))
    assert isinstance(verdict, Verdict), verdict
    assert not verdict.passed
