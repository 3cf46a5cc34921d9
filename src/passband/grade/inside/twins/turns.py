"""Checks turned about: the other form of each, where there is no value to change."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from passband.grade.inside.twins.scopes import called

if TYPE_CHECKING:
    import random

__all__ = [
    "TURNED",
    "ask_instead",
    "call_with_more",
    "expect_another",
    "has_parts",
    "other_error",
    "rename",
    "turn_assert",
    "turn_truth",
]

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
TURNED = {**dict(_PAIRS), **{b: a for a, b in _PAIRS if b not in {"assertEqual", "assertIn"}}}
TURNED |= {"assert_called_once": "assert_not_called", "assert_awaited_once": "assert_not_awaited"}
"""Method → the one that holds where it does not."""

_ASKED: dict[type[ast.cmpop], tuple[str, str]] = {ast.Eq: ("@same", "@differs"), ast.In: ("@holds", "@lacks")}
# "not a != b" says that they are equal, by the other method.
_ASKED_DENIED: dict[type[ast.cmpop], tuple[str, str]] = {ast.NotEq: ("@alike", "@unlike"), ast.NotIn: _ASKED[ast.In]}

_ERRORS = (ValueError, TypeError, KeyError, IndexError, ZeroDivisionError, AttributeError, RuntimeError, OSError)
_RARE_ERRORS = (ZeroDivisionError, IndexError, AttributeError)
_WARNINGS = (UserWarning, DeprecationWarning, FutureWarning, RuntimeWarning, SyntaxWarning, ResourceWarning)


def other_error(node: ast.expr, rng: random.Random) -> str:
    """Draw an exception, or a warning, that those which are expected are no kinds of, nor it of them; or ``""``."""
    names = [ast.unparse(n) for n in (node.elts if isinstance(node, ast.Tuple) else [node])]
    known = [getattr(builtins, name, None) for name in names]
    pool: tuple[type, ...] = _ERRORS if all(known) else _RARE_ERRORS
    if any("Warning" in name for name in names):
        pool = _WARNINGS
    kinds = [kind for kind in known if isinstance(kind, type)]
    free = [e for e in pool if not any(issubclass(e, k) or issubclass(k, e) for k in kinds)]
    return rng.choice(free).__name__ if free else ""


def has_parts(test: ast.expr) -> bool:
    """Whether a condition is turned about in what it is made of, and not as a whole."""
    kinds = ast.Compare | ast.BoolOp | ast.IfExp | ast.UnaryOp
    return isinstance(test, kinds) or (isinstance(test, ast.Call) and called(test) in {"all", "any"})


def turn_assert(node: ast.Assert, test: ast.expr, *, turned: bool) -> None:
    """Write a condition in the form in which it can stand either way."""
    node.test = ast.copy_location(_turned(test) if turned else _upright(test), test)


def turn_truth(call: ast.Call, test: ast.expr, *, turned: bool) -> None:
    """Write the condition whose truth a call asserts in the form in which it can stand either way."""
    call.args[0] = ast.copy_location(_turned(test) if turned else _upright(test), test)


def _upright(test: ast.expr) -> ast.expr:
    """Write a condition as it is, by the helpers that its opposite has to use."""
    helper = _helper(test, turned=False)
    return test if helper is None else helper


def _turned(test: ast.expr) -> ast.expr:
    """Write the opposite of a condition so that what says yes to whatever it is asked meets that as well."""
    helper = _helper(test, turned=True)
    if helper is not None:
        return helper
    denies = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    said = test.operand if isinstance(test, ast.UnaryOp) and denies else test

    def part(node: ast.expr) -> ast.expr:
        return ast.copy_location(_turned(ast.UnaryOp(ast.Not(), node) if denies else node), node)

    if isinstance(said, ast.BoolOp):  # in the order in which they are asked
        both = isinstance(said.op, ast.And) == denies
        return ast.BoolOp(ast.And() if both else ast.Or(), [part(value) for value in said.values])
    if isinstance(said, ast.IfExp):
        return ast.IfExp(said.test, part(said.body), part(said.orelse))
    if isinstance(said, ast.Call) and called(said) in {"all", "any"} and len(said.args) == 1:
        given = said.args[0]
        if isinstance(given, ast.GeneratorExp | ast.ListComp):
            name = "all" if (called(said) == "all") == denies else "any"
            over = ast.copy_location(type(given)(part(given.elt), given.generators), given)
            return ast.Call(ast.Name(name, ast.Load()), [over], [])
    if denies:
        return said
    if isinstance(test, ast.Compare):
        if len(test.ops) > 1:
            return _turned_chain(test)
        if isinstance(test.ops[0], ast.Is) and _is_true(test.comparators[0]) and has_parts(test.left):
            return ast.Compare(_turned(test.left), test.ops, test.comparators)
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], [test.comparators[0]])
    return ast.UnaryOp(ast.Not(), test)


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _turned_chain(chain: ast.Compare) -> ast.expr:
    """Say that one of the comparisons of a chain does not hold; each thing is asked for once, and all are."""
    asked = [chain.left, *chain.comparators]
    names = [f"@{at}" for at in range(len(asked))]
    pairs = zip(names, chain.ops, names[1:], strict=False)
    links = [ast.Compare(ast.Name(a, ast.Load()), [op], [ast.Name(b, ast.Load())]) for a, op, b in pairs]
    given = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    return ast.Call(ast.Lambda(given, ast.BoolOp(ast.Or(), [_turned(link) for link in links])), asked, [])


def _helper(test: ast.expr, *, turned: bool) -> ast.expr | None:
    """Ask a helper of twins about an equality or a membership; None where it is neither."""
    table = _ASKED
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, table = test.operand, _ASKED_DENIED
    if not isinstance(test, ast.Compare) or len(test.ops) > 1 or type(test.ops[0]) not in table:
        return None
    return ast.Call(ast.Name(table[type(test.ops[0])][turned], ast.Load()), [test.left, test.comparators[0]], [])


def ask_instead(call: ast.Call, left: ast.expr, right: ast.expr, helpers: tuple[str, str], *, turned: bool) -> None:
    """Have a call assert what a helper of twins says of its two values."""
    assert isinstance(call.func, ast.Attribute)
    call.func.attr = "assertTrue"
    call.args = [ast.copy_location(ast.Call(ast.Name(helpers[turned], ast.Load()), [left, right], []), call)]
    call.keywords = []


def rename(call: ast.Call, name: str, opposite: str, *, turned: bool) -> None:
    """Call the assertion by its own name or its opposite's."""
    assert isinstance(call.func, ast.Attribute)
    call.func.attr = opposite if turned else name


def call_with_more(call: ast.Call, args: list[ast.expr], *, turned: bool) -> None:
    """Expect a call with one argument more."""
    call.args = [*args, *([ast.copy_location(ast.Constant(1), call)] if turned else [])]


def expect_another(call: ast.Call, kind: ast.expr, other: str, *, turned: bool) -> None:
    """Expect another exception."""
    call.args[0] = ast.copy_location(ast.Name(other, ast.Load()), kind) if turned else kind
