"""Other values for the literals of a test: as likely as those that are there, and never equal to them.

Two values are always each other's other one within one set of twins, and every place has a coin of its own. Who sees
17 in one place and 18 in another cannot tell from that which of them was written there.
"""

from __future__ import annotations

import ast
import math
import string
from typing import TYPE_CHECKING, Any

from passband.grade.inside.twins.origins import VARIED

if TYPE_CHECKING:
    import random

__all__ = ["Others", "leaf"]

_KINDS = (string.ascii_lowercase, string.ascii_uppercase, string.digits)
_TRIES, _BITS = 50, 30
_SCALARS = frozenset({int, float, str, bytes, bool, type(None)})


class Others:
    """Draws other values, and remembers the pairs.

    Parameters
    ----------
    rng : random.Random
        Decides them.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._pairs: dict[tuple[type, str], Any] = {}

    def change(self, node: ast.expr) -> None:
        """Change a literal in place."""
        if isinstance(node, ast.Constant) and node.kind == VARIED:
            node.value = self.token(odd=True)
        elif isinstance(node, ast.Constant):
            node.value = self.of(node.value)
        elif isinstance(node, ast.Dict):
            node.keys, node.values = (
                [_constant(node, self.rng.randint(1, 3))],
                [_constant(node, self.rng.randint(1, 3))],
            )
        elif isinstance(node, ast.List | ast.Tuple | ast.Set):
            node.elts = [_constant(node, self.rng.randint(1, 3))]

    def token(self, *, odd: bool) -> int:
        """Draw a number with an odd or an even number of bits."""
        number = self.rng.getrandbits(_BITS)
        return number if number.bit_count() % 2 == odd else number ^ 1

    def of(self, value: Any) -> Any:
        """Return the other one of a value: of its type, and not equal to it; of None a number."""
        key = (type(value), repr(value))
        if key not in self._pairs:
            for _ in range(_TRIES):
                other = self._draw(value)
                back = (type(other), repr(other))
                if back not in self._pairs:  # else it belongs to another pair already
                    break
            self._pairs[key] = other
            self._pairs.setdefault(back, value)
        return self._pairs[key]

    def pattern(self, text: str) -> str:
        """Return a regular expression with another letter or digit in it; empty where it has none that stands alone."""
        if set(text) & set("[{(|"):
            return ""
        places = [i for i, c in enumerate(text) if c.isascii() and c.isalnum() and (i == 0 or text[i - 1] != "\\")]
        places = [i for i in places if text[i + 1 : i + 2] not in {"*", "?"}]
        if not places:
            return ""
        at = self.rng.choice(places)
        kind = next(kind for kind in _KINDS if text[at] in kind)
        return text[:at] + self.rng.choice(kind.replace(text[at], "")) + text[at + 1 :]

    def _draw(self, value: Any) -> Any:
        if isinstance(value, bool):
            return not value
        if value is None:
            return self.rng.randint(0, 3)
        if isinstance(value, int):
            step = self.rng.choice((1, 2, 3))
            # What was not negative stays so: a length of −1 would say that it is none.
            down = self.rng.randrange(2) and (value < 0 or value >= step)
            return value - step if down else value + step
        if isinstance(value, float):
            return self._float(value)
        if isinstance(value, bytes):
            return self._text(value.decode("latin-1")).encode("latin-1")
        return self._text(str(value))

    def _float(self, value: float) -> float:
        """Change the first digit that counts: far beyond any tolerance, with as many digits as before."""
        if not math.isfinite(value):
            return float(self.rng.randint(1, 9))
        text = repr(value)
        at = next((i for i, c in enumerate(text) if c in "123456789"), None)
        if at is None:
            return float(self.rng.randint(1, 9))
        digit = int(text[at])
        near = [d for d in (digit - 1, digit + 1) if 1 <= d <= 9]
        return float(text[:at] + str(self.rng.choice(near)) + text[at + 1 :])

    def _text(self, text: str) -> str:
        """Put another letter for a letter, or another digit for a digit."""
        places = [(i, kind) for i, c in enumerate(text) for kind in _KINDS if c in kind]
        if not places:
            return text + self.rng.choice(string.ascii_lowercase)
        at, kind = self.rng.choice(places)
        return text[:at] + self.rng.choice(kind.replace(text[at], "")) + text[at + 1 :]


def _constant(like: ast.expr, value: int) -> ast.expr:
    return ast.copy_location(ast.Constant(value), like)


def leaf(node: ast.expr, rng: random.Random) -> ast.expr | None:
    """Draw one of the literals whose change changes the value of an expression; None where it has none.

    Keys of dictionaries and elements of sets only where there is nothing else: another key might be there already.
    """
    found, keys = _leaves(node)
    return rng.choice(found or keys) if found or keys else None


def _leaves(node: ast.expr) -> tuple[list[ast.expr], list[ast.expr]]:
    found: list[ast.expr] = []
    keys: list[ast.expr] = []
    todo: list[tuple[ast.AST, bool]] = [(node, False)]
    while todo:
        inner, is_key = todo.pop()
        into = keys if is_key else found
        if isinstance(inner, ast.Constant):
            if type(inner.value) in _SCALARS:
                into.append(inner)
        elif isinstance(inner, ast.Dict):
            if not inner.keys:
                into.append(inner)
            todo += [(k, True) for k in inner.keys if k is not None]
            todo += [(v, is_key) for v in inner.values]
        elif isinstance(inner, ast.List | ast.Tuple):
            if not inner.elts:
                into.append(inner)
            todo += [(e, is_key) for e in inner.elts]
        elif isinstance(inner, ast.Set):
            todo += [(e, True) for e in inner.elts]
        elif isinstance(inner, ast.Call):
            todo += [(a, is_key or _is_set(inner)) for a in inner.args]
            todo += [(k.value, is_key) for k in inner.keywords if k.arg not in _TOLERANCES]
        elif isinstance(inner, ast.JoinedStr | ast.Subscript | ast.Attribute | ast.Lambda | ast.comprehension):
            continue  # a format, an index, what is looked up in: a change may change nothing, or be no test at all
        elif isinstance(inner, ast.expr):
            todo += [(child, is_key) for child in ast.iter_child_nodes(inner)]
    return found, keys


_TOLERANCES = frozenset({"abs", "rel", "abs_tol", "rel_tol", "atol", "rtol", "delta", "places", "msg", "nan_ok"})


def _is_set(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in {"set", "frozenset"}
