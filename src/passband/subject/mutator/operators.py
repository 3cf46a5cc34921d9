"""The grammar: what a repairer might try at a place.

Each function yields ``(operator, text)`` for an expression, or ``(operator, byte range, text)`` for statements and
functions. The operators are those of the program-repair literature (Weimer et al. 2009; Long & Rinard 2016; the
mutation operators of Jia & Harman 2011), cut to what one edit can do.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["expression_edits", "function_edits", "statement_edits"]

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
_ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("/", "+"),
    ast.Div: ("//", "*"),
    ast.FloorDiv: ("/", "%"),
    ast.Mod: ("//",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
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


class Source(Protocol):
    """What the operators need to know of the file."""

    source: bytes

    def text(self, node: ast.AST) -> str:
        """Source text of a node."""
        ...

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Byte range of a node."""
        ...

    def whole_lines(self, statement: ast.stmt) -> tuple[int, int]:
        """Byte range of the lines of a statement."""
        ...


def expression_edits(node: ast.expr, source: Source, names: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Edits that replace one expression by another."""
    text = source.text
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                for other in _COMPARE.get(type(op), ()):
                    yield "comparison", _chain(node, i, other, source)
        case ast.BinOp(left=left, op=op, right=right):
            for other in _ARITHMETIC.get(type(op), ()):
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
            for changed in _slices(part, text):
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


def _copies(text: str) -> Iterator[str]:
    """Ways to hand out a copy, which matter where a value is kept, returned or passed on."""
    for made in ("list", "dict", "set"):
        yield f"{made}({text})"


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


def _slices(part: ast.Slice, text: object) -> Iterator[str]:
    assert callable(text)
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
            for changed in _copies(argument):
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


def statement_edits(
    statement: ast.stmt, source: Source, names: tuple[str, ...]
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Edits that replace, drop, move or guard a whole statement."""
    text, span = source.text, source.span
    match statement:
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.UnaryOp | ast.Compare):
            yield "negation", span(test), f"not ({text(test)})"
        case ast.AugAssign(target=target, op=op, value=value):
            for other in _ARITHMETIC.get(type(op), ()):
                yield "arithmetic", span(statement), f"{text(target)} {other}= {text(value)}"
            yield "assignment", span(statement), f"{text(target)} = {text(value)}"
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            yield "assignment", span(statement), f"{text(target)} += {text(value)}"
            if isinstance(value, ast.Name | ast.Attribute):
                for changed in _copies(text(value)):
                    yield "copy", span(value), changed
        case ast.Return(value=value) if value is not None:
            for name in names:
                if name not in {"self", "cls"} and text(value) != name:
                    yield "return-value", span(value), name
            yield "negation", span(value), f"not ({text(value)})"
            if isinstance(value, ast.Name | ast.Attribute):
                for changed in _copies(text(value)):
                    yield "copy", span(value), changed
        case ast.For(iter=iterated):
            yield "copy", span(iterated), f"list({text(iterated)})"
            yield "ordering", span(iterated), f"reversed({text(iterated)})"
            yield "ordering", span(iterated), f"sorted({text(iterated)})"
        case ast.Break():
            yield "control", span(statement), "continue"
        case ast.Continue():
            yield "control", span(statement), "break"
        case _:
            pass
    if isinstance(statement, ast.Return | ast.Expr | ast.Assign | ast.AugAssign | ast.Break | ast.Raise):
        start, end = source.whole_lines(statement)
        lines = source.source[start:end].decode(errors="replace")
        indent = lines[: len(lines) - len(lines.lstrip(" "))]
        if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # a docstring
            yield "drop-statement", (start, end), f"{indent}pass\n"
            if len(indent) >= 8:  # one level out of a loop or a branch, still inside the function
                yield "dedent", (start, end), "".join(line[4:] for line in lines.splitlines(keepends=True))


def function_edits(
    function: ast.FunctionDef | ast.AsyncFunctionDef, source: Source
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Edits at the head of a function: guards, and mutable defaults."""
    arguments = function.args
    parameters = [argument.arg for argument in arguments.args if argument.arg not in {"self", "cls"}]
    body = [
        node
        for node in function.body
        if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))  # the docstring
    ]
    if not body or body[0].lineno == function.lineno:
        return
    start, _ = source.whole_lines(body[0])
    indent = " " * body[0].col_offset
    for parameter in parameters:
        for value in ("None", "0", "[]", parameter):
            guard = f"{indent}if not {parameter}:\n{indent}    return {value}\n"
            yield "guard", (start, start), guard
        yield "copy", (start, start), f"{indent}{parameter} = list({parameter})\n"
    padded = [None] * (len(arguments.args) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(arguments.args, padded, strict=True):
        if isinstance(default, ast.List | ast.Dict | ast.Set | ast.Call):
            span = source.span(default)
            between = source.source[span[1] : start].decode(errors="replace")
            made = source.text(default)
            fill = f"{indent}if {argument.arg} is None:\n{indent}    {argument.arg} = {made}\n"
            yield "mutable-default", (span[0], start), f"None{between}{fill}"
