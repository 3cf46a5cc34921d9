"""Where a test's expected values come from: tables, constants, fixtures and variables of the hidden files.

``assert f(x) == want`` has no expectation written in it, but ``want`` is a column of a table. Such a *cell* may be
changed if it is never anything but an expectation: what is also handed to the candidate would ask it something else.
"""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from passband.grade.inside.twins.scopes import (
    Binding,
    Function,
    Path,
    Scope,
    last_name,
    names_of_library,
    outermost,
    root_name,
    targets_of,
)
from passband.grade.inside.twins.tables import Tables, pick

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

__all__ = ["VARIED", "Origins"]

VARIED = "varied"
"""Kind of a constant that decides whether a value is varied."""


class Origins:
    """What the names in one hidden file stand for.

    Parameters
    ----------
    tree : ast.Module
        The file.
    expected : iterable of ast.AST
        Expressions that stand where tests have their expectations.
    fixtures : sequence of function
        The functions of all hidden files that a test may get a value from.
    shared : collection of str
        Names that other hidden files use, for what nobody looks at here: they are left alone.
    """

    def __init__(
        self,
        tree: ast.Module,
        expected: Iterable[ast.AST],
        fixtures: Sequence[Function] = (),
        shared: Collection[str] = (),
    ) -> None:
        self._module = Scope(tree)
        self._tables = Tables(self._module)
        self._expected = {id(node) for top in expected for node in ast.walk(top)}
        self._scopes = {id(node): Scope(node) for node in outermost(tree)}
        self._shared = frozenset(shared)
        self._steady = {*dir(builtins), *names_of_library(tree)}
        self._fixtures = {node.name: node for node in fixtures if node.name not in shared}
        self._spoilt: set[tuple[int, Path]] = set()
        self._tokens: dict[tuple[int, str], ast.Constant | None] = {}
        self._look_for_other_uses()
        for name in shared:
            self._spoilt |= {(id(b.table), ()) for b in self._module.bound.get(name, ()) if b.table is not None}

    def _look_for_other_uses(self) -> None:
        """Find the tables, and columns of tables, that are not only expectations."""
        read: set[int] = set()
        for scope in (*self._scopes.values(), self._module):
            for name, bindings in list(scope.bound.items()):
                for table, path in bindings:
                    if table is None or path is None:
                        continue
                    read.update(id(node) for node in ast.walk(table) if isinstance(node, ast.Name))
                    for held in self._tables.held(table, scope):
                        self._spoilt |= {(id(held), used) for used in self._other_uses(scope, name, path)}
        for scope in (*self._scopes.values(), self._module):
            for name, bindings in list(scope.bound.items()):
                for table, path in bindings:
                    if table is not None and path is None:
                        # Read by row, or as an expectation: else it goes somewhere as a whole.
                        loads = scope.loads[name] if scope is not self._module else self._module.loads[name]
                        if any(id(load) not in read and id(load) not in self._expected for load in loads):
                            self._spoilt.add((id(table), ()))

    def _other_uses(self, scope: Scope, name: str, path: Path) -> Iterator[Path]:
        for load in scope.loads[name]:
            if id(load) in self._expected:
                continue
            parent = scope.parents.get(id(load))
            if isinstance(parent, ast.Subscript) and parent.value is load and isinstance(parent.slice, ast.Constant):
                yield (*path, parent.slice.value)
            else:
                yield path

    def cells(self, node: ast.expr, function: Function) -> list[ast.expr]:
        """Return the expressions that the value of a name, or of a part of it, is taken from.

        Parameters
        ----------
        node : ast.expr
            ``want``, ``case["want"]`` or ``self.want``, where a test has its expectation.
        function : function
            The outermost function that it stands in.
        """
        if isinstance(node, ast.Attribute):
            return self._of_object(node.attr)
        scope = self._scopes[id(function)]
        key: Path = ()
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            key = (node.slice.value,)
            node = node.value
        if not isinstance(node, ast.Name):
            return []
        bindings = scope.bound.get(node.id)
        where = scope
        if not bindings:
            bindings, where = self._module.bound.get(node.id, []), self._module
        if len(bindings) != 1:
            return []
        table, path = bindings[0]
        if table is None:
            return self._of_fixture(node.id) if path == () and not key and self._only_expected(where, node.id) else []
        if path is None:
            if key or not self._only_expected(where, node.id):
                found = pick(table, key) if key and self._by_key(where, node.id, key) else None
                return [] if found is None else [found]
            return [] if (id(table), ()) in self._spoilt and where is self._module else [table]
        if self._is_spoilt(table, scope, (*path, *key)):
            return []
        rows = self._tables.rows(table, scope)
        return [cell for row in rows if (cell := pick(row, (*path, *key))) is not None]

    def token(self, node: ast.expr, function: Function, number: int, *, asked: bool) -> ast.Constant | None:
        """Have the value of a name varied where it gets it, and return what decides that.

        Parameters
        ----------
        node : ast.expr
            Where a test has its expectation: a name whose value is not written out.
        function : function
            The outermost function that it stands in.
        number : int
            To be passed on; see :func:`passband.grade.inside.twins.odd.vary`.
        asked : bool
            Whether the candidate is asked on the other side of the check, so that a variable can only be expected.
        """
        if not isinstance(node, ast.Name):
            return None
        name = node.id
        where = self._scopes[id(function)]
        if name not in where.bound:
            where = self._module
        key = id(where.node), name
        if key not in self._tokens:
            self._tokens[key] = None
            bindings = where.bound.get(name, [])
            if (
                len(bindings) == 1
                and self._only_expected(where, name)
                and self._is_data(where, name, bindings[0], asked=asked)
            ):
                self._tokens[key] = _vary(where.node, name, ast.Constant(number, VARIED))
        return self._tokens[key]

    def _is_data(self, where: Scope, name: str, binding: Binding, *, asked: bool) -> bool:
        """Whether a name's value is the test's: a row's cell beside one that is asked with, or what asks nobody."""
        if binding.table is None:
            return False
        if where is self._module and (binding.path is not None or (id(binding.table), ()) in self._spoilt):
            return False
        if binding.path is None:
            calls = [inner.func for inner in ast.walk(binding.table) if isinstance(inner, ast.Call)]
            return asked and all(root_name(func) in self._steady for func in calls)
        if isinstance(where.node, Function) and name in {arg.arg for arg in where.node.args.args}:
            return True
        beside = {n for n, found in where.bound.items() if any(b.table is binding.table for b in found)} - {name}
        return any(
            isinstance(inner, ast.Name) and inner.id in beside
            for call in ast.walk(where.node)
            if isinstance(call, ast.Call)
            for arg in call.args
            for inner in ast.walk(arg)
        )

    def _only_expected(self, scope: Scope, name: str) -> bool:
        return all(id(load) in self._expected for load in scope.loads[name])

    def _by_key(self, scope: Scope, name: str, key: Path) -> bool:
        """Whether that part of a variable is only expected, and nobody reads it but by its parts."""
        uses = list(self._other_uses(scope, name, ()))
        return not any(use in ((), key) for use in uses)

    def _is_spoilt(self, table: ast.expr, scope: Scope, path: Path) -> bool:
        starts = [path[:n] for n in range(len(path) + 1)]
        return any((id(held), start) in self._spoilt for held in self._tables.held(table, scope) for start in starts)

    def _of_fixture(self, name: str) -> list[ast.expr]:
        fixture = self._fixtures.get(name)
        if fixture is None or not any("fixture" in ast.unparse(d) for d in fixture.decorator_list):
            return []
        asking = [s for s in self._scopes.values() if name in s.bound and s.node is not fixture]
        if not all(self._only_expected(scope, name) for scope in asking):
            return []
        given = [node.value for node in ast.walk(fixture) if isinstance(node, ast.Return | ast.Yield)]
        return [value for value in given if value is not None] if len(given) == 1 else []

    def _of_object(self, name: str) -> list[ast.expr]:
        """Return what an attribute of a class or object is set to, where that is done once and it is only expected."""
        if name in self._shared or self._module.loads[name]:
            return []
        found = []
        for node in ast.walk(self._module.node):
            if isinstance(node, ast.Attribute) and node.attr == name:
                if isinstance(node.ctx, ast.Load) and id(node) not in self._expected:
                    return []
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found += [node.value for target in targets if name == last_name(target)]
        return found if len(found) == 1 else []


def _vary(where: ast.Module | Function, name: str, token: ast.Constant) -> ast.Constant | None:
    """Write into a function that a variable's value is varied, as soon as it has one."""

    def varied(value: ast.expr) -> ast.Call:
        return ast.Call(ast.Name("@vary", ast.Load()), [value, token], [])

    again = ast.Assign([ast.Name(name, ast.Store())], varied(ast.Name(name, ast.Load())))
    for node in ast.walk(where):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == name:
                node.value = varied(node.value)
                return token
        elif isinstance(node, ast.For) and any(bound.id == name for bound, _path in targets_of(node.target, ())):
            again.lineno = node.body[0].lineno
            node.body.insert(0, again)
            return token
    if isinstance(where, Function) and any(arg.arg == name for arg in (*where.args.args, *where.args.kwonlyargs)):
        again.lineno = where.body[0].lineno
        where.body.insert(1 if ast.get_docstring(where, clean=False) is not None else 0, again)
        return token
    return None
