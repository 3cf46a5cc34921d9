"""Edits as byte ranges of a file, and the walk that collects them."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from passband.subject.mutator.expressions import expression_edits
from passband.subject.mutator.statements import function_edits, statement_edits

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Edit", "collect_edits"]


@dataclass(frozen=True)
class Edit:
    """Replace bytes ``start:end`` of a file.

    Attributes
    ----------
    path : str
        The file.
    operator : str
        Name of the repair operator that proposes it.
    start, end : int
        Byte offsets.
    replacement : bytes
        What stands there afterwards.
    scope : tuple of str
        Names of the classes and functions around the place, outermost first.
    words : frozenset of str
        Identifiers of the statement at the place.
    region : tuple of int
        Byte range of the innermost function around the place; the whole file at module level.
    """

    path: str
    operator: str
    start: int
    end: int
    replacement: bytes
    scope: tuple[str, ...]
    words: frozenset[str]
    region: tuple[int, int]

    def apply(self, source: bytes) -> bytes:
        """Return the file with the edit made."""
        return source[: self.start] + self.replacement + source[self.end :]


@lru_cache(maxsize=64)
def collect_edits(files: tuple[tuple[str, bytes], ...]) -> tuple[Edit, ...]:
    """All edits of all Python files that leave them parsing, in a fixed order.

    Parameters
    ----------
    files : tuple of (str, bytes)
        Path and content. Tests are the caller's to leave out. What does not parse has no edits.
    """
    return tuple(edit for path, source in files for edit in _file_edits(path, source))


def _file_edits(path: str, source: bytes) -> Iterator[Edit]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return
    walk = _Walk(path, source)
    walk.visit_body(tree.body, ())
    seen: set[bytes] = set()
    for edit in walk.edits:
        edited = edit.apply(source)
        if edited == source or edited in seen:
            continue
        try:
            ast.parse(edited)
        except (SyntaxError, ValueError, RecursionError):
            continue
        seen.add(edited)
        yield edit


class _Walk:
    """Collects edits statement by statement, knowing what encloses each."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self.source = source
        self.edits: list[Edit] = []
        self._region = (0, len(source))
        self._line_starts = [0]
        for line in source.split(b"\n"):
            self._line_starts.append(self._line_starts[-1] + len(line) + 1)

    def offset(self, line: int, column: int) -> int:
        """Byte offset of a position as `ast` gives it (columns count UTF-8 bytes)."""
        return self._line_starts[line - 1] + column

    def text(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.source[start:end].decode(errors="replace")

    def span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def visit_body(self, body: list[ast.stmt], scope: tuple[str, ...], names: tuple[str, ...] = ()) -> None:
        for statement in body:
            self._visit_statement(statement, scope, names)

    def _visit_statement(self, statement: ast.stmt, scope: tuple[str, ...], names: tuple[str, ...]) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            return
        inner_scope, inner_names = scope, names
        outer = self._region
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner_scope = (*scope, statement.name)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            inner_names = _local_names(statement)
            self._region = self.span(statement)
            words = frozenset({statement.name, *inner_names})
            for operator, span, text in function_edits(statement, self):
                self._add(operator, span, text, inner_scope, words)
        heads = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.expr)]
        words = frozenset(_identifiers(heads))
        for operator, span, text in statement_edits(statement, self, inner_names):
            self._add(operator, span, text, inner_scope, words)
        for head in heads:
            for node in ast.walk(head):
                if isinstance(node, ast.expr):
                    for operator, text in expression_edits(node, self, inner_names):
                        self._add(operator, self.span(node), text, inner_scope, words)
        for field in ("body", "orelse", "finalbody"):
            self.visit_body(getattr(statement, field, []), inner_scope, inner_names)
        for handler in getattr(statement, "handlers", []):
            self.visit_body(handler.body, inner_scope, inner_names)
        self._region = outer

    def _add(
        self, operator: str, span: tuple[int, int], text: str, scope: tuple[str, ...], words: frozenset[str]
    ) -> None:
        self.edits.append(Edit(self.path, operator, *span, text.encode(), scope, words, self._region))

    def whole_lines(self, statement: ast.stmt) -> tuple[int, int]:
        """Byte range of the lines a statement stands on, last newline included."""
        assert statement.end_lineno is not None
        return self._line_starts[statement.lineno - 1], min(self._line_starts[statement.end_lineno], len(self.source))


def _identifiers(nodes: list[ast.expr]) -> Iterator[str]:
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name):
                yield node.id
            elif isinstance(node, ast.Attribute):
                yield node.attr


def _local_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Parameters and assigned names of a function, in order of appearance."""
    arguments = function.args
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    names += [node.id for node in ast.walk(function) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return tuple(dict.fromkeys(names))
