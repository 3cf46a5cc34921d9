"""Plain tests without pytest's collection: found by name in their modules, and called.

To collect ten tests takes longer than to run them. What a plain test needs of it is known before any candidate is
there: the function's name, and which row of its table is meant. Where a module turns out otherwise than it was then,
nothing is run here, and pytest collects.
"""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple

from _pytest.mark import ParameterSet

from passband.grade.inside.runner.plain import call_plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from passband.grade.inside.runner.memory import MemoryFinder
    from passband.grade.inside.runner.reporter import Reporter

__all__ = ["run_direct"]

_NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class _Test(NamedTuple):
    key: str
    function: FunctionType
    owner: type | None
    """The class it is a method of; each test gets an instance of its own."""
    given: dict[str, Any]
    place: int

    def run(self) -> tuple[str, str, str]:
        owner = self.owner
        if owner is None:
            return call_plain(lambda: self.function, self.given)
        return call_plain(lambda: MethodType(self.function, owner()), self.given)


def run_direct(finder: MemoryFinder, files: Iterable[str], keys: Iterable[str], reporter: Reporter) -> bool:
    """Run tests and report them.

    Parameters
    ----------
    finder : MemoryFinder
        Holds the test files' code.
    files : iterable of str
        The order in which they are run.
    keys : iterable of str
        The tests: file, unit and place.
    reporter : Reporter
        Gets a record for each.

    Returns
    -------
    bool
        False where some test is not what it was taken for; then none has been run.
    """
    wanted: dict[str, list[tuple[str, str, int]]] = {}
    for key in keys:
        file, _, rest = key.partition("::")
        unit, _, place = rest.rpartition("#")
        wanted.setdefault(file, []).append((key, unit, int(place)))
    tests: list[_Test] = []
    for file in files:
        if file not in wanted:
            continue
        try:
            module = finder.load(f"{finder.root}/{file}")
        except Exception as error:
            reporter.failed[file] = f"{type(error).__name__}: {error}"
            continue
        found = [_find(module, *parts) for parts in wanted[file]]
        here = [test for test in found if test is not None]
        if len(here) < len(found) or hasattr(module, "pytestmark"):
            return False
        # As they stand in the file, which is how pytest would have it.
        tests += sorted(here, key=lambda test: (test.function.__code__.co_firstlineno, test.place))
    for test in tests:
        reporter.plain(test.key, *test.run())
    return True


def _find(module: ModuleType, key: str, unit: str, place: int) -> _Test | None:
    holder, owner, name = vars(module), None, unit
    if "::" in unit:
        outer, _, name = unit.partition("::")
        owner = holder.get(outer)
        if not isinstance(owner, type) or hasattr(owner, "pytestmark"):
            return None
        holder = dict(vars(owner))
    function = holder.get(name)
    if type(function) is not FunctionType or function.__code__.co_flags & _NOT_PLAIN:
        return None
    given = _row(getattr(function, "pytestmark", ()), place)
    return None if given is None else _Test(key, function, owner, given, place)


def _row(marks: Sequence[Any], place: int) -> dict[str, Any] | None:
    """Return one row of a test's table, by name; None where it is no simple table."""
    if not marks:
        return {} if place == 0 else None
    mark = marks[0]
    if len(marks) > 1 or mark.name != "parametrize" or len(mark.args) != 2 or mark.kwargs.keys() - {"ids"}:
        return None
    names, rows = mark.args
    names = [n.strip() for n in names.split(",") if n.strip()] if type(names) is str else list(names)
    if type(rows) not in {list, tuple} or place >= len(rows):
        return None
    row = rows[place]
    if isinstance(row, ParameterSet):
        if row.marks:
            return None
        row = row.values
    elif len(names) == 1:
        row = (row,)
    return dict(zip(names, row, strict=True)) if len(row) == len(names) else None
