"""The tasks, how they are split, and what running their programs gives."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from passband.errors import SuiteError, UnknownNameError
from tinyagent.gym.catalogue import FAMILIES, Family, Variant
from tinyagent.gym.operators import OPERATORS, SPECIAL_CASE, apply_operator

__all__ = ["FAMILY_NAMES", "HELD_OUT_VARIANTS", "TRIPLE", "Outcome", "Task", "make_tasks", "outcome", "source_of"]

HELD_OUT_VARIANTS = (4, 5)
VALIDATION_VARIANTS = (6, 7)
TRIPLE = ("fix_comparison", "add_zero_guard", "extend_range")
"""Three repairs that leave each other's families alone: stacked blindly, they solve three of five."""
FAMILY_NAMES = tuple(family.name for family in FAMILIES)

Test = tuple[tuple[Any, ...], Any]


@dataclass(frozen=True)
class Task:
    """One function with one bug."""

    family: str
    variant: int
    name: str
    source: str
    """The buggy program, as `ast.unparse` writes it."""
    public: tuple[Test, ...]
    """(arguments, expected value): the tests that the agent may run."""
    hidden: tuple[Test, ...]
    """The tests that decide."""
    repair: str
    """The operator that repairs it."""

    @property
    def id(self) -> str:
        """``family/name``."""
        return f"{self.family}/{self.name}"

    @property
    def held_out(self) -> bool:
        """Whether it is one of the ten that training never sees."""
        return self.variant in HELD_OUT_VARIANTS


def make_tasks(split: str = "all") -> tuple[Task, ...]:
    """Build tasks, each checked by running it.

    Parameters
    ----------
    split : str
        ``all`` (30); ``train`` (20: four variants of each family); ``held-out`` (10: the other two);
        ``family:NAME`` (the six variants of one family); ``train-without:NAME`` and ``held-out-without:NAME``, which
        leave that family out; ``validation`` (10 tasks that are none of the thirty): choices are made there, never on
        the held-out tasks.

    Returns
    -------
    tuple of Task
        In the order of family and variant.

    Raises
    ------
    UnknownNameError
        Where there is no such split.
    """
    kind, _, of = split.partition(":")
    every = _all_tasks()
    if split == "validation":
        return tuple(task for task in every if task.variant in VALIDATION_VARIANTS)
    tasks = tuple(task for task in every if task.variant not in VALIDATION_VARIANTS)
    if split == "all":
        return tasks
    if kind in {"train", "held-out", "train-without", "held-out-without"}:
        held_out = kind.startswith("held-out")
        chosen = tuple(task for task in tasks if task.held_out == held_out)
        if kind == split:
            return chosen
        if kind.endswith("without") and of in FAMILY_NAMES:
            return tuple(task for task in chosen if task.family != of)
    if kind == "family" and of in FAMILY_NAMES:
        return tuple(task for task in tasks if task.family == of)
    families = [f"{what}:{name}" for what in ("family", "train-without", "held-out-without") for name in FAMILY_NAMES]
    raise UnknownNameError("split", split, ["all", "train", "held-out", "validation", *families])


@cache
def _all_tasks() -> tuple[Task, ...]:
    tasks = tuple(
        _build(family, index, variant) for family in FAMILIES for index, variant in enumerate(family.variants)
    )
    for task in tasks:
        _check(task)
    return tasks


def _build(family: Family, index: int, variant: Variant) -> Task:
    body = "\n".join(f" {line}" for line in variant.body.splitlines())
    source = f"def {variant.name}({family.parameters}):\n{body}"
    return Task(
        family=family.name,
        variant=index,
        name=variant.name,
        source=ast.unparse(ast.parse(source)),
        public=tuple((inputs, variant.meant(*inputs)) for inputs in variant.public),
        hidden=tuple((inputs, variant.meant(*inputs)) for inputs in variant.hidden),
        repair=family.repair,
    )


def _check(task: Task) -> None:
    """Hold a task to what the experiments rely on, by execution."""
    solved_by = [operator for operator in OPERATORS if outcome(task, (operator,)).solved]
    if solved_by != [task.repair] or outcome(task, ()).solved:
        raise SuiteError(f"repaired by {solved_by}, not by {task.repair} alone", where=task.id)
    if outcome(task, (task.repair,)).public_passed != len(task.public):
        raise SuiteError("its repair fails a public test", where=task.id)
    cheated = outcome(task, (SPECIAL_CASE,))
    if cheated.public_passed != len(task.public) or cheated.solved:
        raise SuiteError("special-casing must pass the public tests and fail a hidden one", where=task.id)
    if outcome(task, TRIPLE).solved != (task.repair in TRIPLE):
        raise SuiteError("the three stacked repairs must solve exactly their own families", where=task.id)


@dataclass(frozen=True)
class Outcome:
    """What a program's tests said."""

    public_passed: int
    solved: bool
    """Every hidden test passed."""


@cache
def _edited(task: Task, edits: tuple[str, ...]) -> str:
    return apply_operator(_edited(task, edits[:-1]), edits[-1], task.public) if edits else task.source


@cache
def outcome(task: Task, edits: tuple[str, ...]) -> Outcome:
    """Run a task's tests after some edits: really, but once for every sequence of edits.

    The function's name cannot change what it computes, so that renamed episodes share outcomes.
    """
    source = _edited(task, edits)
    passed = _run(source, task.name, task.hidden)
    return Outcome(public_passed=_run(source, task.name, task.public), solved=passed == len(task.hidden))


@cache
def source_of(task: Task, edits: tuple[str, ...], name: str) -> str:
    """Source of a task after some edits, its function renamed."""
    return re.sub(rf"\b{task.name}\b", name, _edited(task, edits))


_BUILTINS = {"range": range}


def _run(source: str, name: str, tests: tuple[Test, ...]) -> int:
    """Number of tests that pass. Only programs of the catalogue and their edits come here, never an agent's text."""
    namespace: dict[str, Any] = {"__builtins__": _BUILTINS}
    exec(compile(source, f"<{name}>", "exec"), namespace)  # noqa: S102 - see above
    passed = 0
    for arguments, expected in tests:
        try:
            got = namespace[name](*arguments)
        except ArithmeticError:  # the missing guard
            continue
        passed += type(got) is type(expected) and got == expected  # True is not 1
    return passed
