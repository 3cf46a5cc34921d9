"""Hidden tests as code in memory: their text never lies on a disk that a candidate can read."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os.path
import sys
from types import CodeType, ModuleType
from typing import TYPE_CHECKING

from passband.grade.inside.twins.odd import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["MemoryFinder"]


class MemoryFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports modules from code objects.

    Parameters
    ----------
    root : str
        Folder the paths are relative to; empty files of the same names may lie there for pytest to walk over.
    code : mapping
        Relative path of a ``.py`` file → its code.
    beside : str
        The candidate's tree, where it is at hand: hidden files may be parts of its packages.
    """

    def __init__(self, root: str, code: Mapping[str, CodeType], beside: str = "") -> None:
        self.root = root
        self._beside = beside
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
        for folder in self.folders if path is None else self._with_hidden(path):
            for file, package in ((f"{folder}/{name}/__init__.py", True), (f"{folder}/{name}.py", False)):
                if file in self.code:
                    return importlib.util.spec_from_file_location(
                        fullname,
                        file,
                        loader=self,
                        submodule_search_locations=self._both(f"{folder}/{name}") if package else None,
                    )
        return None

    def _both(self, folder: str) -> list[str]:
        """Return the folders of a hidden package: its own, and that of the tree, where the rest of it may lie."""
        return [folder, *([self._beside + folder.removeprefix(self.root)] if self._beside else [])]

    def _with_hidden(self, path: Sequence[str]) -> Iterator[str]:
        """Yield the folders of a package, and where hidden parts of it would lie."""
        for folder in path:
            yield folder
            if self._beside and folder.startswith(f"{self._beside}/"):
                yield self.root + folder.removeprefix(self._beside)

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's code in it."""
        assert module.__file__ is not None
        self.loaded.append(module)
        vars(module).update(HELPERS)
        exec(self.code[module.__file__], module.__dict__)  # noqa: S102 - this is what importing means

    def load(self, file: str) -> ModuleType:
        """Make a fresh module of a test file, whatever `sys.modules` may hold under its name."""
        packages = self._packages(file)
        module = ModuleType(".".join([*packages, file.rpartition("/")[2].removesuffix(".py")]))
        module.__file__ = file
        if packages:
            module.__package__ = ".".join(packages)
            importlib.import_module(module.__package__)
        sys.modules[module.__name__] = module
        self.exec_module(module)
        return module

    def _packages(self, file: str) -> list[str]:
        """Return the packages that a test file is in, as pytest would have it: up to a folder that is none."""
        packages: list[str] = []
        folder, _, name = file.rpartition("/")[0].rpartition("/")
        while len(f"{folder}/{name}") > len(self.root):
            place = f"{folder}/{name}"
            # A tree's own package may hold a hidden one, but makes none of a folder that is not.
            of_tree = packages and self._beside and os.path.isfile(f"{self._both(place)[1]}/__init__.py")
            if f"{place}/__init__.py" not in self.code and not of_tree:
                break
            packages.insert(0, name)
            folder, _, name = folder.rpartition("/")
        return packages
