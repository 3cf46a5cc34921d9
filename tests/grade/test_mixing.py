"""Tests and their twins among each other: a candidate that counts its calls cannot tell them apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from passband.grade.mixing import first_twins, judge, undisturbed
from passband.grade.report import Report
from passband.grade.twinned import BENT
from passband.records import Verdict
from passband.sandbox.runs import RunEnd
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passband.grade import Grading

END = RunEnd(returncode=0, timed_out=False, wall_s=1.0, cpu_s=0.5, peak_kb=10)
TWINS = {"a": ["a0"], "b": ["b0", "b1"]}


def report(order: Sequence[str], passes: Callable[[str], bool], touched: Sequence[str] = ()) -> Report:
    """Make a judge's report."""
    rows: list[dict[str, object]] = []
    for key in order:
        failed = {} if passes(key) else {"error": "AssertionError", "message": "x"}
        rows.append({"kind": "plain", "id": key, "outcome": "failed" if failed else "passed", **failed})
        if key in touched:
            rows.append({"kind": "note", "id": key, "touched": True, "wrong": ""})
    rows.append({"kind": "finish", "count": len(order)})
    return Report("\n".join(map(json.dumps, rows)).encode())


class Runs:
    """Runs of a candidate whose tests touch objects, and whose twins fail."""

    def __init__(self, touched: Sequence[str], passes: Callable[[str], bool] = lambda key: len(key) == 1) -> None:
        self.touched, self.passes = touched, passes
        self.orders: list[list[str]] = []

    def __call__(self, order: list[str], after: Mapping[str, Sequence[str]]) -> tuple[Report, RunEnd]:
        self.orders.append([*order, *(twin for key in order for twin in after.get(key, ()))])
        return report(self.orders[-1], self.passes, self.touched), END


def test_each_test_stands_among_its_twins() -> None:
    """A test that is expected to touch an object is run in a group with its twins, in every place in the end."""
    places = set()
    for _ in range(200):
        runs = Runs(["b"])
        judged = judge(runs, ["a", "b"], TWINS, (), mixed={"b"}, apart=False)
        assert all(outcome.passed for outcome in judged.outcomes.values())
        for order in runs.orders:
            assert order[0] == "a"
            assert sorted(order[1:]) == ["b", "b0", "b1"]
            places.add(order.index("b"))
    assert places == {1, 2, 3}


def test_a_fair_guess_is_asked_again() -> None:
    """One test with one twin is guessed half the time: a pass is run five times, and its costs are added up."""
    runs = Runs(["a"])
    judged = judge(runs, ["a"], TWINS, (), mixed={"a"}, apart=False)
    assert len(runs.orders) == 5
    assert (judged.end.cpu_s, judged.end.wall_s, judged.end.peak_kb) == (2.5, 5.0, 10)


def test_many_twins_need_one_run() -> None:
    """Where a guess has a chance of one in 36 one run is enough."""
    keys = ["a", "b", "c", "d"]
    twins = {"a": ["a0"], "b": ["b0", "b1"], "c": ["c0"], "d": ["d0", "d1"]}
    runs = Runs(keys)
    judge(runs, keys, twins, (), mixed=set(keys), apart=False)
    assert len(runs.orders) == 1


def test_what_touches_nothing_is_run_once_without_twins() -> None:
    """A test whose values are data needs no twin."""
    runs = Runs([])
    assert judge(runs, ["a", "b"], TWINS, (), mixed=frozenset(), apart=False).touched == set()
    assert runs.orders == [["a", "b"]]


def test_unexpected_objects_bring_another_run() -> None:
    """An object where the reference has data is met again in a process that remembers nothing, among twins."""
    runs = Runs(["b"])
    judge(runs, ["a", "b"], TWINS, (), mixed=frozenset(), apart=False)
    assert runs.orders[0] == ["a", "b"]
    assert all(sorted(order) == ["a", "b", "b0", "b1"] for order in runs.orders[1:])
    assert len(runs.orders) == 5


def test_a_twin_that_passes_is_said() -> None:
    """A twin that does not fail takes its test with it, and no other run follows."""
    runs = Runs(["b"], lambda key: key != "b0")
    judged = judge(runs, ["a", "b"], TWINS, (), mixed={"b"}, apart=False)
    assert judged.outcomes["a"].passed
    assert judged.outcomes["b"].why == BENT
    assert len(runs.orders) == 1


def test_a_failure_ends_it() -> None:
    """A test that fails needs no other run, nor what its twins say."""
    runs = Runs(["a"], lambda _key: False)
    judged = judge(runs, ["a"], TWINS, (), mixed={"a"}, apart=False)
    assert judged.outcomes["a"].why == "x"
    assert len(runs.orders) == 1


def test_twins_come_last_where_tests_disturb_each_other() -> None:
    """Without mixing the twins are handed over for after the tests."""
    runs = Runs(["a"])
    judged = judge(runs, ["a", "b"], TWINS, (), mixed=None, apart=False)
    assert runs.orders == [["a", "b", "a0", "b0", "b1"]]
    assert judged.outcomes["a"].passed


