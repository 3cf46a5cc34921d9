"""Imports from the candidate's tree, without the standard path finder's detours."""

from __future__ import annotations

import importlib
import importlib.machinery
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

__all__ = ["TreeFinder", "imported", "load"]


class _TreeLoader(importlib.machinery.SourceFileLoader):
    """Compiles a file as it is: no byte code to look for, none to write."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the signature of loaders
        """Read and compile the module."""
        return compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)


class TreeFinder:
    """Finds plain modules and packages below one folder; anything else is left to the finders after it.

    Parameters
    ----------
    root : str
        The folder.
    """

    def __init__(self, root: str) -> None:
        self.root = root

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - the signature of meta path finders
    ) -> importlib.machinery.ModuleSpec | None:
        """Find ``name/__init__.py`` or ``name.py``, in the root or in the folder of the parent package."""
        folder = self.root if path is None else next(iter(path), "")
        if not folder.startswith(self.root):
            return None
        place = f"{folder}/{fullname.rpartition('.')[2]}"
        for file, package in ((f"{place}/__init__.py", True), (f"{place}.py", False)):
            if _is_file(file):
                loader = _TreeLoader(fullname, file)
                spec = importlib.machinery.ModuleSpec(fullname, loader, origin=file, is_package=package)
                spec.has_location = True
                if package:
                    spec.submodule_search_locations = [place]
                return spec
        return None


def load(finder: TreeFinder, name: str) -> ModuleType | None:
    """Import a top-level module of the tree that nothing has imported yet, in half the steps of the import system.

    Parameters
    ----------
    finder : TreeFinder
        Of the tree.
    name : str
        The module.

    Returns
    -------
    module or None
        None where the tree has none of that name.

    Raises
    ------
    BaseException
        Whatever the module raises; it is then as if it had not been imported.
    """
    spec = finder.find_spec(name, None)
    if spec is None or not isinstance(spec.loader, _TreeLoader):
        return None
    module = ModuleType(name)
    module.__spec__, module.__loader__, module.__file__ = spec, spec.loader, spec.origin
    module.__package__ = spec.parent
    if spec.submodule_search_locations is not None:
        module.__path__ = spec.submodule_search_locations
    code = spec.loader.get_code(name)
    sys.modules[name] = module
    try:
        exec(code, vars(module))  # noqa: S102 - this is what importing means
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return sys.modules.get(name, module)  # a module may put something else in its own place


def imported(tree: TreeFinder | None, module: str, path: str) -> tuple[bool, Any]:
    """Import a module and follow a dotted path in it.

    Parameters
    ----------
    tree : TreeFinder or None
        Of the candidate's tree, where that is asked first.
    module, path : str
        What to import; the path may be empty.

    Returns
    -------
    bool
        Whether it went well.
    object
        What came of it: the object, or the exception.
    """
    try:
        found: Any = _module(tree, module)
        for name in path.split(".") if path else ():
            try:
                found = getattr(found, name)
            except AttributeError:
                if not isinstance(found, ModuleType):
                    raise
                try:
                    found = importlib.import_module(f"{found.__name__}.{name}")
                except ModuleNotFoundError:
                    raise ImportError(f"cannot import name {name!r} from {found.__name__!r}") from None
    except BaseException as error:
        return False, error
    return True, found


def _module(tree: TreeFinder | None, name: str) -> ModuleType:
    known = name in sys.modules or name in sys.stdlib_module_names
    if tree is not None and "." not in name and not known:
        found = load(tree, name)
        if found is not None:
            return found
    return importlib.import_module(name)


def _is_file(path: str) -> bool:
    try:
        return os.stat(path).st_mode & 0o170000 == 0o100000
    except (OSError, ValueError):
        return False
