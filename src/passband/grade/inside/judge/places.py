"""Where promises stand in collected tests, to be filled at the start of each run."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from passband.grade.inside.judge.lazy import Promise

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

__all__ = ["Places"]

_MAX_DEPTH = 4
_Found = Mapping[tuple[str, str], Any]


class Places:
    """Where promises stand in hidden modules, their classes and functions, and test parameters.

    Found once, when the tests have been collected; a run then only fills them.

    Parameters
    ----------
    modules : iterable of module
        Hidden modules.
    items : iterable of pytest.Item
        Collected tests.
    """

    def __init__(self, modules: Iterable[types.ModuleType], items: Iterable[pytest.Item]) -> None:
        self._fill: list[Callable[[_Found], None]] = []
        names = {m.__name__ for m in modules}
        for module in modules:
            self._table(vars(module), 0)
            for value in vars(module).values():
                if isinstance(value, type) and value.__module__ in names:
                    self._class(value)
        for item in items:
            callspec = getattr(item, "callspec", None)
            if callspec is not None:
                self._table(callspec.params, 0)

    def fill(self, found: Mapping[tuple[str, str], Any]) -> None:
        """Put live objects where promises stand."""
        for fill in self._fill:
            fill(found)

    def _class(self, cls: type) -> None:
        for name, value in vars(cls).items():
            get = self._look(value, 0)
            if get is not None:
                self._fill.append(lambda found, n=name, g=get: setattr(cls, n, g(found)))  # type: ignore[misc]

    def _table(self, table: dict[Any, Any], depth: int) -> None:
        for key, value in table.items():
            get = self._look(value, depth)
            if get is not None:
                self._fill.append(lambda found, k=key, g=get: table.__setitem__(k, g(found)))  # type: ignore[misc]

    def _look(self, value: Any, depth: int) -> Callable[[_Found], Any] | None:
        """Say how to get what must stand in a value's place; None where it can stay, filled from inside if need be."""
        kind = type(value)
        if kind is Promise:
            key = (value._passband_module, value._passband_path)
            return lambda found: found.get(key, value)
        if depth >= _MAX_DEPTH:
            return None
        if kind is list:
            for place, item in enumerate(value):
                get = self._look(item, depth + 1)
                if get is not None:
                    self._fill.append(lambda found, p=place, g=get: value.__setitem__(p, g(found)))  # type: ignore[misc]
        elif kind is dict:
            self._table(value, depth + 1)
        elif kind is tuple:
            parts = [self._look(item, depth + 1) for item in value]
            if any(parts):
                both = list(zip(value, parts, strict=True))
                return lambda found: tuple(get(found) if get else item for item, get in both)
        elif kind is types.FunctionType:
            self._function(value, depth + 1)
        return None

    def _function(self, function: types.FunctionType, depth: int) -> None:
        get = self._look(function.__defaults__ or (), depth)
        if get is not None:
            self._fill.append(lambda found: setattr(function, "__defaults__", get(found)))
        if function.__kwdefaults__:
            self._table(function.__kwdefaults__, depth)
        for cell in function.__closure__ or ():
            try:
                inner = self._look(cell.cell_contents, depth)
            except ValueError:  # an empty cell
                continue
            if inner is not None:
                self._fill.append(lambda found, c=cell, g=inner: setattr(c, "cell_contents", g(found)))  # type: ignore[misc]
