import ast
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.grade.patch import Applied, apply_answer
from passband.subject import CaseView, load_subject
from passband.subject.mutator import Mutator
from passband.subject.mutator.edits import collect_edits
from passband.subject.mutator.localize import suspicion
from passband.suite import load_suite

SOURCE = b'''"""A shop."""


def total(prices, rate, seen=[]):
    """Add up."""
    amount = 0
    for i in range(len(prices)):
        if prices[i] > 0 and not rate:
            amount += prices[i] * rate
            continue
    return round(amount, 2)


class Basket:
    def __init__(self, items):
        self.items = items

    def cheapest(self, limit):
        return sorted(self.items, key=len)[:limit]
'''


def edited(source: bytes) -> dict[str, set[str]]:
    """All files one edit away, as syntax trees, by operator."""
    made: dict[str, set[str]] = {}
    for edit in collect_edits((("shop.py", source),)):
        made.setdefault(edit.operator, set()).add(ast.unparse(ast.parse(edit.apply(source))))
    return made


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        ("comparison", "prices[i] > 0", "prices[i] >= 0"),
        ("boolean", "prices[i] > 0 and not rate", "prices[i] > 0 or not rate"),
        ("drop-condition", "prices[i] > 0 and not rate", "prices[i] > 0"),
        ("negation", "and not rate", "and rate"),
        ("off-by-one", "range(len(prices))", "range(len(prices) - 1)"),
        ("off-by-one", "amount = 0", "amount = 1"),
        ("off-by-one", "prices[i] * rate", "prices[i + 1] * rate"),
        ("arithmetic", "prices[i] * rate", "prices[i] / rate"),
        ("arithmetic", "amount += prices", "amount -= prices"),
        ("assignment", "amount += prices", "amount = prices"),
        ("drop-operand", "prices[i] * rate", "prices[i]"),
        ("nudge", "prices[i] * rate", "(prices[i] + 1) * rate"),
        ("nudge", "round(amount, 2)", "round(amount + 1, 2)"),
        ("sign", "round(amount, 2)", "round(-amount, 2)"),
        ("argument-order", "round(amount, 2)", "round(2, amount)"),
        ("twin-function", "round(amount, 2)", "int(amount, 2)"),
        ("variable", "prices[i] * rate", "prices[i] * amount"),
        ("return-value", "return round(amount, 2)", "return rate"),
        ("control", "continue", "break"),
        ("copy", "self.items = items", "self.items = list(items)"),
        ("copy", "sorted(self.items, key=len)", "sorted(list(self.items), key=len)"),
        ("ordering", "sorted(self.items, key=len)", "sorted(self.items, key=len, reverse=True)"),
        ("ordering", "sorted(self.items, key=len)", "sorted(self.items)"),
        ("slice", "[:limit]", "[:limit + 1]"),
        ("mutable-default", "seen=[]", "seen=None"),
        ("drop-statement", "amount = 0", "pass"),
        ("guard", "amount = 0", "if not rate:\n        return None\n    amount = 0"),
    ],
)
def test_each_operator_makes_the_edit_it_is_named_for(operator, before, after):
    """The grammar holds the repair, as the programmer would write it."""
    text = SOURCE.decode()
    assert before in text
    wanted = text.replace(before, after)
    if operator == "mutable-default":
        wanted = wanted.replace("    amount = 0\n", "    if seen is None:\n        seen = []\n    amount = 0\n")
    assert ast.unparse(ast.parse(wanted)) in edited(SOURCE)[operator]


def test_no_edit_is_empty_broken_or_made_twice():
    """Every edit parses, changes the file, and differs from every other."""
    edits = collect_edits((("shop.py", SOURCE),))
    made = [edit.apply(SOURCE) for edit in edits]
    assert len(set(made)) == len(made) > 50
    assert SOURCE not in made
    for source in made:
        ast.parse(source)


@pytest.mark.parametrize("name", ["mutator", "mutator-focus"])
def test_answers_apply_to_the_builtin_suite(name):
    """Each answer is a patch that applies to the workspace and edits one source file, never a test."""
    subject = Mutator(name)
    for case in load_suite("builtin"):
        view = CaseView(id=case.id, inputs=case.inputs, workspace=case.workspace)
        for seed in range(3):
            answer = subject.sample(view, seed).output
            applied = apply_answer(answer, case.workspace, allowed_files=("**",), forbidden=case.grader_spec.forbidden)
            assert isinstance(applied, Applied), (case.id, seed, applied)
            (path,) = applied.changes
            assert not path.startswith("tests/")


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**53 - 1), st.sampled_from(["mutator", "mutator-focus"]))
def test_a_seed_gives_one_answer(seed, name):
    """The same seed gives the same answer, whichever object is asked."""
    view = CaseView(id="a", inputs={"issue": "total is off by one"}, workspace={"shop.py": SOURCE})
    assert Mutator(name).sample(view, seed) == Mutator(name).sample(view, seed)


def test_draws_follow_the_weights():
    """Operators are drawn equally often by the plain mutator, and places equally often within one."""
    view = CaseView(id="a", inputs={}, workspace={"shop.py": SOURCE})
    operators = {edit.operator for edit in collect_edits((("shop.py", SOURCE),))}
    draws = 1500
    subject = Mutator("mutator")
    counted = Counter(subject.sample(view, seed).trace[0]["operator"] for seed in range(0, draws * 10**9, 10**9))
    expected = draws / len(operators)
    chi2 = sum((counted[operator] - expected) ** 2 / expected for operator in operators)
    degrees = len(operators) - 1
    assert chi2 < degrees + 4 * (2 * degrees) ** 0.5


def test_focus_leans_to_what_the_issue_says():
    """An issue about one function moves the weight to it and to what it calls."""
    source = b"\n\n".join(
        [
            b"def helper(x):\n    return x + 1\n",
            b"def invoice_total(x):\n    return helper(x) * 2\n",
            b"def colour(x):\n    return x + 3\n",
        ]
    )
    edits = collect_edits((("a.py", source),))
    weights = suspicion("The invoice total is wrong", {"a.py": source}, edits)
    by_scope = {edit.scope: weight for edit, weight in zip(edits, weights, strict=True)}
    assert by_scope["invoice_total",] > by_scope["helper",] > by_scope["colour",]


@pytest.mark.parametrize(
    "workspace",
    [{}, {"a.txt": b"x"}, {"a.py": b"def ("}, {"a.py": b"\xff\xfe"}, {"a.py": b"\0"}, {"tests/test_a.py": b"x = 1\n"}],
)
def test_nothing_to_edit_is_an_empty_answer(workspace):
    """Where there is no code that parses, the answer is empty, not an error."""
    view = CaseView(id="a", inputs={}, workspace=workspace)
    for name in ("mutator", "mutator-focus"):
        assert load_subject(name).sample(view, 1).output.payload == b""


def test_line_ends_and_encodings_survive():
    """A file with carriage returns and bytes beyond ASCII keeps them outside the edit."""
    source = "# caf\u00e9 \u2028\r\nx = 1 + 2\r\n".encode()
    for edit in collect_edits((("a.py", source),)):
        assert edit.apply(source).startswith("# caf\u00e9 \u2028\r\n".encode())
