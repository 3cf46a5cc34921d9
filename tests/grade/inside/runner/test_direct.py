"""Plain tests are called without being collected, and only where they are what they were taken for."""

from __future__ import annotations

import ast
import json
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

from passband.grade.inside.runner.direct import run_direct
from passband.grade.inside.runner.memory import MemoryFinder
from passband.grade.inside.runner.reporter import Reporter
from passband.grade.inside.twins.testcode import compile_file

if TYPE_CHECKING:
    from passband.grade import Grading
from tests.grade.cases import make_case

ROOT = "/nowhere"


def run(source: str, *names: str) -> list[tuple[Any, ...]] | None:
    """Run tests of a file; returns (name, outcome, kind of error) for each, or None where that cannot be done."""
    text = textwrap.dedent(source)
    code = compile_file(ast.parse(text), text.encode(), "test_d.py", ROOT)
    reporter = Reporter()
    try:
        if not run_direct(
            MemoryFinder(ROOT, {"test_d.py": code}), ["test_d.py"], [f"test_d.py::{n}" for n in names], reporter
        ):
            return None
    finally:
        sys.modules.pop("test_d", None)
    records = [json.loads(line) for line in reporter.finish().splitlines()]
    assert records.pop() == {"kind": "finish", "count": sum(r["kind"] == "plain" for r in records)}
    return [(r["id"].removeprefix("test_d.py::"), r.get("outcome", r["kind"]), r.get("error", "")) for r in records]


def test_tests_are_called_in_the_order_of_the_file() -> None:
    """A pass, a failed assertion, an exception and a skip are told apart, in the order in which they are written."""
    source = """
        import pytest
        seen = []
        def test_a(): seen.append(1)
        def test_b(): assert seen == [2]
        def test_c(): raise KeyError("x")
        def test_d(): pytest.skip("no")
        def test_e(): pytest.fail("no")
        def test_f(): pass
    """
    assert run(source, "test_d#0", "test_c#0", "test_b#0", "test_a#0", "test_e#0") == [
        ("test_a#0", "passed", ""),
        ("test_b#0", "failed", "AssertionError"),
        ("test_c#0", "failed", "KeyError"),
        ("test_d#0", "skipped", "Skipped"),
        ("test_e#0", "failed", "Failed"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        "'x, y', [(1, 1), (2, 3)]",
        "('x', 'y'), ((1, 1), (2, 3))",
        "['x', 'y'], [[1, 1], pytest.param(2, 3, id='two')]",
        "'x,y', [(1, 1), (2, 3)], ids=['one', 'two']",
    ],
)
def test_rows_of_a_table(table: str) -> None:
    """Each row is a test of its own, whatever way the table is written in."""
    source = f"import pytest\n@pytest.mark.parametrize({table})\ndef test_a(x, y):\n    assert x == y\n"
    assert run(source, "test_a#1", "test_a#0") == [
        ("test_a#0", "passed", ""),
        ("test_a#1", "failed", "AssertionError"),
    ]
    one = "import pytest\n@pytest.mark.parametrize('x', [(1, 2), 3])\ndef test_a(x):\n    assert x == (1, 2)\n"
    assert run(one, "test_a#0", "test_a#1") == [("test_a#0", "passed", ""), ("test_a#1", "failed", "AssertionError")]


def test_methods_get_an_object_each() -> None:
    """What one method leaves in its object the next does not find."""
    source = """
        class TestIt:
            def test_a(self): self.x = 1
            def test_b(self): assert not hasattr(self, "x")
        class TestNo:
            def __init__(self): raise ValueError
            def test_c(self): pass
    """
    assert run(source, "TestIt::test_a#0", "TestIt::test_b#0", "TestNo::test_c#0") == [
        ("TestIt::test_a#0", "passed", ""),
        ("TestIt::test_b#0", "passed", ""),
        ("TestNo::test_c#0", "failed", "ValueError"),
    ]


def test_a_file_that_cannot_be_imported() -> None:
    """It is reported as one that was not collected, with the reason, and none of its tests has run."""
    assert run("import no_such_module_at_all\ndef test_a(): pass\n", "test_a#0") == [("test_d.py", "collect", "")]


@pytest.mark.parametrize(
    "source",
    [
        "def test_b(): pass",
        "test_a = len",
        "async def test_a(): pass",
        "def test_a(): yield",
        "import pytest\n@pytest.mark.skip\ndef test_a(): pass",
        "import pytest\npytestmark = pytest.mark.skip\ndef test_a(): pass",
        "import pytest\n@pytest.mark.parametrize('x', [])\ndef test_a(x): pass",
        "import pytest\n@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.xfail)])\ndef test_a(x): pass",
        "import pytest\n@pytest.mark.parametrize('x', [1], indirect=True)\ndef test_a(x): pass",
        "import pytest\n@pytest.mark.parametrize('x', iter([1]))\ndef test_a(x): pass",
        "import pytest\n@pytest.mark.parametrize('x, y', [(1,)])\ndef test_a(x, y): pass",
        "import pytest\n@pytest.mark.parametrize('x', [1])\n@pytest.mark.parametrize('y', [1])\ndef test_a(x, y): pass",
    ],
)
def test_anything_else_is_left_to_pytest(source: str) -> None:
    """Where a name is not there, or not that of a plain function with a simple table, nothing is run."""
    assert run(source, "test_a#0") is None


def test_a_candidate_that_makes_a_test_another_one(grading: Grading) -> None:
    """A test that a candidate has decorated out of shape is collected as ever, and the others run beside it."""
    case = make_case(
        {"m.py": "def wrap(f): return f\ndef f(): return 1\n"},
        """
        from m import f, wrap

        @wrap
        def test_a():
            assert f() == 2

        def test_b():
            assert f() == 2
        """,
        {"m.py": "def wrap(f): return f\ndef f(): return 2\n"},
        fail=("test_a", "test_b"),
        tier="pytest",
    )
    assert grading.plan(case).direct
    for body, collected in (("functools.partial(f)", True), ("5", False)):
        tree = {"m.py": f"import functools\ndef wrap(f): return {body}\ndef f(): return 2\n".encode()}
        outcomes = grading.run_tests(case, tree).outcomes
        passed = {id_.partition("::")[2]: outcome.passed for id_, outcome in outcomes.items()}
        assert passed == {"test_a": collected, "test_b": True}
