"""Must-fail twins: copies of hidden tests in which checks were changed so that no right answer meets them.

A candidate that shares its process with the tests can report whatever it likes, and an object can claim to be equal to
anything. Both are found out by checks that cannot hold: ``== 17`` that became ``== 18``.

In tier 1, where nothing of the candidate reaches the tests, a twin is a copy of a test in which one check is changed
and which must fail (:func:`altered`). In tier 2 each check of each test has a coin of its own, tossed outside
(:func:`mixed`): some are as they were written, some cannot hold, each notes how it went, and what must be noted is
known from the reference. Nothing here guesses whether a changed check fails; the reference is run on every copy.
"""

from __future__ import annotations

import ast
import copy
import random
from typing import TYPE_CHECKING, NamedTuple

from passband.grade.inside.twins.apart import taken_apart
from passband.grade.inside.twins.checks import checks_of, fixtures_of, units_of
from passband.grade.inside.twins.other import Others
from passband.grade.inside.twins.scopes import Function, called, shared_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from passband.grade.inside.twins.assertions import Check

__all__ = ["MAX_SITES", "Unit", "altered", "mixed", "silence", "units"]

MAX_SITES = 3
"""Checks of one unit that have a twin of their own in tier 1; evenly chosen where there are more."""


_HALF = 0.5
_FILE = 10_000


class Unit(NamedTuple):
    """A function or method of a test file."""

    name: str
    """``function`` or ``Class::method``."""
    is_test: bool
    """Whether pytest would collect it; a helper's sites serve the tests that have none of their own."""
    sites: int


def _sites(tree: ast.Module, others: Others) -> dict[str, list[Check]]:
    """Return the checks of each unit that can be changed, a handful of each."""
    found: dict[str, list[Check]] = {name: [] for name, _node in units_of(tree)}
    for check in checks_of(tree, others):
        if check.unit in found and (check.values or check.turn is not None):
            found[check.unit].append(check)
    return {
        name: [c[i * len(c) // MAX_SITES] for i in range(MAX_SITES)] if len(c) > MAX_SITES else c
        for name, c in found.items()
    }


def _fixed() -> Others:
    return Others(random.Random(0))  # noqa: S311 - in tier 1 there is nobody to guess it


def units(tree: ast.Module) -> list[Unit]:
    """List the units of a test file."""
    found = _sites(taken_apart(tree), _fixed())
    return [Unit(name, name.rpartition("::")[2].startswith("test"), len(checks)) for name, checks in found.items()]


def altered(tree: ast.Module, choice: Mapping[str, int]) -> ast.Module:
    """Return a copy of a test file in which some units are twins.

    Parameters
    ----------
    tree : ast.Module
        The file.
    choice : mapping
        Unit → number of the site to change.

    Returns
    -------
    ast.Module
    """
    tree = taken_apart(tree)
    others = _fixed()
    found = _sites(tree, others)
    changed: set[int] = set()
    for name, number in choice.items():
        check = found[name][number]
        for value in check.values:
            if id(value) not in changed:  # of a table that two tests read
                changed.add(id(value))
                check.change(others, value)
        if not check.values and check.turn is not None:
            check.turn(turned=True)
    return tree


def mixed(
    trees: Mapping[str, ast.Module], seed: int, *, turned: bool, still: Collection[tuple[str, str]] = ()
) -> tuple[dict[str, ast.Module], dict[int, tuple[bool, bool]]]:
    """Return copies of hidden files in which every check has tossed a coin.

    Parameters
    ----------
    trees : mapping
        Path → file.
    seed : int
        Decides coins and values.
    turned : bool
        Whether every coin shows its other side: what is changed in one of two copies is not in the other.
    still : collection of (path, unit)
        Units whose checks are left as they are.

    Returns
    -------
    dict
        Path → file. Check n of the k-th file has the number 10,000 k + n.
    dict
        Number of a check → whether it may be passed by, and whether how often it holds is all that can be known, for
        the checks of which one of them is so.
    """
    rng = random.Random(seed)  # noqa: S311 - the seed is what is secret
    others = Others(rng)
    copies = {path: taken_apart(trees[path]) for path in sorted(trees)}
    fixtures = fixtures_of(copies)
    shared = {path: shared_names(t for other, t in copies.items() if other != path) for path in copies}
    found = {path: checks_of(tree, others, fixtures, shared[path]) for path, tree in copies.items()}
    coins: set[int] = set()
    for at, (path, checks) in enumerate(found.items()):
        for number, check in enumerate(checks):
            moves = (path, check.unit) not in still
            # Every coin is tossed and every value drawn, used or not: both copies come of the same draws.
            for value in check.values:
                if id(value) not in coins:
                    coins.add(id(value))
                    other = copy.copy(value)
                    check.change(others, other)
                    if (rng.random() < _HALF) != turned and moves:
                        vars(value).update(vars(other))
            if check.turn is not None:
                check.turn(turned=(rng.random() < _HALF) != turned and moves)
            check.number = at * _FILE + number
    for path, tree in copies.items():
        _Softening({id(check.node): check.number for check in found[path]}).visit(tree)
        silence(tree)
    leeway = {c.number: (c.maybe, c.unordered) for checks in found.values() for c in checks if c.maybe or c.unordered}
    return copies, leeway


class _Softening(ast.NodeTransformer):
    """Puts each check into a context that notes how it went."""

    def __init__(self, numbers: Mapping[int, int]) -> None:
        self._numbers = numbers

    def visit(self, node: ast.AST) -> ast.AST:
        """Wrap a statement if it is a check; its parts may hold others."""
        number = self._numbers.get(id(node))
        node = self.generic_visit(node)
        if number is None or not isinstance(node, ast.stmt):
            return node
        noting = ast.Call(ast.Name("@check", ast.Load()), [ast.Constant(number)], [])
        made = ast.With([ast.withitem(noting)], [node])
        made.lineno = node.lineno
        return made


def silence(tree: ast.Module) -> None:
    """Take out of a file what would say what was written in it: texts about checks, and where in a line things stood.

    A docstring, a message, the name of a row may repeat the expectation, and the width of a place tells ``9`` from
    ``10``. Lines stay what they are: tests run in their order.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Function) and ast.get_docstring(node, clean=False) is not None:
            node.body[0] = ast.copy_location(ast.Expr(ast.Constant("")), node.body[0])
        elif isinstance(node, ast.Assert):
            node.msg = None
        elif isinstance(node, ast.Call):
            said = {"msg", "err_msg"} if called(node).startswith("assert") else set()
            said |= {"ids"} if called(node) == "parametrize" else {"id"} if called(node) == "param" else set()
            node.keywords = [k for k in node.keywords if k.arg not in said]
    ast.fix_missing_locations(tree)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            vars(node).update(end_lineno=node.lineno, col_offset=0, end_col_offset=0)
