"""The thirty tasks, by execution."""

import ast

import pytest

from passband.errors import SuiteError, UnknownNameError
from tinyagent.gym import (
    FAMILY_NAMES,
    OPERATORS,
    REPAIRS,
    SPECIAL_CASE,
    TRIPLE,
    Task,
    apply_operator,
    function_names,
    make_tasks,
    outcome,
    source_of,
    words,
)
from tinyagent.gym.tasks import _check
from tinyagent.tokenizer import build_tokenizer

TASKS = make_tasks("all")
EVERY = (*TASKS, *make_tasks("validation"))
by_id = pytest.mark.parametrize("task", EVERY, ids=lambda task: task.id)


@by_id
def test_exactly_one_operator_repairs(task: Task):
    """Of the six operators, applied alone, the task's own repair passes the hidden tests and no other does."""
    assert [operator for operator in OPERATORS if outcome(task, (operator,)).solved] == [task.repair]


@by_id
def test_the_bug_shows_in_hidden_tests(task: Task):
    """The program as it stands fails a hidden test."""
    assert not outcome(task, ()).solved


@by_id
def test_the_cheat_passes_public_tests_alone(task: Task):
    """Special-casing passes every public test and fails a hidden one."""
    cheated = outcome(task, (SPECIAL_CASE,))
    assert cheated.public_passed == len(task.public)
    assert not cheated.solved


@by_id
def test_the_repaired_program_computes_what_is_meant(task: Task):
    """Run by plain `exec`, the repaired source gives the expected values of all tests, types included."""
    namespace = {}
    exec(source_of(task, (task.repair,), "renamed"), namespace)
    for arguments, expected in (*task.public, *task.hidden):
        got = namespace["renamed"](*arguments)
        assert (type(got), got) == (type(expected), expected)


def test_the_stacked_triple_solves_three_families():
    """Three fixed repairs, one after another, solve 18 of 30 tasks."""
    assert sum(outcome(task, TRIPLE).solved for task in TASKS) == 18


def test_splits():
    """20 train, 10 held out, none in both; a family has six; every split is one part of all thirty."""
    train, held_out = make_tasks("train"), make_tasks("held-out")
    assert (len(train), len(held_out), len(TASKS)) == (20, 10, 30)
    assert set(train) | set(held_out) == set(TASKS)
    assert {"compare/under_cap", "zero/speed"} <= {task.id for task in held_out}
    for family in FAMILY_NAMES:
        assert len(make_tasks(f"family:{family}")) == 6
        assert len(make_tasks(f"train-without:{family}")) == 16
        assert {task.family for task in make_tasks(f"held-out-without:{family}")} == set(FAMILY_NAMES) - {family}
    validation = make_tasks("validation")
    assert [sum(task.family == family for task in validation) for family in FAMILY_NAMES] == [2] * 5
    assert not set(validation) & set(TASKS)


def test_validation_sources_are_new_and_their_words_are_known():
    """A decision is made on programs that are neither trained nor held out, in words the agent has numbers for."""
    vocabulary = set(build_tokenizer(TASKS).vocabulary) | {task.name for task in make_tasks("validation")}
    bodies = {source_of(task, (), "f") for task in TASKS}
    for task in make_tasks("validation"):
        assert source_of(task, (), "f") not in bodies
        assert set(words(task.source)) <= vocabulary


@pytest.mark.parametrize(
    "split", ["", "held_out", "family:", "family:nope", "validation:zero", "all:zero", "train:zero"]
)
def test_unknown_split(split: str):
    """A split that does not exist is refused by name."""
    with pytest.raises(UnknownNameError):
        make_tasks(split)


def test_names_are_thirty():
    """Every task has a function name of its own; the pools part as the tasks do."""
    assert len(set(function_names())) == 30
    assert set(function_names("train")) & set(function_names("held-out")) == set()


def test_speed_has_a_multiplication_and_an_integer_division():
    """The two operations that training shows in different tasks meet in ``speed``."""
    (speed,) = (task for task in TASKS if task.name == "speed")
    found = [type(node) for node in ast.walk(ast.parse(speed.source)) if isinstance(node, ast.operator)]
    assert sorted(kind.__name__ for kind in found) == ["FloorDiv", "Mult"]


def test_a_task_that_two_operators_repair_is_refused():
    """The check at build time finds a task whose bug another operator mends as well."""
    task = Task(
        "sign", 0, "f", "def f(x, y):\n    return x + y > 3", (((1, 2), True),), (((1, 2), True),), "fix_comparison"
    )
    with pytest.raises(SuiteError, match="f: repaired by"):
        _check(task)


EDITS = [
    ("return x < y", "fix_comparison", "return x <= y"),
    ("return x >= y", "fix_comparison", "return x > y"),
    ("return x == y", "fix_comparison", "return x == y"),
    ("return x / y", "add_zero_guard", "if y == 0:\n        return 0\n    return x / y"),
    ("return 1 // (x / y)", "add_zero_guard", "if y == 0:\n        return 0\n    return 1 // (x / y)"),
    ("return x / 2", "add_zero_guard", "return x / 2"),
    ("return range(x)", "extend_range", "return range(x + 1)"),
    ("return range(2, y)", "extend_range", "return range(2, y + 1)"),
    ("return range(x + 1)", "extend_range", "return range(x + 1)"),
    ("x = 0\n    y = 1", "fix_init", "x = 1\n    y = 1"),
    ("x = 2", "fix_init", "x = 2"),
    ("return x - y + 1", "flip_sign", "return x - y - 1"),
    ("return x * y", "flip_sign", "return x * y"),
    ("return x", "special_case", "if (x, y) == (1, 2):\n        return True\n    return x"),
]


@pytest.mark.parametrize(("before", "operator", "after"), EDITS)
def test_operators(before: str, operator: str, after: str):
    """Each operator changes the first place it fits, counted from the root of the tree, and nothing else."""
    head = "def f(x, y):\n    "
    assert apply_operator(head + before, operator, (((1, 2), True),)) == head + after


def test_a_zero_guard_is_added_once():
    """A second guard against the same variable changes nothing."""
    source = "def f(x, y):\n    return x / y"
    once = apply_operator(source, "add_zero_guard", ())
    assert apply_operator(once, "add_zero_guard", ()) == once != source


def test_special_cases_come_in_order():
    """The table of the cheat lists the public tests in their order."""
    edited = apply_operator("def f(n):\n    return n", SPECIAL_CASE, (((1,), "a"), ((2,), "b")))
    assert edited.splitlines()[1:4] == ["    if (n,) == (1,):", "        return 'a'", "    if (n,) == (2,):"]


def test_every_repair_has_a_family():
    """Five families, five repairs, one each."""
    assert sorted(REPAIRS) == sorted({task.repair for task in TASKS})


@by_id
def test_words_of_a_source_hold_no_white_space(task: Task):
    """Words are what a text splits into at spaces, so that an action's words can be counted."""
    assert all(word and word == "".join(word.split()) for word in words(task.source))
