"""Hidden tests as code in memory: their text never lies on a disk that a candidate can read."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from passband.grade.inside.odd import HELPERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MemoryFinder"]


class MemoryFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from code objects.

    Parameters
    ----------
    root : str
        Folder the paths are relative to; empty files of the same names may lie there for pytest to walk over.
    code : mapping
        Relative path of a ``.py`` file → its code.
    """

    def __init__(self, root: str, code: Mapping[str, CodeType]) -> None:
        self.root = root
        self.code = {f"{root}/{path}": c for path, c in code.items()}
        # Helpers are found from the root and beside the tests, as pytest's own import modes would have it.
        self.loaded: list[ModuleType] = []
        """Hidden modules that have been imported, in order."""
        self.folders = list(dict.fromkeys([root, *(p.rpartition("/")[0] for p in self.code)]))

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - the signature of meta path finders
    ) -> importlib.machinery.ModuleSpec | None:
        """Find a hidden module by name, relative to `path` or to the folders of hidden files."""
        name = fullname.rpartition(".")[2]
        for folder in self.folders if path is None else path:
            for file, package in ((f"{folder}/{name}/__init__.py", True), (f"{folder}/{name}.py", False)):
                if file in self.code:
                    return importlib.util.spec_from_file_location(
                        fullname,
                        file,
                        loader=self,
                        submodule_search_locations=[f"{folder}/{name}"] if package else None,
                    )
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code in it."""
        assert module.__file__ is not None
        self.loaded.append(module)
        vars(module).update(HELPERS)
        exec(self.code[module.__file__], module.__dict__)  # noqa: S102 - this is what importing means

    def load(self, file: str) -> ModuleType:
        """Make a fresh module of a test file, whatever `sys.modules` may hold under its name."""
        module = ModuleType(file.rpartition("/")[2].removesuffix(".py"))
        module.__file__ = file
        sys.modules[module.__name__] = module
        self.exec_module(module)
        return module
