"""Hidden tests compiled, with their twins: done in a trusted process, before any candidate is near."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from _pytest.assertion.rewrite import rewrite_asserts

from passband.grade.inside.twins.copies import MAX_SITES, altered, mixed, units

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from types import CodeType

__all__ = ["compile_design", "compile_file", "compile_tests", "variant_path"]


def compile_file(tree: ast.Module, source: bytes, path: str, root: str) -> CodeType:
    """Compile one file, with pytest's explanations of failed assertions."""
    ast.fix_missing_locations(tree)
    rewrite_asserts(tree, source, f"{root}/{path}")
    return compile(tree, f"{root}/{path}", "exec", dont_inherit=True)


def variant_path(path: str, label: str) -> str:
    """Name a copy of a test file."""
    return f"{path.removesuffix('.py')}_{label}.py"


def compile_tests(sources: Mapping[str, bytes], files: Sequence[str], root: str) -> dict[str, Any]:
    """Compile hidden files as they are, and every variant of the test files among them.

    In variant ``t3`` every test of a file is a twin at its site 3; in ``h3`` every helper is. A file whose units have
    fewer sites has fewer variants.

    Parameters
    ----------
    sources : mapping
        Relative path → content, Python files only.
    files : sequence of str
        Those that hold tests.
    root : str
        Where they seem to lie.

    Returns
    -------
    dict
        ``code`` (path → code), ``variants`` (file → list of paths), ``units`` (file → (name, is test, sites)).

    Raises
    ------
    SyntaxError, ValueError
        Where a file is not Python.
    """
    trees = {path: ast.parse(source, filename=f"{root}/{path}") for path, source in sources.items()}
    code: dict[str, CodeType] = {}
    variants: dict[str, list[str]] = {}
    table = {}
    for path in files:
        found = units(trees[path])
        table[path] = [tuple(u) for u in found]
        variants[path] = []
        for kind, is_test in (("t", True), ("h", False)):
            for number in range(MAX_SITES):
                choice = {u.name: number for u in found if u.is_test is is_test and u.sites > number}
                if choice:
                    name = variant_path(path, f"{kind}{number}")
                    variants[path].append(name)
                    code[name] = compile_file(altered(trees[path], choice), sources[path], name, root)
    # Last, since rewriting changes a tree in place.
    code.update({path: compile_file(tree, sources[path], path, root) for path, tree in trees.items()})
    return {"code": code, "variants": variants, "units": table}


def compile_design(
    sources: Mapping[str, bytes], seed: int, still: Collection[tuple[str, str]], root: str
) -> tuple[list[dict[str, CodeType]], dict[int, tuple[bool, bool]]]:
    """Compile two copies of all hidden files, for two runs: what a coin changed in one it left alone in the other.

    Parameters
    ----------
    sources : mapping
        Relative path → content, Python files only.
    seed : int
        Decides coins and values.
    still : collection of (path, unit)
        Units in which nothing is changed.
    root : str
        Where the files seem to lie.

    Returns
    -------
    list of dict
        Path → code, twice.
    dict
        What is to be allowed for in what checks note; see :func:`~passband.grade.inside.twins.copies.mixed`.
    """
    trees = {path: ast.parse(source, filename=f"{root}/{path}") for path, source in sources.items()}
    pair = []
    leeway: dict[int, tuple[bool, bool]] = {}
    for turned in (False, True):
        made, leeway = mixed(trees, seed, turned=turned, still=still)
        # Without pytest's explanations: checks only note whether they held.
        pair.append({path: compile(t, f"{root}/{path}", "exec", dont_inherit=True) for path, t in made.items()})
    return pair, leeway
