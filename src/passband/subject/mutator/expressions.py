"""Operators that replace one expression by another: each yields ``(operator, text)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from passband.subject.mutator.operators import ARITHMETIC, copies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.subject.mutator.operators import Source

__all__ = ["expression_edits"]

_COMPARE: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">"),
    ast.LtE: ("<", ">="),
    ast.Gt: (">=", "<"),
    ast.GtE: (">", "<="),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
}
_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
_TWINS = {
    "min": ("max",),
    "max": ("min",),
    "any": ("all",),
    "all": ("any",),
    "append": ("extend",),
    "extend": ("append",),
    "int": ("round",),
    "round": ("int",),
    "floor": ("ceil",),
    "ceil": ("floor",),
    "lower": ("casefold",),
    "rstrip": ("strip",),
    "lstrip": ("strip",),
    "strip": ("rstrip",),
    "find": ("rfind",),
    "split": ("rsplit",),
    "rsplit": ("split",),
    "pop": ("get",),
    "popleft": ("pop",),
    "union": ("intersection",),
    "startswith": ("endswith",),
    "endswith": ("startswith",),
    "copy": ("deepcopy",),
    "match": ("fullmatch",),
}


def expression_edits(node: ast.expr, source: Source, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Edits that replace one expression by another."""
    text = source.text
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for other in _COMPARE.get(type(op), ()):
                    yield "comparison", _chain(node, i, other, source)
        case ast.BinOp(left=left, op=op, right=right):
            for other in ARITHMETIC.get(type(op), ()):
                yield "arithmetic", f"{text(left)} {other} {text(right)}"
            yield "drop-operand", text(left)
            if not isinstance(left, ast.Constant):
                yield "nudge", f"({text(left)} + 1) {_symbol(node, source)} {text(right)}"
                yield "nudge", f"({text(left)} - 1) {_symbol(node, source)} {text(right)}"
        case ast.BoolOp(op=op, values=values):
            joined = " or " if isinstance(op, ast.And) else " and "
            yield "boolean", joined.join(text(value) for value in values)
            for value in values:
                rest = [text(other) for other in values if other is not value]
                yield "drop-condition", (" and " if isinstance(op, ast.And) else " or ").join(rest)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield "negation", text(operand)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "sign", text(operand)
        case ast.Constant(value=bool() as value):
            yield "constant", str(not value)
        case ast.Constant(value=int() as value):
            yield "off-by-one", str(value + 1)
            yield "off-by-one", str(value - 1)
        case ast.Subscript(value=value, slice=ast.Slice() as part):
            for changed in _slices(part, source):
                yield "slice", f"{text(value)}[{changed}]"
        case ast.Subscript(value=value, slice=index) if isinstance(index, ast.Name | ast.BinOp | ast.Call):
            yield "off-by-one", f"{text(value)}[{text(index)} + 1]"
            yield "off-by-one", f"{text(value)}[{text(index)} - 1]"
        case ast.Call():
            yield from _call_edits(node, source)
        case ast.Name(id=name, ctx=ast.Load()) if name in names:
            for other in names:
                if other not in {name, "self", "cls"}:
                    yield "variable", other
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "negation", f"{text(orelse)} if {text(test)} else {text(body)}"
        case _:
            pass


def _symbol(node: ast.BinOp, source: Source) -> str:
    """Return the operator of `node` as it is written."""
    between = source.source[source.span(node.left)[1] : source.span(node.right)[0]].decode(errors="replace")
    return between.strip(" ()\n\\")


def _chain(node: ast.Compare, place: int, other: str, source: Source) -> str:
    """Rebuild a comparison with one operator exchanged, keeping the operands as they are written."""
    parts = [source.text(node.left)]
    for i, (op, comparator) in enumerate(zip(node.ops, node.comparators, strict=True)):
        parts += [other if i == place else _SYMBOLS[type(op)], source.text(comparator)]
    return " ".join(parts)


def _slices(part: ast.Slice, source: Source) -> Iterator[str]:
    text = source.text
    low = text(part.lower) if part.lower else ""
    high = text(part.upper) if part.upper else ""
    step = f":{text(part.step)}" if part.step else ""
    if high:
        yield f"{low}:{high} + 1{step}"
        yield f"{low}:{high} - 1{step}"
        yield f"{low}:{step}"
    if low:
        yield f"{low} + 1:{high}{step}"
        yield f"{low} - 1:{high}{step}"
        yield f":{high}{step}"
    else:
        yield f"1:{high}{step}"


def _call_edits(node: ast.Call, source: Source) -> Iterator[tuple[str, str]]:
    text = source.text
    arguments = [text(argument) for argument in node.args]
    keywords = [text(keyword) for keyword in node.keywords]
    function = text(node.func)
    name = node.func.attr if isinstance(node.func, ast.Attribute) else function

    def call(positional: list[str], named: list[str] = keywords, by: str = function) -> str:
        return f"{by}({', '.join([*positional, *named])})"

    for i in range(len(arguments) - 1):
        swapped = [*arguments[:i], arguments[i + 1], arguments[i], *arguments[i + 2 :]]
        yield "argument-order", call(swapped)
    for i, argument in enumerate(arguments):
        if isinstance(node.args[i], ast.Name | ast.Attribute | ast.Subscript):
            for changed, operator in (
                (f"{argument} + 1", "nudge"),
                (f"{argument} - 1", "nudge"),
                (f"-{argument}", "sign"),
            ):
                yield operator, call([*arguments[:i], changed, *arguments[i + 1 :]])
            for changed in copies(argument):
                yield "copy", call([*arguments[:i], changed, *arguments[i + 1 :]])
    for twin in _TWINS.get(name, ()):
        yield "twin-function", call(arguments, by=function.removesuffix(name) + twin)
    if name == "range" and arguments:
        last = arguments[1] if len(arguments) > 1 else arguments[0]
        place = min(len(arguments) - 1, 1)
        for delta in ("+ 1", "- 1"):
            yield "off-by-one", call([*arguments[:place], f"{last} {delta}", *arguments[place + 1 :]])
        if len(arguments) == 1:
            yield "off-by-one", call(["1", *arguments])
    if name in {"sorted", "sort", "max", "min"}:
        reverse = [keyword for keyword in keywords if keyword.startswith("reverse")]
        kept = [keyword for keyword in keywords if not keyword.startswith("reverse")]
        if name in {"sorted", "sort"}:
            yield "ordering", call(arguments, kept if reverse else [*kept, "reverse=True"])
        if any(keyword.startswith("key") for keyword in keywords):
            yield "ordering", call(arguments, [keyword for keyword in keywords if not keyword.startswith("key")])
    if len(arguments) == 1 and not keywords and isinstance(node.func, ast.Name):
        yield "unwrap", arguments[0]
    if isinstance(node.func, ast.Attribute) and not arguments and not keywords:
        yield "unwrap", text(node.func.value)
