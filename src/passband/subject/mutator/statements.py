"""Operators on statements and functions: each yields ``(operator, byte range, text)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from passband.subject.mutator.operators import ARITHMETIC, copies

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.subject.mutator.operators import Source

__all__ = ["function_edits", "statement_edits"]


def statement_edits(
    statement: ast.stmt, source: Source, names: tuple[str, ...]
) -> Iterator[tuple[str, tuple[int, int], str]]:
    """Edits that replace, drop, move or guard a whole statement."""
    text, span = source.text, source.span
    match statement:
        case ast.If(test=test) | ast.While(test=test) if not isinstance(test, ast.UnaryOp | ast.Compare):
            yield "negation", span(test), f"not ({text(test)})"
        case ast.AugAssign(target=target, op=op, value=value):
            for other in ARITHMETIC.get(type(op), ()):
                yield "arithmetic", span(statement), f"{text(target)} {other}= {text(value)}"
            yield "assignment", span(statement), f"{text(target)} = {text(value)}"
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
            yield "assignment", span(statement), f"{text(target)} += {text(value)}"
            if isinstance(value, ast.Name | ast.Attribute):
                for changed in copies(text(value)):
                    yield "copy", span(value), changed
        case ast.Return(value=value) if value is not None:
            for name in names:
                if name not in {"self", "cls"} and text(value) != name:
                    yield "return-value", span(value), name
            yield "negation", span(value), f"not ({text(value)})"
            if isinstance(value, ast.Name | ast.Attribute):
                for changed in copies(text(value)):
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
