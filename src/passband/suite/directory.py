"""Suites as folders: ``suite.toml`` and a folder a case."""

from __future__ import annotations

import os
import stat
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passband.errors import SuiteError
from passband.suite.evalsuite import EvalSuite
from passband.suite.table import case_from_table, check_keys, table_at, text_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from passband.records import EvalCase

__all__ = ["load_directory"]

# Byte code is made by running, not by writing: it is never content.
_NOT_CONTENT = frozenset({"__pycache__", ".pytest_cache", ".DS_Store"})
_REFERENCE_FILES = ("reference.patch", "reference.txt")


def load_directory(root: Path) -> EvalSuite:
    """Read a suite folder: ``suite.toml``, ``cases/NAME/{case.toml,repo/,hidden/,reference.patch}``.

    Raises
    ------
    SuiteError
        With the file, and for broken TOML the line, that is at fault.
    """
    where = str(root / "suite.toml")
    settings = _toml(root / "suite.toml")
    check_keys(settings, ("name", "description", "defaults"), where)
    name = text_at(settings.get("name", root.name), f"{where}.name")
    description = text_at(settings.get("description", ""), f"{where}.description")
    defaults = table_at(settings.get("defaults", {}), f"{where}.defaults")
    check_keys(defaults, ("grader_spec",), f"{where}.defaults")
    grading = table_at(defaults.get("grader_spec", {}), f"{where}.defaults.grader_spec")
    folder = root / "cases"
    if not folder.is_dir():
        raise SuiteError("has no folder 'cases'", where=str(root))
    cases = tuple(_load_case(path, root, grading) for path in sorted(folder.iterdir()) if path.name not in _NOT_CONTENT)
    return EvalSuite(name=name, cases=cases, description=description)


def _load_case(folder: Path, root: Path, defaults: Mapping[str, Any]) -> EvalCase:
    if not folder.is_dir():
        raise SuiteError("is not a case folder", where=str(folder), fix="cases/ holds one folder a case")
    table = _toml(folder / "case.toml")
    where = str(folder / "case.toml")
    for key in ("workspace", "hidden"):
        if key in table:
            raise SuiteError(f"unknown key {key!r}", where=where, fix="put the files in the folders repo/ and hidden/")
    table.setdefault("id", folder.name)
    for name in _REFERENCE_FILES:
        path = folder / name
        if path.is_file():
            if "reference" in table:
                raise SuiteError(f"has a reference here and in {name}", where=where)
            # Bytes that are not UTF-8 belong in hidden or repo files; a reference is text.
            table["reference"] = _text(path)
    table["workspace"] = dict(_read_tree(folder / "repo", root))
    table["hidden"] = dict(_read_tree(folder / "hidden", root))
    return case_from_table(table, where=where, defaults=defaults)


def _read_tree(folder: Path, root: Path) -> Iterator[tuple[str, bytes]]:
    if not folder.exists():
        return
    inside = root.resolve()
    for directory, subdirectories, files in os.walk(folder):
        subdirectories[:] = sorted(name for name in subdirectories if name not in _NOT_CONTENT)
        for name in subdirectories:
            path = Path(directory, name)
            if path.is_symlink():
                raise SuiteError(
                    "is a symbolic link to a folder", where=str(path), fix="put the files there themselves"
                )
        for name in sorted(files):
            if name in _NOT_CONTENT or name.endswith((".pyc", ".pyo")):
                continue
            path = Path(directory, name)
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                raise SuiteError(
                    "is a symbolic link out of the suite", where=str(path), fix="put the file there itself"
                )
            try:
                if not stat.S_ISREG(path.stat().st_mode):
                    raise SuiteError("is not a regular file", where=str(path))
                yield path.relative_to(folder).as_posix(), path.read_bytes()
            except OSError as error:
                raise SuiteError(f"cannot be read: {error.strerror}", where=str(path)) from None


def _text(path: Path) -> str:
    try:
        # newline="" keeps carriage returns: they matter in a patch.
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise SuiteError(f"is not UTF-8 at byte {error.start}", where=str(path)) from None
    except OSError as error:
        raise SuiteError(f"cannot be read: {error.strerror}", where=str(path)) from None


def _toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise SuiteError("is missing", where=str(path))
    try:
        return tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as error:
        raise SuiteError(f"is not TOML: {error}", where=str(path)) from None
