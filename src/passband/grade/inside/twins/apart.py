"""Assertions that say several things at once, taken apart, so that each thing is a check of its own.

Of ``assert f() == 1 and g() == 2`` one part alone could be changed, and an object that equals anything would go unasked
in the other. Of ``3 < f() < 5`` no part could be: that neither bound holds is nothing that such an object denies.
"""

from __future__ import annotations

import ast
import copy

from passband.grade.inside.twins.turns import has_parts

__all__ = ["taken_apart"]

_ASKS_NOTHING = (
    *(ast.Constant, ast.Name, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.UnaryOp),
    *(ast.expr_context, ast.unaryop),
)
_DENIED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def taken_apart(tree: ast.Module) -> ast.Module:
    """Return a copy of a test file in which ``assert a and b`` is two assertions, and ``assert a < b < c`` as well.

    What an assertion calls is called as often and in the same order, as long as all of it holds.
    """
    made = copy.deepcopy(tree)
    _Apart().visit(made)
    return made


class _Apart(ast.NodeTransformer):
    def __init__(self) -> None:
        self._count = 0

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt] | ast.Assert:
        """Take one assertion apart."""
        parts = self._parts(node.test, holds=True)
        if parts == [node.test]:
            return node
        return [ast.copy_location(ast.Assert(part, node.msg), node) for part in parts]

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt] | ast.Expr:
        """Take one call of unittest's assertion apart."""
        call = node.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args):
            return node
        name, (test, *others) = call.func.attr, call.args
        if name not in {"assertTrue", "assertFalse"}:
            return node
        parts = self._parts(test, holds=name == "assertTrue")
        if parts == [test] or (len(parts) == 1 and _just_denies(parts[0], test) and not has_parts(test)):
            return node
        made: list[ast.stmt] = []
        for part in parts:
            function = ast.copy_location(ast.Attribute(copy.deepcopy(call.func.value), "assertTrue", ast.Load()), call)
            each = ast.copy_location(ast.Call(function, [part, *others], call.keywords), call)
            made.append(ast.copy_location(ast.Expr(each), node))
        return made

    def _parts(self, test: ast.expr, *, holds: bool) -> list[ast.expr]:
        """Return what must hold for a condition to hold, or not to hold."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            parts = self._parts(test.operand, holds=not holds)
            return [test] if holds and len(parts) == 1 and _just_denies(parts[0], test.operand) else parts
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
            return [part for value in test.values for part in self._parts(value, holds=holds)]
        if isinstance(test, ast.Compare) and len(test.ops) > 1 and holds:
            return self._links(test)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and not holds and type(test.ops[0]) in _DENIED:
            denied = ast.Compare(test.left, [_DENIED[type(test.ops[0])]()], test.comparators)
            return [ast.copy_location(denied, test)]
        return [test if holds else ast.copy_location(ast.UnaryOp(ast.Not(), test), test)]

    def _links(self, chain: ast.Compare) -> list[ast.expr]:
        """Return the comparisons of a chain; what stands between two of them is asked for once."""
        found: list[ast.expr] = []
        left = chain.left
        for at, (operator, right) in enumerate(zip(chain.ops, chain.comparators, strict=True)):
            following = copy.deepcopy(right)
            if at + 1 < len(chain.ops) and not _asks_nothing(right):
                name = f"@{self._count}"
                self._count += 1
                right = ast.copy_location(ast.NamedExpr(ast.Name(name, ast.Store()), right), right)  # noqa: PLW2901
                following = ast.Name(name, ast.Load())
            found.append(ast.copy_location(ast.Compare(left, [operator], [right]), chain))
            left = following
        return found


def _just_denies(part: ast.expr, test: ast.expr) -> bool:
    return isinstance(part, ast.UnaryOp) and part.operand is test


def _asks_nothing(node: ast.expr) -> bool:
    """Whether an expression may stand twice; even ``list(…)`` may use up what it is given, and a property count."""
    return all(isinstance(inner, _ASKS_NOTHING) for inner in ast.walk(node))
