"""Which modules are loaded before the fork, so that no candidate waits for them."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LEAN", "WARM", "needs_full", "uses_numpy", "uses_packages"]

LEAN = (
    *("bisect", "collections", "contextlib", "copy", "datetime", "enum", "functools", "heapq", "io"),
    *("itertools", "json", "math", "numbers", "operator", "os", "re", "string", "textwrap", "types", "typing"),
)
"""What costs a fork next to nothing to have loaded."""
WARM = (
    *LEAN,
    *("argparse", "ast", "base64", "calendar", "csv", "dataclasses", "decimal", "difflib", "fractions", "hashlib"),
    *("inspect", "logging", "pathlib", "random", "shlex", "statistics", "tempfile", "threading", "time"),
    *("traceback", "uuid"),
)
"""Modules that tests and candidates commonly import, loaded before the fork."""
# Of a candidate's text, which may be anything: what stands at a place is looked at once, or a file of empty lines would
# take hours.
_HEAVY = re.compile(
    rb"^[ \t\f]*(?:from|import)\s[^#\n]*\b(?:%s)\b" % b"|".join(name.encode() for name in WARM if name not in LEAN),
    re.MULTILINE,
)


_NUMPY = re.compile(rb"^[ \t\f]*(?:from|import)\s[^#\n]*\bnumpy\b", re.MULTILINE)


def uses_numpy(trees: Iterable[Mapping[str, bytes]]) -> bool:
    """Whether anything in these trees imports numpy, which takes longer to load than all the rest together."""
    return any(_NUMPY.search(content) for tree in trees for content in tree.values())


_IMPORTED = re.compile(
    rb"(?:^[ \t\f]*|[:;]\s*)(?:from\s+(\w+)(?:\.[\w.]*)?\s+import\b|import\s+([^#\n;]+))"
    rb"|\b(?:__import__|import_module)\(\s*[\"'](\w+)",
    re.MULTILINE,
)


def uses_packages(files: Iterable[bytes], own: Iterable[str]) -> bool:
    """Whether files import what is neither in the standard library nor a module of their own tree.

    Parameters
    ----------
    files : iterable of bytes
        Python text; a name that it puts together at run time is not seen.
    own : iterable of str
        Names of the tree's modules.
    """
    known = sys.stdlib_module_names.union(own)
    for content in files:
        for one, several, named in _IMPORTED.findall(content):
            parts = (one or several or named).split(b",")
            names = {part.split()[0].partition(b".")[0] for part in parts if part.strip()}
            if any(name.decode(errors="replace") not in known for name in names):
                return True
    return False


def needs_full(trees: Iterable[Mapping[str, bytes]]) -> bool:
    """Whether candidates that look like these trees import the dearer modules."""
    return any(_HEAVY.search(content) for tree in trees for content in tree.values())
