"""Must-fail twins: what is changed in a test, by what coins, and that nothing in a copy says what was changed."""

from __future__ import annotations

import ast
import math
import random
import re
import textwrap
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passband.grade.inside.twins.apart import taken_apart
from passband.grade.inside.twins.copies import MAX_SITES, altered, mixed, units
from passband.grade.inside.twins.other import Others
from passband.grade.inside.twins.testcode import compile_design

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType


def changed(body: str, number: int = 0, name: str = "test_x") -> str:
    """Return the source of a test with one site changed."""
    tree = ast.parse(textwrap.dedent(body))
    return ast.unparse(altered(tree, {name: number})).replace("@", "at_")


def copies(body: str, seed: int) -> list[str]:
    """Return the source of both copies of a file."""
    tree = ast.parse(textwrap.dedent(body))
    return [ast.unparse(mixed({"test_a.py": tree}, seed, turned=turned)[0]["test_a.py"]) for turned in (False, True)]


@pytest.mark.parametrize(
    ("before", "left", "right"),
    [
        ("assert f(1) == 17", "assert f(1) == ", ""),
        ("assert 17 == f(1)", "assert ", " == f(1)"),
        ("assert f(1) == 'abc'", "assert f(1) == '", "'"),
        ("assert f(1) == {'k': [2.0]}", "assert f(1) == {'k': [", "]}"),
        ("assert f(1) == pytest.approx(2.0)", "assert f(1) == pytest.approx(", ")"),
        ("assert f(1) == Money(5)", "assert f(1) == Money(", ")"),
        ("assert abs(f(1) - 2.25) < 1e-09", "assert abs(f(1) - ", ") < 1e-09"),
        ("assert f(1) - 2.25 == 0", "assert f(1) - ", " == 0"),
        ("assert f(1).startswith('a')", "assert f(1).startswith('", "')"),
        ("assert all((x == 3 for x in f(1)))", "assert all((x == ", " for x in f(1)))"),
        ("assert f({7}).issubset({5})", "assert f({7}).issubset({", "})"),
        ("self.assertEqual(f(1), 3)", "self.assertEqual(f(1), ", ")"),
        ("self.assertAlmostEqual(f(1), 3.5)", "self.assertAlmostEqual(f(1), ", ")"),
        ("self.assertCountEqual(f(1), [3])", "self.assertCountEqual(f(1), [", "])"),
        ("m.go.assert_called_once_with(7)", "m.go.assert_called_once_with(", ")"),
        ("np.testing.assert_allclose(f(1), [4.0])", "np.testing.assert_allclose(f(1), [", "])"),
        (
            "with pytest.raises(ValueError, match='x'):\n        f(1)",
            "with pytest.raises(ValueError, match='",
            "'):\n        f(1)",
        ),
    ],
)
def test_what_is_expected_is_changed(before: str, left: str, right: str) -> None:
    """A value that is written out becomes another, and nothing else in the test changes."""
    made = changed(f"def test_x():\n    {before}\n").partition("\n")[2].strip()
    assert made.startswith(left), made
    assert made.endswith(right), made
    assert made != before


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("assert f(1) is True", "assert f(1) is not True"),
        ("assert f(1) is None", "assert f(1) is not None"),
        ("assert f(1) != 2", "assert f(1) == 2"),
        ("assert f(1) < 2", "assert f(1) >= 2"),
        ("assert abs(f(1) - 2) < 5", "assert abs(f(1) - 2) >= 5"),
        ("assert f(1) == pytest.approx(2, abs=3)", "assert at_differs(f(1), pytest.approx(2, abs=3))"),
        ("assert x in f(1)", "assert at_lacks(x, f(1))"),
        ("assert 'a' in f(1)", "assert at_lacks('a', f(1))"),
        ("assert f(1) in [1, 2]", "assert at_lacks(f(1), [1, 2])"),
        ("assert f(x) == want", "assert at_differs(f(x), want)"),
        ("assert f(3) == g(3)", "assert at_differs(f(3), g(3))"),
        ("assert x not in f(1)", "assert x in f(1)"),
        ("assert f(1)", "assert not f(1)"),
        ("assert not f(1)", "assert f(1)"),
        ("assert f(1) == 2 or f(2)", "assert at_differs(f(1), 2) and (not f(2))"),
        ("assert not (f(1) and f(2) < 3)", "assert f(1) and f(2) < 3"),
        ("assert (f(1) and f(2) < 3) or x", "assert (not f(1) or f(2) >= 3) and (not x)"),
        ("assert all((x < 3 for x in f(1)))", "assert any((x >= 3 for x in f(1)))"),
        ("assert not all(f(x) < 3 for x in y)", "assert all(f(x) < 3 for x in y)"),
        ("assert not any([f(x) != x for x in y])", "assert any([at_unlike(f(x), x) for x in y])"),
        (
            "assert all(3 < f(x) == g(x) for x in y)",
            "assert any((lambda at_0, at_1, at_2: at_0 >= at_1 or at_differs(at_1, at_2))(3, f(x), g(x)) for x in y)",
        ),
        ("assert (f(1) == g(1)) is True", "assert at_differs(f(1), g(1)) is True"),
        ("assert not f(1) != g(1)", "assert at_unlike(f(1), g(1))"),
        ("assert not x not in f(1)", "assert at_lacks(x, f(1))"),
        ("assert not (f(1) != g(1) and x)", "assert at_unlike(f(1), g(1)) and x"),
        ("assert f(1) < 2 if x else f(1) == g(1)", "assert f(1) >= 2 if x else at_differs(f(1), g(1))"),
        ("self.assertTrue(all((x < 3 for x in f(1))))", "self.assertTrue(any((x >= 3 for x in f(1))))"),
        ("self.assertFalse(f(1) != g(1))", "self.assertTrue(at_unlike(f(1), g(1)))"),
        ("assert any([x < 3 for x in f(1)])", "assert all([x >= 3 for x in f(1)])"),
        ("self.assertTrue(f(1) < 2)", "self.assertTrue(f(1) >= 2)"),
        ("self.assertTrue(f(1) < 2 or x)", "self.assertTrue(f(1) >= 2 and (not x))"),
        ("assert isinstance(f(1), int)", "assert not isinstance(f(1), int)"),
        ("self.assertEqual(f(x), want)", "self.assertTrue(at_differs(f(x), want))"),
        ("self.assertIn(x, f(1))", "self.assertTrue(at_lacks(x, f(1)))"),
        ("self.assertTrue(f(1))", "self.assertFalse(f(1))"),
        ("self.assertIsInstance(f(1), int)", "self.assertNotIsInstance(f(1), int)"),
        ("self.assertRegex(f(1), 'a+')", "self.assertNotRegex(f(1), 'a+')"),
        ("self.assertAlmostEqual(f(1), 2, places=0)", "self.assertNotAlmostEqual(f(1), 2, places=0)"),
        ("m.assert_called_once()", "m.assert_not_called()"),
        ("m.assert_called_once_with(x)", "m.assert_called_once_with(x, 1)"),
    ],
)
def test_what_has_no_value_is_turned_about(before: str, after: str) -> None:
    """Where no value can be changed such that no right answer meets it, the sense of the check is."""
    made = changed(f"def test_x():\n    {before}\n")
    # No program could name what twins call.
    assert ast.unparse(ast.parse(f"def test_x():\n    {after}\n")) == made


