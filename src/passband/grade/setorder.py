"""Whether the order of a set may show in what a program does: with strings in it, it is another in each run."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["shows_order"]

_SETS = frozenset({"set", "frozenset"})
_SET_OPERATORS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Sub)
# What takes a set and does not let its order show: it has none of its own, or makes one.
_BLIND = frozenset({"all", "any", "bool", "frozenset", "isinstance", "len", "set", "sorted"})
_BLIND_METHODS = frozenset({"add", "clear", "discard", "remove", "update"})
_BLIND_OPERATIONS = frozenset({"difference_update", "intersection_update", "isdisjoint", "issubset", "issuperset"})
_SET_METHODS = frozenset({"copy", "difference", "intersection", "symmetric_difference", "union"})


class _Place(NamedTuple):
    node: ast.AST
    blind: bool
    """Whether the order of a set that stands here cannot show."""
    name: str = ""
    """The variable of a function that it is assigned to."""
    inside: bool = False
    """Whether it stands in a function, whose variables nobody else sees."""


def shows_order(tree: ast.AST) -> bool:
    """Whether code builds a set whose order may show."""
    named: set[str] = set()
    shown: set[str] = set()
    todo = [_Place(tree, blind=False)]
    while todo:
        place = todo.pop()
        node = place.node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and not place.blind:
            shown.add(node.id)
            if node.id in _SETS:
                return True
        if _makes_set(node) and not place.blind:
            if not place.name:
                return True
            named.add(place.name)
        todo.extend(_below(place))
    return bool(named & shown)


def _makes_set(node: ast.AST) -> bool:
    if isinstance(node, ast.Set):  # the hash of a number is always the same
        return not all(isinstance(item, ast.Constant) and type(item.value) is int for item in node.elts)
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _SET_OPERATORS) and (_is_view(node.left) or _is_view(node.right))
    called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _SETS
    return called or isinstance(node, ast.SetComp)


def _is_view(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"keys", "items"}


def _below(place: _Place) -> Iterator[_Place]:
    """Yield what stands below a node, and whether a set's order can show there."""
    node, inside = place.node, place.inside
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        inside = True
    elif isinstance(node, ast.ClassDef):
        inside = False
    blind, name = _blind_children(node, place), ""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign) and inside:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            name = targets[0].id
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST):
                yield _Place(child, field in blind, name if field == "value" else "", inside)


def _blind_children(node: ast.AST, place: _Place) -> Collection[str]:
    """Return the fields of a node in which a set's order cannot show."""
    if isinstance(node, ast.Call):
        return _blind_parts_of_call(node, place)
    if isinstance(node, ast.Compare):
        return ("left", "comparators")
    if isinstance(node, ast.If | ast.While | ast.Assert):
        return ("test",)
    if isinstance(node, ast.IfExp):
        return ("test", "body", "orelse") if place.blind else ("test",)
    if isinstance(node, ast.UnaryOp):
        return ("operand",) if isinstance(node.op, ast.Not) else ()
    if isinstance(node, ast.arg | ast.AnnAssign):
        return ("annotation",)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ("returns",)
    if isinstance(node, ast.Attribute):
        always = node.attr in _BLIND_METHODS | _BLIND_OPERATIONS
        return ("value",) if always or (node.attr in _SET_METHODS and place.blind) else ()
    if isinstance(node, ast.BinOp | ast.Subscript | ast.Tuple | ast.BoolOp) and place.blind:
        return node._fields
    return ()


def _blind_parts_of_call(node: ast.Call, place: _Place) -> Collection[str]:
    if isinstance(node.func, ast.Name):
        # The function's own name is not a set that somebody sees; what makes a set is judged where the call stands.
        own = ("func",) if node.func.id in _SETS else ()
        return (*own, "args") if node.func.id in _BLIND and not node.keywords else own
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return ("func", "args") if method in _BLIND_OPERATIONS or (method in _SET_METHODS and place.blind) else ()
