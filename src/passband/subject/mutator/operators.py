"""The grammar: what a repairer might try at a place.

The operators are those of the program-repair literature (Weimer et al. 2009; Long & Rinard 2016; the mutation operators
of Jia & Harman 2011), cut to what one edit can do. Those of expressions and those of statements share what stands here.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ARITHMETIC", "Source", "copies"]

ARITHMETIC: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("-",),
    ast.Sub: ("+",),
    ast.Mult: ("/", "+"),
    ast.Div: ("//", "*"),
    ast.FloorDiv: ("/", "%"),
    ast.Mod: ("//",),
    ast.BitAnd: ("|",),
    ast.BitOr: ("&",),
    ast.LShift: (">>",),
    ast.RShift: ("<<",),
}


class Source(Protocol):
    """What the operators need to know of the file."""

    source: bytes

    def text(self, node: ast.AST) -> str:
        """Source text of a node."""
        ...

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Byte range of a node."""
        ...

    def whole_lines(self, statement: ast.stmt) -> tuple[int, int]:
        """Byte range of the lines of a statement."""
        ...


def copies(text: str) -> Iterator[str]:
    """Ways to hand out a copy, which matter where a value is kept, returned or passed on."""
    for made in ("list", "dict", "set"):
        yield f"{made}({text})"