@pytest.mark.parametrize(
    ("before", "parts"),
    [
        ("assert f(1) and g(2)", ["assert f(1)", "assert g(2)"]),
        ("assert f(1) and (g(2) and h(3)), 'no'", ["assert f(1), 'no'", "assert g(2), 'no'", "assert h(3), 'no'"]),
        ("assert not (f(1) or not g(2))", ["assert not f(1)", "assert g(2)"]),
        ("assert 3 < f(1) < 5", ["assert 3 < (at_0 := f(1))", "assert at_0 < 5"]),
        ("assert f(1) == 4 == g(1)", ["assert f(1) == 4", "assert 4 == g(1)"]),
        ("assert a < b < f(1) < c", ["assert a < b", "assert b < (at_0 := f(1))", "assert at_0 < c"]),
        ("assert x == list(y) == z", ["assert x == (at_0 := list(y))", "assert at_0 == z"]),
        ("assert 0 < x.y < 2", ["assert 0 < (at_0 := x.y)", "assert at_0 < 2"]),
        ("assert f(1) == [-x, 2] == g(1)", ["assert f(1) == [-x, 2]", "assert [-x, 2] == g(1)"]),
        ("assert not a < b < c", ["assert not a < b < c"]),
        ("assert f(1) or g(2)", ["assert f(1) or g(2)"]),
        ("assert not f(1) in x", ["assert f(1) not in x"]),
        ("assert not (not f(1))", ["assert f(1)"]),
        ("self.assertFalse(f(1))", ["self.assertFalse(f(1))"]),
        ("self.assertFalse(not f(1) == 2)", ["self.assertTrue(f(1) == 2)"]),
        (
            "self.assertFalse(f(1) or g(2), 'no')",
            ["self.assertTrue(not f(1), 'no')", "self.assertTrue(not g(2), 'no')"],
        ),
        ("self.assertTrue(f(1) and g(2), 'no')", ["self.assertTrue(f(1), 'no')", "self.assertTrue(g(2), 'no')"]),
    ],
)
def test_each_thing_that_an_assertion_says_is_a_check(before: str, parts: list[str]) -> None:
    """What must hold together is asserted one by one: an object that equals anything is asked wherever it stands."""
    made = ast.unparse(taken_apart(ast.parse(f"def test_x():\n    {before}\n"))).replace("@", "at_")
    assert [line.strip() for line in made.split("\n")[1:]] == parts


