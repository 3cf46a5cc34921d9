"""What a check is, and which of its parts can only be expectations."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from passband.grade.inside.twins.scopes import called

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.grade.inside.twins.other import Others

__all__ = ["CALLED", "EQUAL", "RAISES", "Check", "asserting", "names_of", "quiet", "raising", "reads"]


class Turn(Protocol):
    """Writes a check as it is, or turned about."""

    def __call__(self, *, turned: bool) -> None:
        """Write it."""


@dataclass
class Check:
    """One check."""

    unit: str
    """The function or method it stands in: ``function`` or ``Class::method``."""
    node: ast.stmt
    values: list[ast.expr] = field(default_factory=list)
    """Literals; each can be changed by itself."""
    turn: Turn | None = None
    """Where there are none: writes the check as it is (False) or turned about (True)."""
    pattern: bool = False
    """Whether the values are regular expressions."""
    maybe: bool = False
    """Whether a test may go by without it, for another right answer."""
    unordered: bool = False
    """Whether it is in a loop whose order may be another for another right answer."""
    number: int = -1

    def change(self, others: Others, value: ast.expr) -> None:
        """Change one of its values."""
        if self.pattern and isinstance(value, ast.Constant) and isinstance(value.value, str):
            value.value = others.pattern(value.value)
        else:
            others.change(value)


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


EQUAL = _words(
    "assertEqual assertEquals assertListEqual assertTupleEqual assertDictEqual assertSetEqual assertSequenceEqual",
    "assertMultiLineEqual assertCountEqual assertAlmostEqual assert_allclose assert_array_equal assert_equal",
    "assert_almost_equal assert_array_almost_equal",
)
CALLED = _words(
    "assert_called_with assert_called_once_with assert_any_call assert_has_calls assert_awaited_with",
    "assert_awaited_once_with assert_any_await assert_has_awaits",
)
RAISES = frozenset({"raises", "warns", "assertRaises", "assertWarns", "assertRaisesRegex", "assertWarnsRegex"})
# What makes a value of others and asks no candidate: and by custom a name with a capital makes an object.
_MAKERS = _words(
    "approx set frozenset list tuple dict sorted float int str bytes bytearray complex round date datetime",
    "timedelta array arange asarray escape call dedent encode strip join format deque",
)


def asserting(node: ast.expr) -> bool:
    """Whether an expression is a call of something that asserts, by its name."""
    return isinstance(node, ast.Call) and called(node).startswith("assert")


def raising(node: ast.With | ast.AsyncWith) -> ast.Call | None:
    """Return the ``raises`` or ``warns`` of a with statement; None where it has none."""
    for item in node.items:
        if isinstance(item.context_expr, ast.Call) and called(item.context_expr) in RAISES:
            return item.context_expr
    return None


def quiet(node: ast.expr) -> bool:
    """Whether an expression calls nothing but what makes values."""
    for inner in ast.walk(node):
        if isinstance(inner, ast.Await | ast.Yield | ast.NamedExpr):
            return False
        if isinstance(inner, ast.Call):
            name = called(inner)
            if name not in _MAKERS and not name[:1].isupper():
                return False
    return True


def names_of(node: ast.With | ast.AsyncWith) -> set[str]:
    """Return the names that a with statement binds."""
    held = [item.optional_vars for item in node.items if item.optional_vars is not None]
    return {inner.id for top in held for inner in ast.walk(top) if isinstance(inner, ast.Name)}


def reads(nodes: Iterable[ast.AST], names: set[str]) -> bool:
    """Whether any of the names is read in any of the nodes."""
    return any(
        isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load) and inner.id in names
        for node in nodes
        for inner in ast.walk(node)
    )
