"""Checks turned about: the other form of each, where there is no value to change."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

__all__ = ["TURNED", "ask_instead", "call_with_more", "expect_another", "other_error", "rename", "turn_assert"]

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


def turn_assert(node: ast.Assert, test: ast.expr, *, turned: bool) -> None:
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
