"""Must-fail twins: copies of hidden tests with one expectation changed.

A candidate that shares its process with the tests can report whatever it likes, and an object can claim to be equal to
anything. Both are caught by tests that no right answer passes: a copy in which ``== 17`` became ``== 18`` must fail, in
its call phase, with AssertionError. Which of two copies of a test is the twin is decided by chance, outside.

For a test that only expects an exception, another one is expected; the twin fails then with the right one.

A *unit* is a function or method of a test file; a *site* is one assertion in it whose expectation can be changed (for
``assert got == want`` with a parametrised ``want``: that column of the table). Nothing here guesses whether a changed
test really fails: the reference is run on every variant, and only what fails there as it should is used.
"""

from __future__ import annotations

import ast
import copy
import functools
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["MAX_SITES", "Unit", "altered", "units"]

MAX_SITES = 3
"""Sites of one unit that are used; evenly chosen where there are more."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


class Unit(NamedTuple):
    """A function or method of a test file."""

    name: str
    """``function`` or ``Class::method``."""
    is_test: bool
    """Whether pytest would collect it; a helper's sites serve the tests that have none of their own."""
    sites: int


def _functions(tree: ast.Module) -> Iterator[tuple[str, bool, _Function]]:
    for node in tree.body:
        if isinstance(node, _Function):
            yield node.name, node.name.startswith("test"), node
        elif isinstance(node, ast.ClassDef):
            for member in node.body:
                if isinstance(member, _Function):
                    yield f"{node.name}::{member.name}", member.name.startswith("test"), member


def units(tree: ast.Module) -> list[Unit]:
    """List the units of a test file."""
    return [Unit(name, is_test, len(_sites(node))) for name, is_test, node in _functions(tree)]


def altered(tree: ast.Module, choice: Mapping[str, int]) -> ast.Module:
    """Return a copy of a test file in which some units are twins.

    Parameters
    ----------
    tree : ast.Module
        The file.
    choice : mapping
        Unit → number of the site to change.

    Returns
    -------
    ast.Module
    """
    tree = copy.deepcopy(tree)
    for name, _is_test, node in _functions(tree):
        if name in choice:
            _sites(node)[choice[name]]()
    return tree


