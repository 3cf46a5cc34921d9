"""The raw material of the tasks: five families of bugs, six variants each, and two more to decide by.

Variants of a family share the shape of the body and the names of its variables; they differ in function name, constants
and tests. A model of this size memorises words: with a body of its own for every variant it would learn thirty tasks
by heart and nothing about bugs. Variants 0 to 3 are for training, 4 and 5 are held out. Two held-out variants combine
what training shows apart: ``under_cap`` (a sum below a bound) and ``speed`` (a multiplication and an integer division).

Variants 6 and 7 are none of the thirty. They are like the held-out ones, and there to be looked at: whatever is chosen
by numbers, a recipe or a checkpoint, is chosen by theirs. Their words are all in the vocabulary of the thirty.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["FAMILIES", "Variant"]


@dataclass(frozen=True)
class Variant:
    """One task before it is built."""

    name: str
    """Of the function."""
    body: str
    """The buggy body; one space an indent."""
    meant: Callable[..., Any]
    """What the function should do: the expected values of the tests come from it."""
    public: tuple[tuple[Any, ...], ...]
    """Arguments of the tests the agent may run."""
    hidden: tuple[tuple[Any, ...], ...]
    """Arguments of the tests that decide. Some of them lie where the bug shows and no public test looks."""


@dataclass(frozen=True)
class Family:
    """Variants of one bug."""

    name: str
    parameters: str
    repair: str
    """The one operator that repairs it."""
    variants: tuple[Variant, ...]


_SUM = "total = {start}\nfor i in {over}:\n total += {term}\nreturn total"


def _summing(start: int, over: str, term: str) -> str:
    return _SUM.format(start=start, over=over, term=term)


# Every boundary needs two arguments: with one, a program that special-cases the public inputs is right everywhere.
_COMPARE = Family(
    "compare",
    "x, y",
    "fix_comparison",
    (
        Variant(
            "is_adult", "return x > y + 18", lambda x, y: x >= y + 18, ((20, 2), (30, 2)), ((21, 3), (20, 3), (18, 0))
        ),
        Variant(
            "can_retire", "return x > y + 65", lambda x, y: x >= y + 65, ((70, 5), (9, 2)), ((68, 3), (67, 3), (65, 0))
        ),
        Variant(
            "in_time", "return x < y + 50", lambda x, y: x <= y + 50, ((52, 2), (9, 2)), ((53, 3), (54, 3), (50, 0))
        ),
        Variant("fits", "return x * 3 < y", lambda x, y: x * 3 <= y, ((2, 6), (1, 9)), ((3, 9), (4, 11), (0, 0))),
        Variant(
            "under_cap",
            "return x + y < 40",
            lambda x, y: x + y <= 40,
            ((20, 20), (1, 1)),
            ((30, 10), (30, 11), (40, 0)),
        ),
        Variant("is_late", "return x > y + 9", lambda x, y: x >= y + 9, ((11, 2), (20, 2)), ((12, 3), (11, 3), (9, 0))),
        Variant(
            "reaches", "return x + y > 30", lambda x, y: x + y >= 30, ((20, 10), (1, 1)), ((14, 16), (9, 20), (30, 0))
        ),
        Variant(
            "matured", "return x > y + 24", lambda x, y: x >= y + 24, ((26, 2), (30, 2)), ((27, 3), (26, 3), (24, 0))
        ),
    ),
)

_ZERO = Family(
    "zero",
    "x, y",
    "add_zero_guard",
    (
        Variant("mean_of", "return x / y", lambda x, y: x / y if y else 0, ((4, 2), (3, 0)), ((0, 0), (9, 3), (5, 2))),
        Variant(
            "per_head", "return x // y", lambda x, y: x // y if y else 0, ((6, 3), (1, 0)), ((7, 0), (8, 4), (1, 2))
        ),
        Variant(
            "share",
            "return (x + 5) / y",
            lambda x, y: (x + 5) / y if y else 0,
            ((9, 2), (4, 0)),
            ((5, 0), (8, 4), (0, 1)),
        ),
        Variant(
            "unit_cost",
            "return x * 2 / y",
            lambda x, y: x * 2 / y if y else 0,
            ((9, 3), (2, 0)),
            ((5, 0), (8, 4), (1, 2)),
        ),
        Variant(
            "speed",
            "return x * 60 // y",
            lambda x, y: x * 60 // y if y else 0,
            ((2, 4), (1, 0)),
            ((0, 0), (9, 6), (7, 2)),
        ),
        Variant(
            "percent",
            "return (x + 7) / y",
            lambda x, y: (x + 7) / y if y else 0,
            ((1, 4), (1, 0)),
            ((0, 0), (3, 5), (5, 3)),
        ),
        Variant(
            "per_unit",
            "return (x + 24) // y",
            lambda x, y: (x + 24) // y if y else 0,
            ((2, 5), (1, 0)),
            ((0, 0), (3, 5), (5, 3)),
        ),
        Variant(
            "dose", "return x * 14 / y", lambda x, y: x * 14 / y if y else 0, ((1, 4), (1, 0)), ((0, 0), (3, 5), (5, 3))
        ),
    ),
)

_RANGE = Family(
    "range",
    "n",
    "extend_range",
    (
        Variant("sum_to", _summing(0, "range(n)", "i"), lambda n: sum(range(n + 1)), ((3,), (1,)), ((2,), (5,), (9,))),
        Variant(
            "squares",
            _summing(0, "range(n)", "i * i"),
            lambda n: sum(i * i for i in range(n + 1)),
            ((3,), (1,)),
            ((2,), (5,), (9,)),
        ),
        Variant(
            "fours",
            _summing(0, "range(n)", "i * 4"),
            lambda n: sum(i * 4 for i in range(n + 1)),
            ((3,), (2,)),
            ((4,), (5,), (6,)),
        ),
        Variant(
            "from_two",
            _summing(0, "range(2, n)", "i"),
            lambda n: sum(range(2, n + 1)),
            ((3,), (4,)),
            ((5,), (6,), (7,)),
        ),
        Variant(
            "from_three",
            _summing(0, "range(3, n)", "i"),
            lambda n: sum(range(3, n + 1)),
            ((3,), (4,)),
            ((5,), (7,), (8,)),
        ),
        Variant(
            "sevens",
            _summing(0, "range(n)", "i * 7"),
            lambda n: sum(i * 7 for i in range(n + 1)),
            ((2,), (1,)),
            ((3,), (4,), (6,)),
        ),
        Variant(
            "from_four",
            _summing(0, "range(4, n)", "i"),
            lambda n: sum(range(4, n + 1)),
            ((5,), (4,)),
            ((6,), (7,), (8,)),
        ),
        Variant(
            "nines",
            _summing(0, "range(n)", "i * 9"),
            lambda n: sum(i * 9 for i in range(n + 1)),
            ((2,), (1,)),
            ((3,), (4,), (6,)),
        ),
    ),
)

_INIT = Family(
    "init",
    "items",
    "fix_init",
    (
        Variant(
            "add_all",
            _summing(1, "items", "i"),
            sum,
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
        Variant(
            "sixes",
            _summing(1, "items", "i * 6"),
            lambda items: sum(i * 6 for i in items),
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
        Variant(
            "count_all",
            _summing(1, "items", "1"),
            len,
            (((2, 3),), ((),)),
            (((3,),), ((4, 5, 6),), ((2, 2, 2, 2),)),
        ),
        Variant(
            "power",
            _summing(1, "items", "i * i"),
            lambda items: sum(i * i for i in items),
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
        Variant(
            "eights",
            _summing(1, "items", "i * 8"),
            lambda items: sum(i * 8 for i in items),
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
        Variant(
            "shifted",
            _summing(1, "items", "i + 3"),
            lambda items: sum(i + 3 for i in items),
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
        Variant(
            "fives",
            _summing(1, "items", "i * 5"),
            lambda items: sum(i * 5 for i in items),
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
        Variant(
            "lifted",
            _summing(1, "items", "i + 9"),
            lambda items: sum(i + 9 for i in items),
            (((1, 2),), ((),)),
            (((3,),), ((4, 5),), ((0, 0),)),
        ),
    ),
)

_SIGN = Family(
    "sign",
    "x, y",
    "flip_sign",
    (
        Variant("change", "return x + y", lambda x, y: x - y, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("gather", "return x - y", lambda x, y: x + y, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("left_over", "return x + y * 2", lambda x, y: x - y * 2, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("grow", "return x * y - 11", lambda x, y: x * y + 11, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("discount", "return x - y * 12", lambda x, y: x + y * 12, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("area_left", "return x * y + 13", lambda x, y: x * y - 13, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("rest", "return x + y * 5", lambda x, y: x - y * 5, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
        Variant("surface", "return x * y - 14", lambda x, y: x * y + 14, ((5, 3), (2, 1)), ((9, 4), (3, 3), (1, 2))),
    ),
)

FAMILIES = (_COMPARE, _ZERO, _RANGE, _INIT, _SIGN)
"""In the order in which tasks are numbered."""
