"""Names in a hidden file: where each is bound, and where it is read."""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "Binding",
    "Function",
    "Path",
    "Scope",
    "called",
    "last_name",
    "names_of_library",
    "outermost",
    "root_name",
    "shared_names",
    "targets_of",
]

Function = ast.FunctionDef | ast.AsyncFunctionDef
Path = tuple[object, ...]


class Binding(NamedTuple):
    """How a variable gets its values."""

    table: ast.expr | None
    """What holds them; None where that is unknown."""
    path: Path | None
    """Where in each row; None where the table itself is the value."""


def called(call: ast.Call) -> str:
    """Return the last part of the name of what is called."""
    return ast.unparse(call.func).rpartition(".")[2]


def _stores(tree: ast.AST) -> Iterator[tuple[str, Binding]]:
    """Find what is bound in a function, or in a module outside its functions."""
    known: set[int] = set()
    todo: list[ast.AST] = list(ast.iter_child_nodes(tree))
    while todo:
        node = todo.pop()
        if isinstance(tree, ast.Module) and isinstance(node, Function | ast.ClassDef):
            yield node.name, Binding(None, None)
            continue
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if len(targets) == 1 and isinstance(targets[0], ast.Name):
                known.add(id(targets[0]))
                yield targets[0].id, Binding(node.value, None)
        elif isinstance(node, ast.For | ast.comprehension):
            for name, path in targets_of(node.target, ()):
                known.add(id(name))
                yield name.id, Binding(node.iter, path)
        elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load) and id(node) not in known:
            yield node.id, Binding(None, None)
        # Targets come last, when it is known what they are bound to.
        todo += reversed(list(ast.iter_child_nodes(node)))


def targets_of(target: ast.expr, path: Path) -> Iterator[tuple[ast.Name, Path]]:
    """Yield the names that a loop binds, and where in each row they are."""
    if isinstance(target, ast.Name):
        yield target, path
    elif isinstance(target, ast.Tuple | ast.List):
        for at, element in enumerate(target.elts):
            yield from targets_of(element, (*path, at))


class Scope:
    """A module, or a function with all that is in it."""

    def __init__(self, node: ast.Module | Function) -> None:
        self.node = node
        self.bound: dict[str, list[Binding]] = defaultdict(list)
        for name, binding in _stores(node):
            self.bound[name].append(binding)
        self.loads: dict[str, list[ast.Name]] = defaultdict(list)
        self.parents: dict[int, ast.AST] = {}
        for parent in ast.walk(node):
            if isinstance(parent, ast.Name) and isinstance(parent.ctx, ast.Load):
                self.loads[parent.id].append(parent)
            for child in ast.iter_child_nodes(parent):
                self.parents[id(child)] = parent
        if isinstance(node, Function):
            every = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
            for arg in every:
                self.bound[arg.arg].append(self._parametrised(node, arg.arg) or Binding(None, ()))

    @staticmethod
    def _parametrised(node: Function, name: str) -> Binding | None:
        for decorator in node.decorator_list:
            if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize")):
                continue
            names, rows = (*decorator.args, None, None)[:2]
            if isinstance(names, ast.Constant) and type(names.value) is str:
                wanted = [n.strip() for n in names.value.split(",")]
            elif isinstance(names, ast.List | ast.Tuple):
                wanted = [n.value for n in names.elts if isinstance(n, ast.Constant) and type(n.value) is str]
            else:
                continue
            if name in wanted and rows is not None:
                return Binding(rows, (wanted.index(name),) if len(wanted) > 1 else ())
        return None


def last_name(target: ast.expr) -> str:
    """Return the name of a variable or an attribute."""
    return target.attr if isinstance(target, ast.Attribute) else target.id if isinstance(target, ast.Name) else ""


def root_name(node: ast.expr) -> str:
    """Return the name that an expression like ``a.b(c)[d].e`` begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def names_of_library(tree: ast.Module) -> Iterator[str]:
    """Yield the names under which a file has imported something of the standard library."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                if top in sys.stdlib_module_names:
                    yield alias.asname or top
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in sys.stdlib_module_names:
            yield from (alias.asname or alias.name for alias in node.names)


def shared_names(trees: Iterable[ast.Module]) -> frozenset[str]:
    """Return the names by which files may use what is in another: imported, looked up, or asked for as fixtures."""
    found: set[str] = set()
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                found.update(alias.name for alias in node.names)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.arg):
                found.add(node.arg)
    return frozenset(found)


def outermost(tree: ast.AST) -> Iterator[Function]:
    """Yield the functions and methods that stand in no other function."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node
        else:
            yield from outermost(node)
