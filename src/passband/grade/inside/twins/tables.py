"""Tables that are written out in a hidden file: what a loop or a parametrised test reads its values from."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from passband.grade.inside.twins.scopes import called

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.grade.inside.twins.scopes import Path, Scope

__all__ = ["Tables", "pick"]


class Tables:
    """Follows names and calls to the tables behind them.

    Parameters
    ----------
    module : Scope
        Where a name is looked up that a function has not bound.
    """

    def __init__(self, module: Scope) -> None:
        self._module = module

    def held(self, table: ast.expr, scope: Scope) -> Iterator[ast.expr]:
        """Yield the literals that an expression which is looped over reads."""
        if isinstance(table, ast.List | ast.Tuple | ast.Set | ast.Dict):
            yield table
        elif isinstance(table, ast.Name):
            for binding in scope.bound.get(table.id) or self._module.bound.get(table.id) or ():
                if binding.table is not None and binding.path is None and not isinstance(binding.table, ast.Name):
                    yield from self.held(binding.table, scope)
        elif isinstance(table, ast.Call):
            parts = [*table.args, *([table.func.value] if isinstance(table.func, ast.Attribute) else [])]
            for part in parts:
                yield from self.held(part, scope)

    def rows(self, table: ast.expr, scope: Scope) -> list[ast.expr]:
        """Return the rows of what is looped over, as far as they are written out; none where one of them is not."""
        if isinstance(table, ast.List | ast.Tuple | ast.Set):
            return [] if any(isinstance(e, ast.Starred) for e in table.elts) else list(table.elts)
        if isinstance(table, ast.Name):
            bindings = scope.bound.get(table.id) or self._module.bound.get(table.id) or []
            held, path = bindings[0] if len(bindings) == 1 else (None, ())
            return [] if held is None or path is not None or isinstance(held, ast.Name) else self.rows(held, scope)
        if not isinstance(table, ast.Call):
            return []
        name = called(table)
        if name == "items" and isinstance(table.func, ast.Attribute):
            read = next(self.held(table.func.value, scope), None)
            if isinstance(read, ast.Dict):
                return [ast.Tuple([k, v], ast.Load()) for k, v in zip(read.keys, read.values, strict=True) if k]
        elif name == "enumerate" and table.args:
            return [ast.Tuple([ast.Name("_", ast.Load()), row], ast.Load()) for row in self.rows(table.args[0], scope)]
        elif name == "zip":
            columns: list[list[ast.expr]] = [self.rows(arg, scope) for arg in table.args]
            blank: ast.expr = ast.Name("_", ast.Load())
            return [
                ast.Tuple([c[n] if n < len(c) else blank for c in columns], ast.Load())
                for n in range(max(map(len, columns), default=0))
            ]
        return []


def pick(cell: ast.expr, path: Path) -> ast.expr | None:
    """Return the cell of a row at a path; None where that cannot be told."""
    row = cell
    if isinstance(row, ast.Call) and called(row) == "param":
        row = row.args[0] if len(row.args) == 1 and not path else ast.Tuple(row.args, ast.Load())
    for step in path:
        if isinstance(row, ast.Dict):
            found = [
                v for k, v in zip(row.keys, row.values, strict=True) if isinstance(k, ast.Constant) and k.value == step
            ]
            if len(found) != 1:
                return None
            row = found[0]
        elif isinstance(row, ast.List | ast.Tuple) and type(step) is int and step < len(row.elts):
            row = row.elts[step]
        else:
            return None
    return row
