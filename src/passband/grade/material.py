"""A case's hidden tests, compiled once: what the runners hand to their processes."""

from __future__ import annotations

import ast
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passband.grade.settings import Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType

    from passband.records import EvalCase, ExecutionSpec

__all__ = ["Material", "key_parts", "shadowed", "static_reason", "test_files", "top_level_names"]

# What a test does to its own process and a candidate in another one would not notice: no failure would show it.
_SILENT_CALLS = {
    "chdir": "changes the working directory",
    "delenv": "changes the environment",
    "environ": "looks at the environment",
    "putenv": "changes the environment",
    "seed": "seeds a random generator of this process",
    "setenv": "changes the environment",
    "setrecursionlimit": "sets the recursion limit",
    "simplefilter": "sets a filter of warnings",
    "filterwarnings": "sets a filter of warnings",
    "syspath_prepend": "changes the import path",
    "tzset": "sets the time zone",
}
_WHOLE_FIXTURES = frozenset({"caplog", "capfd", "recwarn", "tmp_path", "tmp_path_factory", "tmpdir", "tmpdir_factory"})


@dataclass(frozen=True)
class Material:
    """Hidden tests, compiled."""

    files: tuple[str, ...]
    """Those that hold the tests that are asked for."""
    code: Mapping[str, CodeType] = field(repr=False)
    """Path → code, variants of test files included."""
    variants: Mapping[str, Sequence[str]]
    """Test file → paths of its variants."""
    sites: Mapping[tuple[str, str], int]
    """(test file, test unit) → how many sites of its own it has."""
    data: Mapping[str, bytes] = field(repr=False)
    """Hidden files that are not Python."""
    numpy: bool
    """Whether the tests or the tree import numpy."""
    base: Mapping[str, bytes] = field(repr=False)
    """The case's tree, which every candidate's is a change of."""
    settings: Settings = field(default_factory=Settings)
    """What the suite's own settings of pytest say."""

    def beside(self, code: Mapping[str, CodeType]) -> dict[str, bytes]:
        """Return what lies on the disk beside the tests: data, and empty files for pytest to walk over."""
        return {**dict.fromkeys(code, b""), **self.data}


def test_files(spec: ExecutionSpec) -> list[str]:
    """Return the files that a case's test ids live in, each once, in order."""
    return list(dict.fromkeys(id_.partition("::")[0] for id_ in (*spec.fail_to_pass, *spec.pass_to_pass)))


def key_parts(key: str) -> tuple[str, str, str]:
    """Split the key of a test into file, unit and place."""
    file, _, rest = key.partition("::")
    unit, _, place = rest.rpartition("#")
    return file, unit, place


def top_level_names(tree: Mapping[str, bytes]) -> list[str]:
    """Return the names under which the modules of a tree are imported from its root."""
    names = set()
    for path in tree:
        first, slash, _rest = path.partition("/")
        if path.endswith(".py"):
            names.add(first if slash else first.removesuffix(".py"))
    return sorted(n for n in names if n.isidentifier())


def shadowed(tree: Mapping[str, bytes]) -> list[str]:
    """Return the modules of a tree that have the names of modules of the standard library."""
    return [name for name in top_level_names(tree) if name in sys.stdlib_module_names]


def static_reason(case: EvalCase) -> str:
    """Say what in the hidden tests needs the candidate in the same process, as far as the text shows; empty if nothing.

    Only what would go wrong in silence is looked for: what fails in tier 1 shows when the reference is run there.
    """
    if why := read_settings(case.workspace, case.hidden).elsewhere:
        return why
    for path, source in case.hidden.items():
        if not path.endswith(".py"):
            continue
        try:
            tree = ast.parse(source)
        except (SyntaxError, ValueError):
            return f"hidden/{path} is not Python"
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                wanted = {a.arg for a in node.args.args} & _WHOLE_FIXTURES
                if wanted:
                    return f"a test uses {min(wanted)}"
            elif isinstance(node, ast.Attribute) and node.attr in _SILENT_CALLS:
                return f"a test {_SILENT_CALLS[node.attr]}"
            elif isinstance(node, ast.Attribute) and node.attr in {"stdin", "argv"}:
                return f"a test replaces sys.{node.attr}"
    return ""
