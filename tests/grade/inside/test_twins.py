"""Must-fail twins: what is changed in a test, and that a changed test fails where a right answer meets it."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passband.grade.inside.testcode import compile_design
from passband.grade.inside.twins import MAX_SITES, _other, altered, units


def changed(body: str, number: int = 0, name: str = "test_x") -> str:
    """Return the source of a test with one site changed."""
    tree = ast.parse(textwrap.dedent(body))
    return ast.unparse(altered(tree, {name: number}))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert f(1) == 17", "assert f(1) == 18"),
        ("assert 17 == f(1)", "assert 18 == f(1)"),
        ("assert f(1) == 'abc'", "assert f(1) == 'abd'"),
        ("assert f(1) == ''", "assert f(1) == 'a'"),
        ("assert f(1) == b'Z'", "assert f(1) == b'A'"),
        ("assert f(1) == []", "assert f(1) == [1]"),
        ("assert f(1) == {}", "assert f(1) == {1: 1}"),
        ("assert f(1) == [1, 2]", "assert f(1) == [2, 2]"),
        ("assert f(1) == {'k': [2.0]}", "assert f(1) == {'l': [2.0]}"),
        ("assert f(1) == pytest.approx(2.0)", "assert f(1) == pytest.approx(4.0)"),
        ("assert f(1) == Money(5, 'EUR')", "assert f(1) == Money(6, 'EUR')"),
        ("assert f(1) is True", "assert f(1) is not True"),
        ("assert f(1) is None", "assert f(1) is not None"),
        ("assert f(1) != 2", "assert f(1) == 2"),
        ("assert f(1) < 2", "assert f(1) >= 2"),
        ("assert 'a' in f(1)", "assert 'b' in f(1)"),
        ("assert x in f(1)", "assert at_lacks(x, f(1))"),
        ("assert f(1) in [1, 2]", "assert at_lacks(f(1), [1, 2])"),
        ("assert f(x) == want", "assert at_differs(f(x), want)"),
        ("assert x not in f(1)", "assert x in f(1)"),
        ("self.assertEqual(f(x), want)", "self.assertTrue(at_differs(f(x), want))"),
        ("assert f(1)", "assert not f(1)"),
        ("assert not f(1)", "assert not (not f(1))"),
        ("assert a < b < c", "assert not a < b < c"),
        ("self.assertEqual(f(1), 3)", "self.assertEqual(f(1), 4)"),
        ("with pytest.raises(ValueError, match='x'): f(1)", "with pytest.raises(TypeError, match='x'): f(1)"),
        ("with self.assertRaises(TypeError): f(1)", "with self.assertRaises(KeyError): f(1)"),
    ],
)
def test_what_is_changed(before, after):
    """The expected value if there is one, or else the sense of the assertion."""
    made = changed(f"def test_x():\n    {before}\n")
    # No program could name what twins call.
    assert ast.unparse(ast.parse(f"def test_x():\n    {after}\n")) == made.replace("@", "at_")


def test_a_parametrised_expectation_is_changed_in_its_table():
    """Where the expected value is a parameter, the whole column of the table is changed, and nothing else."""
    made = changed(
        """
        @pytest.mark.parametrize("x, want", [(1, 2), pytest.param(3, 4, id="b")])
        def test_x(x, want):
            got = f(x)
            assert got == want
        """
    )
    assert "[(1, 3), pytest.param(3, 5, id='b')]" in made
    assert "assert got == want" in made


def test_sites_are_few_and_spread():
    """Of many assertions a handful is used, the first among them; helpers and methods are units too."""
    body = "\n".join(f"    assert f({n}) == {n}" for n in range(50))
    rest = "def test_x():\n    helper(g)\n\nclass TestC:\n    def test_m(self):\n        assert 1\n"
    tree = ast.parse(f"def helper(f):\n{body}\n\n{rest}")
    assert [tuple(u) for u in units(tree)] == [
        ("helper", False, MAX_SITES),
        ("test_x", True, 0),
        ("TestC::test_m", True, 1),
    ]
    assert "f(0) == 1" in ast.unparse(altered(tree, {"helper": 0}))
    assert "f(0) == 1" not in ast.unparse(altered(tree, {"helper": 1}))


@given(st.one_of(st.integers(), st.floats(allow_nan=False), st.text(), st.binary(), st.booleans()))
def test_another_value_is_another(value):
    """A changed literal is of the same type and not equal to what it was."""
    other = _other(value)
    assert type(other) is type(value)
    assert other != value


def test_a_design_splits_by_chance():
    """Each test is right in one copy and a twin in the other; which, and under what name, differs from draw to draw."""
    source = {"tests/test_a.py": b"def test_a():\n    assert f() == 1\n\ndef test_b():\n    assert f() == 5\n"}
    seen, names = set(), set()
    for seed in range(40):
        copies, drawn = compile_design(
            source, "tests/test_a.py", {"test_a": ["t0"], "test_b": ["t0"]}, seed, root="/hidden"
        )
        sides = []
        for name, code in copies:
            names.add(name)
            assert code.co_filename == f"/hidden/{name}"
            functions = {c.co_name: c for c in code.co_consts if hasattr(c, "co_name")}
            sides.append((2 in functions["test_a"].co_consts, 6 in functions["test_b"].co_consts))
        for at, group in enumerate(("test_a", "test_b")):
            twin_side = drawn[group][0]
            assert sides[twin_side][at]
            assert not sides[1 - twin_side][at]
        seen.add((drawn["test_a"][0], drawn["test_b"][0]))
    assert seen == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert len(names) == 80
