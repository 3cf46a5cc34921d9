"""Which modules are loaded before the fork, so that no candidate waits for them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["LEAN", "WARM", "needs_full", "uses_numpy"]

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
_HEAVY = re.compile(
    rb"^\s*(?:from|import)\s[^#\n]*\b(?:%s)\b" % b"|".join(name.encode() for name in WARM if name not in LEAN),
    re.MULTILINE,
)


_NUMPY = re.compile(rb"^\s*(?:from|import)\s[^#\n]*\bnumpy\b", re.MULTILINE)


def uses_numpy(trees: Iterable[Mapping[str, bytes]]) -> bool:
    """Whether anything in these trees imports numpy, which takes longer to load than all the rest together."""
    return any(_NUMPY.search(content) for tree in trees for content in tree.values())


def needs_full(trees: Iterable[Mapping[str, bytes]]) -> bool:
    """Whether candidates that look like these trees import the dearer modules."""
    return any(_HEAVY.search(content) for tree in trees for content in tree.values())
