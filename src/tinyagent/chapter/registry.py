"""Which sections there are: every module ``s17_N`` and ``exercise_N`` beside this one, with a function ``run``."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from passband.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tinyagent.chapter.artifacts import Section
    from tinyagent.chapter.lab import Lab

__all__ = ["find_section", "section_names"]

_MODULE = re.compile(r"s(\d+)_(\d+)|exercise_(\d+)")


def section_names() -> tuple[str, ...]:
    """Names of all sections in the chapter's order: ``17.1``, …, ``exercise-2``, …."""
    return tuple(_modules())


def _modules() -> dict[str, str]:
    found = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        match = _MODULE.fullmatch(module.name)
        if match:
            chapter, section, exercise = match.groups()
            order = (1, int(exercise)) if exercise else (0, int(section))
            found[order] = (f"exercise-{exercise}" if exercise else f"{chapter}.{section}", module.name)
    return dict(found[order] for order in sorted(found))


def find_section(name: str) -> Callable[[Lab], Section]:
    """Find what runs a section.

    Raises
    ------
    UnknownNameError
        Where there is no such section; the error lists those there are.
    """
    modules = _modules()
    if name not in modules:
        raise UnknownNameError("section", name, modules, where="tinyagent chapter")
    run: Callable[[Lab], Section] = import_module(f"tinyagent.chapter.{modules[name]}").run
    return run