@pytest.mark.parametrize("before", ["pytest.raises(LookupError)", "self.assertRaises((KeyError, OSError))"])
def test_another_exception_is_expected(before: str) -> None:
    """One that the right one is not a kind of, nor it of that."""
    made = changed(f"def test_x():\n    with {before}:\n        f(1)\n")
    other = made.partition("(")[2].partition("aises(")[2].partition(")")[0]
    kinds = (LookupError,) if "Lookup" in before else (KeyError, OSError)
    kind = vars(__import__("builtins"))[other]
    assert issubclass(kind, Exception)
    assert not any(issubclass(kind, k) or issubclass(k, kind) for k in kinds)


LOOP = "def test_x():\n    for {}:\n        assert f(x) == want"
TABLE = '@pytest.mark.parametrize("x, want", {})\ndef test_x(x, want):\n    assert f(x) == want'
TABLES = {
    "parametrize": TABLE.format('[(1, 2), pytest.param(3, 4, id="b")]'),
    "constant": "CASES = [(1, 2), (3, 4)]\n" + TABLE.format("CASES"),
    "loop": "CASES = [(1, 2), (3, 4)]\n" + LOOP.format("x, want in CASES"),
    "enumerated": LOOP.format("i, (x, want) in enumerate([(1, 2), (3, 4)])"),
    "zipped": LOOP.format("x, want in zip([1, 3], [2, 4])"),
    "mapping": "CASES = {1: 2, 3: 4}\n" + LOOP.format("x, want in CASES.items()"),
    "rows": (
        'def test_x():\n    for c in [{"in": 1, "out": 2}, {"in": 3, "out": 4}]:\n        assert f(c["in"]) == c["out"]'
    ),
    "subtest": (
        "def test_x(self):\n    for x, want in [(1, 2), (3, 4)]:\n"
        "        with self.subTest(x=x):\n            self.assertEqual(f(x), want)"
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_expectations_in_tables(name: str) -> None:
    """Every cell of what is expected has a coin of its own; what the candidate is asked stays what it is."""
    seen = set()
    for seed in range(40):
        pair = copies(TABLES[name], seed)
        numbers = [[int(digit) for digit in re.sub(r"@check\(\d+\)|\D", "", text)] for text in pair]
        for found in numbers:
            assert {1, 3} <= set(found)
        # Among the numbers 2 and 4 stand where they were not changed, and each in one of both copies at least.
        seen.add((2 in numbers[0], 4 in numbers[0], 2 in numbers[1], 4 in numbers[1]))
    assert (True, True, False, False) in seen
    assert (False, False, True, True) in seen
    assert (True, False, False, True) in seen
    assert (False, True, True, False) in seen


@pytest.mark.parametrize(
    "body",
    [
        "WANT = 5\ndef test_x():\n    assert f(1) == WANT",
        "def test_x():\n    want = 5\n    assert f(1) == want",
        "@pytest.fixture\ndef want():\n    return 5\ndef test_x(want):\n    assert f(1) == want",
        "class TestC:\n    want = 5\n    def test_x(self):\n        assert f(1) == self.want",
        "class T(C):\n    def setUp(self):\n        self.w = 5\n    def test_x(self):\n        assert self.w == f(1)",
    ],
)
def test_expectations_with_a_name(body: str) -> None:
    """Constants, variables and what fixtures return are changed where they stand."""
    pair = copies(body, 0)
    assert sum(" = 5" in text or "return 5" in text for text in pair) == 1
    assert all("differs" not in text for text in pair)


@pytest.mark.parametrize(
    "body",
    [
        "def test_x():\n    want = 5\n    assert f(want) == want",
        "WANT = 5\ndef test_x():\n    assert f(1) == WANT\ndef test_y():\n    assert f(WANT)",
        f"CASES = [(1, 5)]\n{LOOP.format('x, want in CASES')}\n        assert g(want) == x",
        f"CASES = [(1, 5)]\n{LOOP.format('x, want in CASES')}\n    g(CASES)",
        "@pytest.fixture\ndef want():\n    return 5\ndef test_x(want):\n    assert f(want) == want",
        "class TestC:\n    w = 5\n    def test_x(self):\n        assert f(1) == self.w\n        f(self.w)",
    ],
)
def test_what_is_also_asked_stays(body: str) -> None:
    """What the candidate gets as well is not changed: other right answers might differ there."""
    for seed in range(10):
        assert all("5" in text for text in copies(body, seed))


def test_both_copies_go_the_same_way() -> None:
    """Each check notes how it went and the test goes on, in both copies in the same form."""
    pair = copies("def test_x():\n    '''is 2'''\n    assert f(1) == 2, 'not 2'\n    assert f(2) == 3\n", 3)
    shapes = [ast.dump(ast.parse(text.replace("@check", "check"))) for text in pair]
    digits = str.maketrans("0123456789", " " * 10)
    assert shapes[0].translate(digits).replace(" ", "") == shapes[1].translate(digits).replace(" ", "")
    assert all("is 2" not in text and "not 2" not in text and text.count("@check") == 2 for text in pair)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            yield from _codes(constant)


def test_nothing_says_what_was_changed() -> None:
    """Of a value that was as wide as another nothing is left in the code: not its place in the line, nor its text."""
    source = {"test_a.py": b"def test_x():\n    assert f(1) == 9\n    assert f(2) == 1000\n"}
    widths, seen = set(), set()
    for seed in range(60):
        for copy in compile_design(source, seed, (), "/hidden")[0]:
            for code in _codes(copy["test_a.py"]):
                widths |= {(end or 0) - (start or 0) for _line, _end, start, end in code.co_positions()}
                seen |= {c for c in code.co_consts if isinstance(c, int) and 5 < c < 15}
    assert widths == {0}
    # Both ways: what was 9 is smaller in some and larger in others.
    assert min(seen) < 9 < max(seen)


def test_values_come_in_pairs() -> None:
    """The same value in two places has the same other one, and that one has it: neither can be told to be the first."""
    body = "def test_x():\n    assert f(1) == 40\n    assert f(2) == 40\n    assert f(3) == 41\n    assert f(4) == 42\n"
    for seed in range(30):
        others = Others(random.Random(seed))
        for value in (40, 41, 42, "abc", 2.5, b"x", True):
            assert others.of(others.of(value)) == value
        first, second = copies(body, seed)
        for number in (1, 2):
            ours = {int(t.partition(f"f({number}) == ")[2].partition("\n")[0]) for t in (first, second)}
            assert ours == {40, *ours}
            assert len(ours) == 2


@given(
    st.one_of(st.integers(), st.floats(allow_nan=False), st.text(), st.binary(), st.booleans()),
    st.integers(min_value=0, max_value=1000),
)
def test_another_value_is_another(value: object, seed: int) -> None:
    """A changed literal is of the same type and not equal to what it was; a float is far from it."""
    other = Others(random.Random(seed)).of(value)
    assert type(other) is type(value)
    assert other != value
    if isinstance(value, float) and isinstance(other, float) and math.isfinite(value):
        assert not math.isclose(other, value, rel_tol=0.05)


def test_sites_are_few_and_spread() -> None:
    """Of many assertions tier 1 uses a handful, the first among them; helpers and methods are units too."""
    body = "\n".join(f"    assert f({n}) == {n}" for n in range(50))
    rest = "def test_x():\n    helper(g)\n\nclass TestC:\n    def test_m(self):\n        assert 1\n"
    tree = ast.parse(f"def helper(f):\n{body}\n\n{rest}")
    assert [tuple(u) for u in units(tree)] == [
        ("helper", False, MAX_SITES),
        ("test_x", True, 0),
        ("TestC::test_m", True, 1),
    ]
    assert "f(0) == 0" not in ast.unparse(altered(tree, {"helper": 0}))
    assert "f(0) == 0" in ast.unparse(altered(tree, {"helper": 1}))


def test_every_check_has_a_coin_in_tier_two() -> None:
    """Of fifty assertions each is changed in one of both copies, and which is by chance."""
    body = "def test_x():\n" + "\n".join(f"    assert f({n}) == {n + 100}" for n in range(50))
    pair = copies(body, 5)
    kept = [[f"f({n}) == {n + 100}\n" in text + "\n" for n in range(50)] for text in pair]
    assert all(a != b for a, b in zip(*kept, strict=True))
    assert 10 < sum(kept[0]) < 40


def test_what_stays_still() -> None:
    """In a unit that is named nothing is changed, and the rest is as it would be."""
    tree = ast.parse("def test_x():\n    assert f(1) == 40\ndef test_y():\n    assert f(1) == 50\n")
    for turned in (False, True):
        still, _ = mixed({"t.py": tree}, 2, turned=turned, still=[("t.py", "test_x")])
        free, _ = mixed({"t.py": tree}, 2, turned=turned)
        texts = [ast.unparse(made["t.py"]).partition("def test_y") for made in (still, free)]
        assert "== 40" in texts[0][0]
        assert texts[0][2] == texts[1][2]


def test_what_is_allowed_for() -> None:
    """A check below an ``if`` may be passed by; one in a loop over what is returned may come in another order."""
    body = """
    def test_x():
        assert f(1)
        if f(2):
            assert f(3)
        for x in f(4):
            assert x
        for x in [1, 2]:
            assert f(x)
    """
    _made, leeway = mixed({"t.py": ast.parse(textwrap.dedent(body))}, 0, turned=False)
    assert leeway == {1: (True, False), 2: (False, True)}


@pytest.mark.parametrize(
    "body",
    [
        "CASES = load()\n" + TABLE.format("CASES"),
        LOOP.format("x, want in load()"),
        "def test_x():\n    want = sum(xs)\n    assert f(1) == want",
        "import json\ndef test_x():\n    want = json.loads(text)\n    self.assertEqual(f(1), want)",
        "def test_x():\n    want = data['want']\n    self.assertEqual(f(1), want)",
    ],
)
def test_what_is_not_written_out_is_varied(body: str) -> None:
    """What is computed, or read, and only expected: one number decides in one copy that it becomes another value."""
    for seed in range(20):
        numbers = [re.findall(r"want = @vary\(.*, (\d+)\)", text) for text in copies(body, seed)]
        assert [len(found) for found in numbers] == [1, 1]
        assert sorted(int(found[0]).bit_count() % 2 for found in numbers) == [0, 1]


@pytest.mark.parametrize(
    "body",
    [
        "def test_x():\n    got = f(1)\n    assert got == g(1)",
        "def test_x():\n    got = f(1)\n    want = g(1)\n    assert got == want",
        "def test_x():\n    got = f(1).items\n    assert want() == got",
        "def test_x():\n    for a, b in zip(f(1), g(1)):\n        assert a == b",
        "def test_x():\n    y = sum(xs)\n    assert f(y) == y",
    ],
)
def test_what_may_be_the_candidates_is_not_varied(body: str) -> None:
    """Where it cannot be told who is asked, the check is turned about, and objects are asked about something else."""
    pair = copies(body, 1)
    assert all("@vary" not in text for text in pair)
    assert sum("@differs" in text for text in pair) == 1


def test_what_other_files_use_stays() -> None:
    """A table or a fixture that another hidden file may ask the candidate with is left alone."""
    trees = {
        "conftest.py": "import pytest\n@pytest.fixture\ndef want():\n    return 50\n",
        "test_a.py": "CASES = [(1, 60)]\ndef test_x(want):\n    assert f(1) == want\n"
        + LOOP.format("x, want in CASES").replace("test_x", "test_z"),
        "test_b.py": "from test_a import CASES\ndef test_y(want):\n    f(want, CASES)\n",
    }
    parsed = {path: ast.parse(text) for path, text in trees.items()}
    for seed in range(10):
        made, _leeway = mixed(parsed, seed, turned=False)
        assert "return 50" in ast.unparse(made["conftest.py"])
        assert "60" in ast.unparse(made["test_a.py"])
    alone = [ast.unparse(mixed({"a.py": parsed["test_a.py"]}, 0, turned=t)[0]["a.py"]) for t in (False, True)]
    assert sum("60" in text for text in alone) == 1
