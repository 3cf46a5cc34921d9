"""The checks of a test file, and what in each could be otherwise so that no right answer meets it.

A check is a statement that can fail: an assertion, a call of ``assertEqual`` or of a mock's ``assert_called_with``, a
``with pytest.raises``. Expected values are changed where there are any, the deepest first; only where there are none is
the sense of the check turned about. Every change makes what was true false, whatever the right answer is made of.
"""

from __future__ import annotations

import ast
import builtins
import functools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from passband.grade.inside.origins import Function, Origins, called, outermost
from passband.grade.inside.other import Others, leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["Check", "checks_of", "fixtures_of", "units_of"]


@dataclass
class Check:
    """One check."""

    unit: str
    """The function or method it stands in: ``function`` or ``Class::method``."""
    node: ast.stmt
    values: list[ast.expr] = field(default_factory=list)
    """Literals; each can be changed by itself."""
    turn: Callable[[bool], None] | None = None
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


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_PAIRS = (
    ("assertTrue", "assertFalse"),
    ("assertIs", "assertIsNot"),
    ("assertIsNone", "assertIsNotNone"),
    ("assertIsInstance", "assertNotIsInstance"),
    ("assertLess", "assertGreaterEqual"),
    ("assertGreater", "assertLessEqual"),
    ("assertRegex", "assertNotRegex"),
    ("assertAlmostEqual", "assertNotAlmostEqual"),
    ("assertNotEqual", "assertEqual"),
    ("assertNotIn", "assertIn"),
    ("assert_called", "assert_not_called"),
    ("assert_awaited", "assert_not_awaited"),
)
_TURNED = {**dict(_PAIRS), **{b: a for a, b in _PAIRS if b not in {"assertEqual", "assertIn"}}}
_TURNED |= {"assert_called_once": "assert_not_called", "assert_awaited_once": "assert_not_awaited"}
_EQUAL = frozenset(
    [
        "assertEqual",
        "assertEquals",
        "assertListEqual",
        "assertTupleEqual",
        "assertDictEqual",
        "assertSetEqual",
        "assertSequenceEqual",
        "assertMultiLineEqual",
        "assertCountEqual",
        "assertAlmostEqual",
        "assert_allclose",
        "assert_array_equal",
        "assert_equal",
        "assert_almost_equal",
        "assert_array_almost_equal",
    ]
)
_CALLED = frozenset(
    [
        "assert_called_with",
        "assert_called_once_with",
        "assert_any_call",
        "assert_has_calls",
        "assert_awaited_with",
        "assert_awaited_once_with",
        "assert_any_await",
        "assert_has_awaits",
    ]
)
_RAISES = frozenset({"raises", "warns", "assertRaises", "assertWarns", "assertRaisesRegex", "assertWarnsRegex"})
# What makes a value of others and asks no candidate: and by custom a name with a capital makes an object.
_MAKERS = frozenset(
    [
        "approx",
        "set",
        "frozenset",
        "list",
        "tuple",
        "dict",
        "sorted",
        "float",
        "int",
        "str",
        "bytes",
        "bytearray",
        "complex",
        "round",
        "date",
        "datetime",
        "timedelta",
        "array",
        "arange",
        "asarray",
        "escape",
        "call",
        "dedent",
        "encode",
        "strip",
        "join",
        "format",
        "deque",
    ]
)
_ASKED = frozenset({"startswith", "endswith", "issubset", "issuperset", "isclose", "allclose", "array_equal"})
_NARROW = 1e-2
_ERRORS = (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, AttributeError, RuntimeError, OSError)
_RARE_ERRORS = (ZeroDivisionError, IndexError, AttributeError)
_WARNINGS = (UserWarning, DeprecationWarning, FutureWarning, RuntimeWarning, SyntaxWarning, ResourceWarning)


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


def checks_of(tree: ast.Module, others: Others, fixtures: Sequence[Function] = ()) -> list[Check]:
    """Find the checks of a file, in order.

    Parameters
    ----------
    tree : ast.Module
        The file; the checks are parts of it.
    others : Others
        Decides which of several literals it is.
    fixtures : sequence of function
        What tests may get values from; see :func:`fixtures_of`.
    """
    names = {id(function): name for name, function in units_of(tree)}
    found = [(function, *place) for function in outermost(tree) for place in _statements(function)]
    expected = [side for _function, node, _maybe, _unordered in found for side in _sides(node)]
    origins = Origins(tree, expected, fixtures)
    checks = []
    for function, node, maybe, unordered in found:
        check = Check(names.get(id(function), function.name), node, maybe=maybe, unordered=unordered)
        _Finder(origins, others, function).fill(check)
        checks.append(check)
    return checks


def _statements(
    node: ast.AST, *, maybe: bool = False, unordered: bool = False
) -> Iterator[tuple[ast.stmt, bool, bool]]:
    """Yield the checks below a node, and whether they may be passed by, or come in another order."""
    if isinstance(node, ast.If | ast.While | ast.ExceptHandler | ast.match_case):
        maybe = True
    if isinstance(node, ast.While) or (isinstance(node, ast.For | ast.AsyncFor) and not _known_order(node.iter)):
        unordered = True
    for child in ast.iter_child_nodes(node):
        if (
            isinstance(child, ast.Assert)
            or (isinstance(child, ast.Expr) and _asserting(child.value))
            or (isinstance(child, ast.With | ast.AsyncWith) and _raising(child) is not None)
        ):
            yield child, maybe, unordered
        yield from _statements(child, maybe=maybe, unordered=unordered)


