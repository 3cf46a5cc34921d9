"""What in a check could be otherwise: values of its own, cells of tables, or else the sense of it.

Expected values are changed where there are any, the deepest first; only where there are none is the sense of the check
turned about. Every change makes what was true false, whatever the right answer is made of.
"""

from __future__ import annotations

import ast
import functools
from typing import TYPE_CHECKING, Any

from passband.grade.inside.twins.assertions import CALLED, EQUAL, RAISES, Check, names_of, quiet, raising, reads
from passband.grade.inside.twins.other import Others, leaf
from passband.grade.inside.twins.scopes import Function, called
from passband.grade.inside.twins.turns import (
    TURNED,
    ask_instead,
    call_with_more,
    expect_another,
    has_parts,
    other_error,
    rename,
    turn_assert,
    turn_truth,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passband.grade.inside.twins.origins import Origins

__all__ = ["Changes"]

_ASKED = frozenset({"startswith", "endswith", "issubset", "issuperset", "isclose", "allclose", "array_equal"})
_NARROW = 1e-2


class Changes:
    """Finds what could be otherwise in the checks of one function.

    Parameters
    ----------
    origins : Origins
        Where the function's expected values come from.
    others : Others
        Decides which of several literals it is.
    function : function
        The outermost function that the checks stand in.
    """

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
            call = raising(node)
            assert call is not None
            self._of_raises(check, call, node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            self._of_call(check, node.value)

    def _values(self, node: ast.expr) -> list[ast.expr]:
        """Return what could be changed in an expectation: a literal of its own, or else the cells it comes from."""
        if not quiet(node) or any(isinstance(n, ast.Call) and _wide(n) for n in ast.walk(node)):
            return []
        own = leaf(node, self._others.rng)
        if own is not None:
            return [own]
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name | ast.Subscript | ast.Attribute):
                cells = self._origins.cells(inner, self._function)
                found = [x for cell in cells if quiet(cell) and (x := leaf(cell, self._others.rng)) is not None]
                if found:
                    return found
        return []

    def _first(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        found = next((found for node in nodes if (found := self._values(node))), [])
        asked = not all(map(quiet, nodes))
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
        if name in EQUAL and len(call.args) >= 2:
            left, right = call.args[:2]
            check.values = [] if _wide(call) else self._first((right, left))
            if not check.values and name.endswith("AlmostEqual"):
                check.turn = functools.partial(rename, call, "assertAlmostEqual", "assertNotAlmostEqual")
            elif not check.values and name in {"assertEqual", "assertEquals"}:
                check.turn = functools.partial(ask_instead, call, left, right, ("@same", "@differs"))
        elif name == "assertIn" and len(call.args) >= 2:
            check.turn = functools.partial(ask_instead, call, call.args[0], call.args[1], ("@holds", "@lacks"))
        elif name in CALLED:
            check.values = self._first([*call.args, *(k.value for k in call.keywords)])
            if not check.values and not any(isinstance(a, ast.Starred) for a in call.args):
                check.turn = functools.partial(call_with_more, call, list(call.args))
        elif name in RAISES:
            self._of_raises(check, call, None)
        elif name == "assertTrue" and call.args and (found := self._of_test(call.args[0])):
            check.values = found
        elif name == "assertTrue" and call.args and has_parts(call.args[0]):
            check.turn = functools.partial(turn_truth, call, call.args[0])
        elif name in TURNED and isinstance(call.func, ast.Attribute):
            check.turn = functools.partial(rename, call, name, TURNED[name])

    def _of_raises(self, check: Check, call: ast.Call, node: ast.With | ast.AsyncWith | None) -> None:
        """A pattern of the message if there is one, or else the class."""
        if node is not None and reads([self._function], names_of(node)):
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
