"""The checks of a test file, and what in each could be otherwise so that no right answer meets it.

A check is a statement that can fail: an assertion, a call of ``assertEqual`` or of a mock's ``assert_called_with``, a
``with pytest.raises``. Expected values are changed where there are any, the deepest first; only where there are none is
the sense of the check turned about. Every change makes what was true false, whatever the right answer is made of.
"""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from passband.grade.inside.origins import Origins
from passband.grade.inside.other import Others, leaf
from passband.grade.inside.scopes import Function, called, outermost
from passband.grade.inside.turns import (
    TURNED,
    ask_instead,
    call_with_more,
    expect_another,
    other_error,
    rename,
    turn_assert,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

__all__ = ["Check", "checks_of", "fixtures_of", "units_of"]


class Turn(Protocol):
    """Writes a check as it is, or turned about."""

    def __call__(self, *, turned: bool) -> None:
        """Write it."""


@dataclass
class Check:
    """One check."""

    unit: str
    """The function or method it stands in: ``function`` or ``Class::method``."""
    node: ast.stmt
    values: list[ast.expr] = field(default_factory=list)
    """Literals; each can be changed by itself."""
    turn: Turn | None = None
    """Where there are none: writes the check as it is (False) or turned about (True)."""
    pattern: bool = False
    """Whether the values are regular expressions."""
    maybe: bool = False
    """Whether a test may go by without it, for another right answer."""
    unordered: bool = False
    """Whether it is in a loop whose order may be another for another right answer."""
    number: int = -1

    def change(self, others: Others, value: ast.expr) -> None:
        """Change one of its values."""
        if self.pattern and isinstance(value, ast.Constant) and isinstance(value.value, str):
            value.value = others.pattern(value.value)
        else:
            others.change(value)


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_EQUAL = _words(
    "assertEqual assertEquals assertListEqual assertTupleEqual assertDictEqual assertSetEqual assertSequenceEqual",
    "assertMultiLineEqual assertCountEqual assertAlmostEqual assert_allclose assert_array_equal assert_equal",
    "assert_almost_equal assert_array_almost_equal",
)
_CALLED = _words(
    "assert_called_with assert_called_once_with assert_any_call assert_has_calls assert_awaited_with",
    "assert_awaited_once_with assert_any_await assert_has_awaits",
)
_RAISES = frozenset({"raises", "warns", "assertRaises", "assertWarns", "assertRaisesRegex", "assertWarnsRegex"})
# What makes a value of others and asks no candidate: and by custom a name with a capital makes an object.
_MAKERS = _words(
    "approx set frozenset list tuple dict sorted float int str bytes bytearray complex round date datetime",
    "timedelta array arange asarray escape call dedent encode strip join format deque",
)
_ASKED = frozenset({"startswith", "endswith", "issubset", "issuperset", "isclose", "allclose", "array_equal"})
_WALKS = frozenset({"enumerate", "items", "range", "zip"})
_NARROW = 1e-2


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
        _Finder(origins, others, function).fill(check)
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
            or (isinstance(child, ast.Expr) and _asserting(child.value))
            or (isinstance(child, ast.With | ast.AsyncWith) and _raising(child) is not None)
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


def _asserting(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and called(node).startswith("assert")


def _raising(node: ast.With | ast.AsyncWith) -> ast.Call | None:
    for item in node.items:
        if isinstance(item.context_expr, ast.Call) and called(item.context_expr) in _RAISES:
            return item.context_expr
    return None


def _sides(node: ast.stmt) -> Iterator[ast.expr]:
    """Yield the parts of a check that ask no candidate anything, so that they can only be expectations."""
    if isinstance(node, ast.Assert):
        for inner in ast.walk(node.test):
            if isinstance(inner, ast.Compare) and all(isinstance(op, ast.Eq) for op in inner.ops):
                yield from (side for side in (inner.left, *inner.comparators) if _quiet(side))
            elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                yield from (side for side in (inner.left, inner.right) if _quiet(side))
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and called(node.value) in _EQUAL | _CALLED:
        given = (*node.value.args, *(k.value for k in node.value.keywords))
        yield from (side for side in given if _quiet(side))


def _quiet(node: ast.expr) -> bool:
    """Whether an expression calls nothing but what makes values."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Await | ast.Yield | ast.NamedExpr):
            return False
        if isinstance(inner, ast.Call):
            name = called(inner)
            if name not in _MAKERS and not name[:1].isupper():
                return False
    return True


class _Finder:
    def __init__(self, origins: Origins, others: Others, function: Function) -> None:
        self._origins, self._others, self._function = origins, others, function

    def fill(self, check: Check) -> None:
        """Find out what could be otherwise in a check."""
        node = check.node
        if isinstance(node, ast.Assert):
            check.values = self._of_test(node.test)
            if not check.values:
                check.turn = functools.partial(turn_assert, node, node.test)
        elif isinstance(node, ast.With | ast.AsyncWith):
            call = _raising(node)
            assert call is not None
            self._of_raises(check, call, node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self._of_call(check, node.value)

    def _values(self, node: ast.expr) -> list[ast.expr]:
        """Return what could be changed in an expectation: a literal of its own, or else the cells it comes from."""
        if not _quiet(node) or any(isinstance(n, ast.Call) and _wide(n) for n in ast.walk(node)):
            return []
        own = leaf(node, self._others.rng)
        if own is not None:
            return [own]
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name | ast.Subscript | ast.Attribute):
                cells = self._origins.cells(inner, self._function)
                found = [x for cell in cells if _quiet(cell) and (x := leaf(cell, self._others.rng)) is not None]
                if found:
                    return found
        return []

    def _first(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        found = next((found for node in nodes if (found := self._values(node))), [])
        asked = not all(map(_quiet, nodes))
        for node in () if found else nodes:
            token = self._origins.token(node, self._function, self._others.token(odd=False), asked=asked)
            if token is not None:
                return [token]
        return found

    def _of_test(self, test: ast.expr) -> list[ast.expr]:
        """Return the values of a condition that cannot hold any more when one of them is another."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return next((found for part in test.values if (found := self._of_test(part))), [])
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            right = test.comparators[0]
            if isinstance(test.ops[0], ast.Eq):
                near_zero = isinstance(right, ast.Constant) and right.value in (0, 0.0)
                return (self._difference(test.left) if near_zero else []) or self._first((right, test.left))
            if isinstance(test.ops[0], ast.Lt | ast.LtE) and isinstance(right, ast.Constant):
                return self._difference(test.left) if _is_narrow(right.value) else []
        if isinstance(test, ast.Call):
            if called(test) in _ASKED:
                return self._first([*reversed(test.args)]) if not _wide(test) else []
            for inner in ast.walk(test):
                if isinstance(inner, ast.Compare) and len(inner.ops) == 1 and isinstance(inner.ops[0], ast.Eq):
                    return self._first((inner.comparators[0], inner.left))
        return []

    def _difference(self, node: ast.expr) -> list[ast.expr]:
        """Return the values of what is subtracted: an object's own ``-`` may give 0 whatever it is asked for."""
        for inner in ast.walk(node):
            if isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Sub):
                return self._first((inner.right, inner.left))
        return []

    def _of_call(self, check: Check, call: ast.Call) -> None:
        name = called(call)
        if name in _EQUAL and len(call.args) >= 2:
            left, right = call.args[:2]
            check.values = [] if _wide(call) else self._first((right, left))
            if not check.values and name.endswith("AlmostEqual"):
                check.turn = functools.partial(rename, call, "assertAlmostEqual", "assertNotAlmostEqual")
            elif not check.values and name in {"assertEqual", "assertEquals"}:
                check.turn = functools.partial(ask_instead, call, left, right, ("@same", "@differs"))
        elif name == "assertIn" and len(call.args) >= 2:
            check.turn = functools.partial(ask_instead, call, call.args[0], call.args[1], ("@holds", "@lacks"))
        elif name in _CALLED:
            check.values = self._first([*call.args, *(k.value for k in call.keywords)])
            if not check.values and not any(isinstance(a, ast.Starred) for a in call.args):
                check.turn = functools.partial(call_with_more, call, list(call.args))
        elif name in _RAISES:
            self._of_raises(check, call, None)
        elif name == "assertTrue" and call.args and (found := self._of_test(call.args[0])):
            check.values = found
        elif name in TURNED and isinstance(call.func, ast.Attribute):
            check.turn = functools.partial(rename, call, name, TURNED[name])

    def _of_raises(self, check: Check, call: ast.Call, node: ast.With | ast.AsyncWith | None) -> None:
        """A pattern of the message if there is one, or else the class."""
        if node is not None and _reads([self._function], _names_of(node)):
            return  # what is read of it afterwards is not there where another class is expected
        patterns = [k.value for k in call.keywords if k.arg == "match"]
        if called(call).endswith("Regex") and len(call.args) >= 2:
            patterns.append(call.args[1])
        for pattern in patterns:
            if isinstance(pattern, ast.Constant) and type(pattern.value) is str and self._others.pattern(pattern.value):
                check.values, check.pattern = [pattern], True
                return
        if call.args and (other := other_error(call.args[0], self._others.rng)):
            check.turn = functools.partial(expect_another, call, call.args[0], other)


def _names_of(node: ast.With | ast.AsyncWith) -> set[str]:
    held = [item.optional_vars for item in node.items if item.optional_vars is not None]
    return {inner.id for top in held for inner in ast.walk(top) if isinstance(inner, ast.Name)}


def _reads(nodes: Iterable[ast.AST], names: set[str]) -> bool:
    return any(
        isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id in names
        for node in nodes
        for inner in ast.walk(node)
    )


def _read_by(node: ast.With | ast.AsyncWith, checks: Sequence[ast.stmt]) -> bool:
    """Whether other checks ask about what was raised: theirs are the coins, and this one is left as it is."""
    inside = {id(inner) for inner in ast.walk(node)}
    return _reads([check for check in checks if id(check) not in inside], _names_of(node))


def _is_narrow(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value <= _NARROW


def _wide(call: ast.Call) -> bool:
    """Whether a comparison is given a tolerance within which another value may lie as well."""
    for keyword in call.keywords:
        if keyword.arg in {"places", "decimal"}:
            return True
        if keyword.arg in {"abs", "abs_tol", "atol", "delta", "rel", "rel_tol", "rtol"}:
            return not (isinstance(keyword.value, ast.Constant) and _is_narrow(keyword.value.value))
    return called(call).endswith("AlmostEqual") and len(call.args) > 2
