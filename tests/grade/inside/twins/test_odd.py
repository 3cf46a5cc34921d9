"""What twins ask of values: the opposite of the test, and whether an object would say the same of anything."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passband.grade.inside.twins.odd import HELPERS

differs, lacks = HELPERS["@differs"], HELPERS["@lacks"]
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner) | st.frozensets(st.integers()),
    max_leaves=8,
)


class Liar(list[int]):
    """Equals and holds anything."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    def __contains__(self, item: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Sly(list[int]):
    """Equals any list."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list)

    __hash__ = None  # type: ignore[assignment]


class Point:
    """An honest object."""

    def __init__(self, x: int) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return self.x == other.x if isinstance(other, Point) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


@given(DATA, DATA)
def test_data(left: Any, right: Any) -> None:
    """Of data only the comparison counts."""
    assert differs(left, right) == (not left == right)  # noqa: SIM201 - a float that is not a number is not itself
    assert differs(left, left) == (not left == left)  # noqa: SIM201, PLR0124 - the same
    assert lacks(left, [left, right]) == (left not in [left, right])


@given(DATA)
def test_who_equals_anything_is_found_out(value: Any) -> None:
    """On either side; also who looks first whether it is asked about a list."""
    assert differs(Liar(), value)
    assert differs(value, Liar())
    assert lacks(Liar(), [value])
    assert lacks(value, Liar())
    assert differs(Sly(), [value])


def test_honest_objects() -> None:
    """They are what they are."""
    assert not differs(Point(1), Point(1))
    assert differs(Point(1), Point(2))
    assert differs(Point(1), Liar())
    assert not lacks(Point(1), [Point(1)])
    assert lacks(Point(3), [Point(1)])
    assert differs(math.nan, math.nan)


def test_what_has_no_end() -> None:
    """What is only iterated over is asked once."""
    assert not lacks(5, itertools.count())


@pytest.mark.parametrize("value", [10**4000, 1e308, -math.inf, 1j, {1}, {1, 2}, {"a": 1}, {}, (), [[]]])
def test_another_of_its_kind_is_another(value: Any) -> None:
    """A list subclass that knows the value is equal to it alone, and so no liar."""

    class Knows:
        def __eq__(self, other: object) -> bool:
            return bool(other == value)

        __hash__ = None  # type: ignore[assignment]

    assert not differs(Knows(), value)
