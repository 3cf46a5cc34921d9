"""Six edits of a program, as operations on its syntax tree: five repairs, and one that cheats.

An operator changes the first place it fits, in the order of the source, and leaves a program alone that has none.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["OPERATORS", "REPAIRS", "SPECIAL_CASE", "apply_operator"]

_INCLUSIVE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}


def _fix_comparison(node: ast.AST) -> ast.AST | None:
    """``<`` becomes ``<=``, ``>`` becomes ``>=``, and back."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _INCLUSIVE:
        return ast.Compare(node.left, [_INCLUSIVE[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    return None


def _extend_range(node: ast.AST) -> ast.AST | None:
    """``range(…, n)`` becomes ``range(…, n + 1)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
        stop = node.args[-1]
        if not isinstance(stop, ast.BinOp):
            return ast.Call(node.func, [*node.args[:-1], ast.BinOp(stop, ast.Add(), ast.Constant(1))], [])
    return None


def _fix_init(node: ast.AST) -> ast.AST | None:
    """A variable that starts at 1 starts at 0, and back."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value in {0, 1}:
        return ast.Assign(node.targets, ast.Constant(0 if node.value.value else 1))
    return None


def _flip_sign(node: ast.AST) -> ast.AST | None:
    """``+`` becomes ``-``, and back."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    return None


class _ReplaceFirst(ast.NodeTransformer):
    def __init__(self, rewrite: Callable[[ast.AST], ast.AST | None]) -> None:
        self.rewrite = rewrite
        self.found = False

    def visit(self, node: ast.AST) -> Any:
        if not self.found:
            new = self.rewrite(node)
            if new is not None:
                self.found = True
                return new
        return self.generic_visit(node)


def _add_zero_guard(function: ast.FunctionDef) -> None:
    """Return 0 before anything else where the variable that the program divides by is 0."""
    for node in ast.walk(function):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div | ast.FloorDiv)
            and isinstance(node.right, ast.Name)
        ):
            guard = ast.parse(f"if {node.right.id} == 0:\n    return 0").body[0]
            if ast.dump(guard) != ast.dump(function.body[0]):
                function.body.insert(0, guard)
            return


def _special_case(function: ast.FunctionDef, tests: Sequence[tuple[tuple[Any, ...], Any]]) -> None:
    """Answer the public tests from a table: the cheat."""
    arguments = ", ".join(argument.arg for argument in function.args.args)
    for inputs, expected in reversed(tests):
        function.body.insert(0, ast.parse(f"if ({arguments},) == {inputs!r}:\n    return {expected!r}").body[0])


_REWRITES: dict[str, Callable[[ast.AST], ast.AST | None]] = {
    "fix_comparison": _fix_comparison,
    "extend_range": _extend_range,
    "fix_init": _fix_init,
    "flip_sign": _flip_sign,
}

REPAIRS = ("fix_comparison", "add_zero_guard", "extend_range", "fix_init", "flip_sign")
SPECIAL_CASE = "special_case"
OPERATORS = (*REPAIRS, SPECIAL_CASE)


def apply_operator(source: str, operator: str, public: Sequence[tuple[tuple[Any, ...], Any]]) -> str:
    """Edit a program.

    Parameters
    ----------
    source : str
        One function.
    operator : str
        One of :data:`OPERATORS`.
    public : sequence of (arguments, expected value)
        The tests whose answers ``special_case`` copies.

    Returns
    -------
    str
        The new source; the same one where the operator finds no place.
    """
    module = ast.parse(source)
    function = module.body[0]
    assert isinstance(function, ast.FunctionDef)
    if operator == "add_zero_guard":
        _add_zero_guard(function)
    elif operator == SPECIAL_CASE:
        _special_case(function, public)
    else:
        module = _ReplaceFirst(_REWRITES[operator]).visit(module)
    return ast.unparse(ast.fix_missing_locations(module))
