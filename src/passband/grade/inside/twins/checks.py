"""The checks of a test file, and what in each could be otherwise so that no right answer meets it.

A check is a statement that can fail: an assertion, a call of ``assertEqual`` or of a mock's ``assert_called_with``, a
``with pytest.raises``.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from passband.grade.inside.twins.assertions import CALLED, EQUAL, Check, asserting, names_of, quiet, raising, reads
from passband.grade.inside.twins.changes import Changes
from passband.grade.inside.twins.origins import Origins
from passband.grade.inside.twins.scopes import Function, called, outermost

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from passband.grade.inside.twins.other import Others

__all__ = ["checks_of", "fixtures_of", "units_of"]

_WALKS = frozenset({"enumerate", "items", "range", "zip"})


def units_of(tree: ast.Module) -> Iterator[tuple[str, Function]]:
    """Yield the functions, and the methods of classes, of a test file."""
    for node in tree.body:
        if isinstance(node, Function):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, Function):
                    yield f"{node.name}::{member.name}", member


def fixtures_of(trees: Mapping[str, ast.Module]) -> list[Function]:
    """Return the functions of hidden files that may be fixtures."""
    return [node for tree in trees.values() for node in outermost(tree) if node.decorator_list]


def checks_of(
    tree: ast.Module, others: Others, fixtures: Sequence[Function] = (), shared: Collection[str] = ()
) -> list[Check]:
    """Find the checks of a file, in order.

    Parameters
    ----------
    tree : ast.Module
        The file; the checks are parts of it.
    others : Others
        Decides which of several literals it is.
    fixtures : sequence of function
        What tests may get values from; see :func:`fixtures_of`.
    shared : collection of str
        Names that other hidden files use.
    """
    names = {id(function): name for name, function in units_of(tree)}
    tables = _tables(tree)
    found = [
        # How often a helper is called may depend on what the candidate returned.
        (function, *place)
        for function in outermost(tree)
        for place in _statements(function, tables, unordered=not function.name.startswith("test"))
    ]
    expected = [side for _function, node, _maybe, _unordered in found for side in _sides(node)]
    origins = Origins(tree, expected, fixtures, shared)
    checks = []
    for function, node, maybe, unordered in found:
        if isinstance(node, ast.With | ast.AsyncWith) and _read_by(
            node, [other for where, other, *_rest in found if where is function and other is not node]
        ):
            continue
        check = Check(names.get(id(function), function.name), node, maybe=maybe, unordered=unordered)
        Changes(origins, others, function).fill(check)
        checks.append(check)
    return checks


def _statements(
    node: ast.AST, tables: Collection[str], *, maybe: bool = False, unordered: bool = False
) -> Iterator[tuple[ast.stmt, bool, bool]]:
    """Yield the checks below a node, and whether they may be passed by, or come in another order or number."""
    if isinstance(node, ast.If | ast.While | ast.ExceptHandler | ast.match_case):
        maybe = True
    if isinstance(node, ast.While) or (isinstance(node, ast.For | ast.AsyncFor) and not _is_own(node.iter, tables)):
        unordered = True
    for child in ast.iter_child_nodes(node):
        if (
            isinstance(child, ast.Assert)
            or (isinstance(child, ast.Expr) and asserting(child.value))
            or (isinstance(child, ast.With | ast.AsyncWith) and raising(child) is not None)
        ):
            yield child, maybe, unordered
        yield from _statements(child, tables, maybe=maybe, unordered=unordered)


def _tables(tree: ast.Module) -> set[str]:
    """Return the names that only ever stand for a table that is written out."""
    found: dict[str, bool] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            written = isinstance(node.value, ast.List | ast.Tuple | ast.Set | ast.Dict)
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = written and found.get(target.id, True)
    return {name for name, written in found.items() if written}


def _is_own(node: ast.expr, tables: Collection[str]) -> bool:
    """Whether what is looped over can only be the test's own."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and called(inner) not in _WALKS:
            return False
        if isinstance(inner, ast.Name) and inner.id not in tables and inner.id not in _WALKS:
            return False
    return True


def _sides(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the parts of a check that ask no candidate anything, so that they can only be expectations."""
    if isinstance(node, ast.Assert):
        for inner in ast.walk(node.test):
            if isinstance(inner, ast.Compare) and all(isinstance(op, ast.Eq) for op in inner.ops):
                yield from (side for side in (inner.left, *inner.comparators) if quiet(side))
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                yield from (side for side in (inner.left, inner.right) if quiet(side))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) in EQUAL | CALLED:
        given = (*node.value.args, *(k.value for k in node.value.keywords))
        yield from (side for side in given if quiet(side))


def _read_by(node: ast.With | ast.AsyncWith, checks: Sequence[ast.stmt]) -> bool:
    """Whether other checks ask about what was raised: theirs are the coins, and this one is left as it is."""
    inside = {id(inner) for inner in ast.walk(node)}
    return reads([check for check in checks if id(check) not in inside], names_of(node))