def test_twins_by_themselves() -> None:
    """Where twins disturb tests and fail by themselves, they are run in a process that has seen no test."""
    runs = Runs(["a"])
    judged = judge(runs, ["a", "b"], TWINS, (), mixed=None, apart=True)
    assert runs.orders == [["a", "b"], ["a0", "b0", "b1"]]
    assert all(outcome.passed for outcome in judged.outcomes.values())
    assert judged.end.cpu_s == 1.0


@pytest.mark.parametrize(("touched", "why"), [("a", BENT), ("b", "")])
def test_of_twins_by_themselves_those_of_touched_tests_count(touched: str, why: str) -> None:
    """A twin that does not fail takes its test with it if that took an object at its word."""
    runs = Runs([touched], lambda key: key in {"a", "b", "a0"})
    assert judge(runs, ["a", "b"], TWINS, (), mixed=None, apart=True).outcomes["a"].why == why


@pytest.mark.parametrize("runs", [Runs([]), Runs(["a"], lambda _key: False)])
def test_twins_are_not_asked_for_nothing(runs: Runs) -> None:
    """Where no test touched an object, or one failed, there is one run."""
    judge(runs, ["a", "b"], TWINS, (), mixed=None, apart=True)
    assert runs.orders == [["a", "b"]]


@pytest.mark.parametrize(("passes", "good"), [("ab", True), ("a", False), ("aba0", False)])
def test_disturbed_tests_show(passes: str, good: bool) -> None:
    """Tests get along with twins before them if all of them pass and all twins fail."""
    order = first_twins(["a", "b"], TWINS)
    assert order == ["a0", "a", "b0", "b1", "b"]
    wanted = {"ab": {"a", "b"}, "a": {"a"}, "aba0": {"a", "b", "a0"}}[passes]
    assert undisturbed(report(order, wanted.__contains__), ["a", "b"], TWINS, ()) is good


BAG = """
class Bag:
    def __init__(self):
        self.items = []
    def add(self, item):
        self.items.append(item)
    def __contains__(self, item):
        return item in self.items
"""
EMPTY = "class Bag:\n    def add(self, item): pass\n    def __contains__(self, item): return False\n"
# Counts its objects, and knows how many tests there are.
COUNTS = """
made = [0]
class Bag:
    def __init__(self):
        made[0] += 1
        self.number = made[0]
    def add(self, item): pass
    def __contains__(self, item): return self.number <= {tests}
"""
HELD = """
from m import Bag

def test_one():
    bag = Bag()
    bag.add("one")
    assert "one" in bag

def test_two():
    bag = Bag()
    bag.add("two")
    assert "two" in bag

def test_three():
    bag = Bag()
    bag.add("three")
    assert "three" in bag
"""
# Numbers its objects from one on, as the tests want it: what runs before a test shows.
NUMBERED = BAG.replace("self.items = []", "self.items = []; made[0] += 1; self.number = made[0]") + "made = [0]\n"
IN_ORDER = """
from m import Bag

def test_one():
    assert Bag().number == 1

def test_two():
    assert Bag().number == 2
"""


@pytest.mark.parametrize("known", [1, 2, 3, 4])
def test_who_counts_is_found_out(known: int, grading: Grading) -> None:
    """A candidate that tells the truth to the tests that it expects first, and lies to no other, does not pass."""
    case = make_case({"m.py": EMPTY}, HELD, {"m.py": BAG}, fail=("test_one", "test_two", "test_three"), tier="split")
    right = grading.grade(case, whole_files({"m.py": BAG}))
    assert isinstance(right, Verdict)
    assert right.passed, right.detail
    wrong = grading.grade(case, whole_files({"m.py": COUNTS.format(tests=known)}))
    assert isinstance(wrong, Verdict)
    assert not wrong.passed


# Knows that tests want one number after the other, and how many there are.
KNOWS = """
made = [0]
class Number:
    def __init__(self, number): self.number = number
    def __eq__(self, other): return True
    def startswith(self, text): return self.number <= 2
class Bag:
    def __init__(self): made[0] += 1
    @property
    def number(self): return Number(made[0])
"""
NAMED = IN_ORDER.replace(".number == 1", ".number.startswith('one')").replace(
    ".number == 2", ".number.startswith('two')"
)
NAMES = NUMBERED.replace("self.number = made[0]", "self.number = ['', 'one', 'two', 'three', 'four', 'five'][made[0]]")


@pytest.mark.parametrize(("tests", "right"), [(IN_ORDER, NUMBERED), (NAMED, NAMES)])
def test_tests_that_rely_on_their_order_get_it(tests: str, right: str, grading: Grading) -> None:
    """Where a twin before a test would make a right answer fail, twins are by themselves."""
    case = make_case({"m.py": EMPTY}, tests, {"m.py": right}, fail=("test_one", "test_two"), tier="split")
    plan = grading.plan(case)
    assert plan.mixed is None
    assert plan.apart
    verdict = grading.grade(case, whole_files({"m.py": right}))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict.detail
    lied = grading.grade(case, whole_files({"m.py": KNOWS}))
    assert isinstance(lied, Verdict)
    assert not lied.passed
