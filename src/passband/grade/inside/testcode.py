"""Hidden tests compiled, with their twins: done in a trusted process, before any candidate is near."""

from __future__ import annotations

import ast
import random
from typing import TYPE_CHECKING, Any

from _pytest.assertion.rewrite import rewrite_asserts

from passband.grade.inside.twins import MAX_SITES, altered, units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
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
    sources: Mapping[str, bytes], path: str, twins: Mapping[str, Sequence[str]], seed: int, *, root: str
) -> tuple[list[tuple[str, CodeType]], dict[str, tuple[int, str]]]:
    """Compile two copies of a test file, such that each unit is a twin in one of them, by the toss of a coin.

    Parameters
    ----------
    sources : mapping
        Relative path → content.
    path : str
        The test file.
    twins : mapping
        Group → the labels of variants it may be taken from; a group is a test, or ``""`` for all helpers.
    seed : int
        Decides coins, sites and names.
    root : str
        Where it seems to lie.

    Returns
    -------
    list of (path, code)
        The two copies, under names that say nothing.
    dict
        Group → (which copy holds the twin, its label).
    """
    rng = random.Random(seed)  # noqa: S311 - the seed is what is secret
    source = sources[path]
    tree = ast.parse(source, filename=f"{root}/{path}")
    found = units(tree)
    choices: list[dict[str, int]] = [{}, {}]
    drawn: dict[str, tuple[int, str]] = {}
    for group, labels in sorted(twins.items()):
        side, label = rng.randrange(2), rng.choice(sorted(labels))
        drawn[group] = (side, label)
        number = int(label[1:])
        names = [group] if group else [u.name for u in found if not u.is_test and u.sites > number]
        choices[side].update(dict.fromkeys(names, number))
    copies = []
    for choice in choices:
        name = variant_path(path, f"{rng.getrandbits(40):010x}")
        copies.append((name, compile_file(altered(tree, choice), source, name, root)))
    return copies, drawn
