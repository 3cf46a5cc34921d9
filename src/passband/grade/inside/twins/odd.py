"""What twins compare with where the expected value is not written out: something that no honest value equals.

Turning ``==`` into ``!=`` would find out a wrong report, but not an object that equals whatever it is asked about: both
say the same. So the object is asked about something else as well, and so is a list about something that is not in it.
"""

from __future__ import annotations

from typing import Any

from passband.grade.inside.twins.soft import Check

__all__ = ["HELPERS"]

_SCALARS = frozenset({int, float, complex, str, bytes, bool, type(None)})
_SEQUENCES = frozenset({list, tuple, set, frozenset})
_MAX_DEPTH = 20


def _plain(value: Any, depth: int = 0) -> bool:
    """Whether a value is data through and through: of exact built-in types, whose comparisons do not lie."""
    kind = type(value)
    if kind in _SCALARS:
        return True
    if depth > _MAX_DEPTH:
        return False
    if kind is dict:
        return all(_plain(k, depth + 1) and _plain(v, depth + 1) for k, v in value.items())
    return kind in _SEQUENCES and all(_plain(item, depth + 1) for item in value)


def _other(value: Any) -> Any:
    """Return something of a value's kind that does not equal it; of an object that is no data, nothing of its kind."""
    if not _plain(value):
        return object()
    kind = type(value)
    if value is None:
        return 0
    if kind is bool:
        return not value
    if kind in {int, float, complex}:
        return value * 2 + 1 if value - value == 0 else kind(1)
    if kind in {str, bytes}:
        return value + (b"a" if kind is bytes else "a")
    if kind is dict:
        return {**value, "a": 1} if "a" not in value else {}
    return kind([*value, 1]) if kind in {list, tuple} or 1 not in value else kind()


def differs(left: Any, right: Any) -> bool:
    """Whether two values differ, or one of them is an object that equals what it cannot."""
    for one, another in ((left, right), (right, left)):
        if not _plain(one) and bool(one == _other(another)):
            return True
    return not left == right  # noqa: SIM201 - how the test says it


def lacks(item: Any, holder: Any) -> bool:
    """Whether something is not in a container, or is an object that equals anything, or in one that holds anything."""
    if not _plain(item) and bool(item == object()):
        return True
    # What is only iterated over may have no end.
    asked = not _plain(holder) and hasattr(type(holder), "__contains__")
    return item not in holder or (asked and _other(item) in holder)


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal, as the test says it."""
    return bool(left == right)


def holds(item: Any, holder: Any) -> bool:
    """Whether something is in a container, as the test says it."""
    return item in holder


def unlike(left: Any, right: Any) -> bool:
    """Whether two values differ by ``!=``, or one of them is an object that does not even differ from what it must."""
    for one, another in ((left, right), (right, left)):
        if not _plain(one) and not bool(one != _other(another)):
            return True
    return bool(left != right)


def alike(left: Any, right: Any) -> bool:
    """Whether two values do not differ, as the test says it."""
    return not left != right  # noqa: SIM202 - how the test says it


def vary(value: Any, token: int) -> Any:
    """Return a value, or another one where the number has an odd number of bits."""
    return _other(value) if token.bit_count() % 2 else value


HELPERS = {
    "@differs": differs,
    "@lacks": lacks,
    "@unlike": unlike,
    "@same": same,
    "@holds": holds,
    "@alike": alike,
    "@vary": vary,
    "@check": Check,
}
"""Name in every hidden module → function; no name that a program could have."""