def _sites(function: _Function) -> list[Callable[[], None]]:
    """List the changes that can be made to a function; each is carried out by calling it."""
    tables = _tables(function)
    found = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            found.append(_assertion(node, tables))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "assertEqual":
            literals = [x for arg in reversed(node.args[:2]) if (x := _literal(arg)) is not None]
            if literals:
                found.append(functools.partial(_bump, literals[:1]))
            elif len(node.args) == 2 and not any(isinstance(arg, ast.Starred) for arg in node.args):
                found.append(functools.partial(_expect_difference, node))
        elif isinstance(node, ast.withitem) and isinstance(node.context_expr, ast.Call):
            call = node.context_expr
            if isinstance(call.func, ast.Attribute) and call.func.attr in {"raises", "assertRaises"} and call.args:
                found.append(functools.partial(_expect_another, call))
    if len(found) > MAX_SITES:
        found = [found[i * len(found) // MAX_SITES] for i in range(MAX_SITES)]
    return found


def _assertion(node: ast.Assert, tables: Mapping[str, list[ast.expr]]) -> Callable[[], None]:
    """Find how to change one assertion: its expected value if there is one, else its sense."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) > 1:
        return functools.partial(_negate, node)
    operator = test.ops[0]
    if isinstance(operator, ast.Eq):
        for side in (test.comparators[0], test.left):
            if isinstance(side, ast.Name) and side.id in tables:
                column = [x for cell in tables[side.id] if (x := _literal(cell)) is not None]
                if column:
                    return functools.partial(_bump, column)
        # An expectation that is written out comes before one that something is called with.
        for side in sorted((test.comparators[0], test.left), key=_calls):
            literal = _literal(side)
            if literal is not None:
                return functools.partial(_bump, [literal])
        return functools.partial(_ask, node, "@differs", test.left, test.comparators[0])
    if isinstance(operator, ast.In):
        literal = None if _calls(test.left) else _literal(test.left)
        if literal is not None:
            return functools.partial(_bump, [literal])
        return functools.partial(_ask, node, "@lacks", test.left, test.comparators[0])
    return functools.partial(test.ops.__setitem__, 0, _OPPOSITE[type(operator)]())


def _ask(node: ast.Assert, helper: str, left: ast.expr, right: ast.expr) -> None:
    """Assert the opposite of a comparison, or that one side would say the same of anything."""
    node.test = ast.copy_location(ast.Call(ast.Name(helper, ast.Load()), [left, right], []), node.test)


def _expect_difference(call: ast.Call) -> None:
    """Turn ``assertEqual`` into what fails where its values are equal, and only there."""
    assert isinstance(call.func, ast.Attribute)
    call.func.attr = "assertTrue"
    call.args = [ast.copy_location(ast.Call(ast.Name("@differs", ast.Load()), call.args, []), call)]
    call.keywords = []


def _expect_another(call: ast.Call) -> None:
    """Expect another exception than the one that a right answer raises."""
    named = ast.unparse(call.args[0])
    other = "KeyError" if "TypeError" in named else "TypeError"
    call.args[0] = ast.copy_location(ast.Name(other, ast.Load()), call.args[0])


def _negate(node: ast.Assert) -> None:
    node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)


def _calls(node: ast.expr) -> bool:
    return any(isinstance(inner, ast.Call) for inner in ast.walk(node))


def _literal(node: ast.expr) -> ast.expr | None:
    """Find the first literal in an expression whose change changes its value."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Constant) and type(inner.value) in {int, float, str, bytes, bool}:
            return inner
        if isinstance(inner, ast.List | ast.Tuple | ast.Set) and not inner.elts:
            return inner
        if isinstance(inner, ast.Dict) and not inner.keys:
            return inner
    return None


def _bump(nodes: Iterable[ast.expr]) -> None:
    """Change literals to others of their kind that look as likely."""
    for node in nodes:
        if isinstance(node, ast.Constant):
            node.value = _other(node.value)
        elif isinstance(node, ast.Dict):
            node.keys = [ast.copy_location(ast.Constant(1), node)]
            node.values = [ast.copy_location(ast.Constant(1), node)]
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            node.elts = [ast.copy_location(ast.Constant(1), node)]


def _other(value: object) -> int | float | str | bytes | bool:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value * 1.5 + 1.0 if value - value == 0.0 else 1.5
    if isinstance(value, bytes):
        return _next_letter(value.decode("latin-1")).encode("latin-1")
    return _next_letter(str(value))


def _next_letter(text: str) -> str:
    """Change the last letter or digit to its neighbour."""
    for at in range(len(text) - 1, -1, -1):
        for low, high in (("a", "z"), ("A", "Z"), ("0", "9")):
            if low <= text[at] <= high:
                return text[:at] + (low if text[at] == high else chr(ord(text[at]) + 1)) + text[at + 1 :]
    return text + "a"


def _tables(function: _Function) -> dict[str, list[ast.expr]]:
    """Return, for each parametrised argument, its column of cells."""
    columns: dict[str, list[ast.expr]] = {}
    for decorator in function.decorator_list:
        if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.parametrize")):
            continue
        names, rows = (*decorator.args, None, None)[:2]
        if isinstance(names, ast.Constant) and type(names.value) is str:
            wanted = [n.strip() for n in names.value.split(",")]
        elif isinstance(names, ast.List | ast.Tuple):
            wanted = [n.value for n in names.elts if isinstance(n, ast.Constant) and type(n.value) is str]
        else:
            continue
        if isinstance(rows, ast.List | ast.Tuple):
            for row in rows.elts:
                for name, cell in zip(wanted, _cells(row, len(wanted)), strict=False):
                    columns.setdefault(name, []).append(cell)
    return columns


def _cells(row: ast.expr, width: int) -> list[ast.expr]:
    if isinstance(row, ast.Call) and ast.unparse(row.func).endswith("param"):
        return row.args
    if width > 1 and isinstance(row, ast.Tuple | ast.List):
        return row.elts
    return [row]