def _known_order(node: ast.expr) -> bool:
    """Whether what is looped over can only be the test's own."""
    calls = [called(inner) for inner in ast.walk(node) if isinstance(inner, ast.Call)]
    return all(name in {"enumerate", "items", "range", "zip"} for name in calls) and not isinstance(node, ast.Attribute)


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
                check.turn = functools.partial(_turn_assert, node, node.test)
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
            if isinstance(inner, ast.Name | ast.Subscript):
                cells = self._origins.cells(inner, self._function)
                found = [x for cell in cells if _quiet(cell) and (x := leaf(cell, self._others.rng)) is not None]
                if found:
                    return found
        return []

    def _first(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        return next((found for node in nodes if (found := self._values(node))), [])

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
                check.turn = functools.partial(_rename, call, "assertAlmostEqual", "assertNotAlmostEqual")
            elif not check.values and name in {"assertEqual", "assertEquals"}:
                check.turn = functools.partial(_ask_call, call, left, right, ("@same", "@differs"))
        elif name == "assertIn" and len(call.args) >= 2:
            check.turn = functools.partial(_ask_call, call, call.args[0], call.args[1], ("@holds", "@lacks"))
        elif name in _CALLED:
            check.values = self._first([*call.args, *(k.value for k in call.keywords)])
            if not check.values and not any(isinstance(a, ast.Starred) for a in call.args):
                check.turn = functools.partial(_one_more, call, list(call.args))
        elif name in _RAISES:
            self._of_raises(check, call, None)
        elif name == "assertTrue" and call.args and (found := self._of_test(call.args[0])):
            check.values = found
        elif name in _TURNED and isinstance(call.func, ast.Attribute):
            check.turn = functools.partial(_rename, call, name, _TURNED[name])

    def _of_raises(self, check: Check, call: ast.Call, node: ast.With | ast.AsyncWith | None) -> None:
        """A pattern of the message if there is one, or else the class."""
        if (
            node is not None
            and any(item.optional_vars is not None for item in node.items)
            and _read_later(self._function, node)
        ):
            return  # what is read of it afterwards is not there where another class is expected
        patterns = [k.value for k in call.keywords if k.arg == "match"]
        if called(call).endswith("Regex") and len(call.args) >= 2:
            patterns.append(call.args[1])
        for pattern in patterns:
            if isinstance(pattern, ast.Constant) and type(pattern.value) is str and self._others.pattern(pattern.value):
                check.values, check.pattern = [pattern], True
                return
        if call.args and (other := self._other_error(call.args[0])):
            check.turn = functools.partial(_expect, call, call.args[0], other)

    def _other_error(self, node: ast.expr) -> str:
        names = [ast.unparse(n) for n in (node.elts if isinstance(node, ast.Tuple) else [node])]
        known = [getattr(builtins, name, None) for name in names]
        pool: tuple[type, ...] = _ERRORS if all(known) else _RARE_ERRORS
        if any("Warning" in name for name in names):
            pool = _WARNINGS
        kinds = [kind for kind in known if isinstance(kind, type)]
        free = [e for e in pool if not any(issubclass(e, k) or issubclass(k, e) for k in kinds)]
        return self._others.rng.choice(free).__name__ if free else ""


def _read_later(function: Function, node: ast.With | ast.AsyncWith) -> bool:
    names = {n.id for i in node.items if i.optional_vars for n in ast.walk(i.optional_vars) if isinstance(n, ast.Name)}
    return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in names for n in ast.walk(function))


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


def _turn_assert(node: ast.Assert, test: ast.expr, turned: bool) -> None:  # noqa: FBT001 - called by one name
    """Write a condition in the form in which it can stand either way."""
    made: ast.expr
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, left, right = test.ops[0], test.left, test.comparators[0]
        if isinstance(operator, ast.Eq | ast.In):
            helpers = ("@same", "@differs") if isinstance(operator, ast.Eq) else ("@holds", "@lacks")
            made = ast.Call(ast.Name(helpers[turned], ast.Load()), [left, right], [])
        else:
            made = ast.Compare(left, [_OPPOSITE[type(operator)]() if turned else operator], [right])
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        made = test.operand if turned else test
    else:
        made = ast.UnaryOp(ast.Not(), test) if turned else test
    node.test = ast.copy_location(made, test)


def _ask_call(call: ast.Call, left: ast.expr, right: ast.expr, helpers: tuple[str, str], turned: bool) -> None:  # noqa: FBT001
    assert isinstance(call.func, ast.Attribute)
    call.func.attr = "assertTrue"
    call.args = [ast.copy_location(ast.Call(ast.Name(helpers[turned], ast.Load()), [left, right], []), call)]
    call.keywords = []


def _rename(call: ast.Call, name: str, opposite: str, turned: bool) -> None:  # noqa: FBT001
    assert isinstance(call.func, ast.Attribute)
    call.func.attr = opposite if turned else name


def _one_more(call: ast.Call, args: list[ast.expr], turned: bool) -> None:  # noqa: FBT001
    call.args = [*args, *([ast.copy_location(ast.Constant(1), call)] if turned else [])]


def _expect(call: ast.Call, kind: ast.expr, other: str, turned: bool) -> None:  # noqa: FBT001
    call.args[0] = ast.copy_location(ast.Name(other, ast.Load()), kind) if turned else kind
