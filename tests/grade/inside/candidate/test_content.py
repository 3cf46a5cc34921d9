"""Objects that compare as a built-in does: their content is compared, and no word of theirs is taken for it."""

from __future__ import annotations

import datetime as dt
import operator
from collections import Counter, OrderedDict, deque
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from passband.grade.inside.candidate.content import content_of
from passband.grade.inside.candidate.peer import CandidatePeer
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.wire import ProtocolError
from tests.grade.inside.pair import pair

SOURCE = """
    import collections, datetime, decimal, fractions, types
    from collections import abc
    from zoneinfo import ZoneInfo
    import numpy as np

    UTC = ZoneInfo("UTC")

    class L(list):
        def __iter__(self): return iter(())
    class D(dict): pass
    class S(set): pass
    class F(frozenset): pass
    class Q(collections.deque): pass
    class C(collections.Counter): pass
    class O(collections.OrderedDict): pass
    class B(bytearray): pass
    class Own(list):
        def __eq__(self, other): return True
    class Unequal(list):
        def __ne__(self, other): return False
    class Pairs(abc.Mapping):
        def __getitem__(self, key): return {"a": 1}[key]
        def __iter__(self): return iter("a")
        def __len__(self): return 1
    class Few(abc.Set):
        def __contains__(self, item): return True
        def __iter__(self): return iter([1, 2])
        def __len__(self): return 2
    class Day(datetime.date): pass
    class Moment(datetime.datetime):
        def __str__(self): return "now"
    class Span(datetime.timedelta): pass
    class Money(decimal.Decimal):
        def __str__(self): return "$" + super().__str__()
    class Part(fractions.Fraction):
        def __str__(self): return "a part"
    class Wave(complex): pass
    class OwnDay(datetime.date):
        def __eq__(self, other): return True
    class OwnFloat(np.float64):
        def __eq__(self, other): return True
    class Anything:
        def __eq__(self, other): return True

    def make(text): return eval(text)
    def append(held, item): held.append(item)
"""
# What the candidate returns → what it equals, and what it does not.
EQUAL: dict[str, tuple[Any, Any]] = {
    "L([1, 2])": ([1, 2], []),
    "L([L([1]), 2])": ([[1], 2], [[2], 2]),
    "[L([1])]": ([[1]], [[2]]),
    "{'k': L([1])}": ({"k": [1]}, {"k": [2]}),
    "D(a=1)": ({"a": 1}, {"a": 2}),
    "S([1])": ({1}, {2}),
    "F([1])": (frozenset({1}), {2}),
    "Q([1, 2])": (deque([1, 2]), deque([2, 1])),
    "C('aab')": (Counter("aba"), Counter("ab")),
    "O(a=1, b=2)": (OrderedDict(a=1, b=2), OrderedDict(b=2, a=1)),
    "B(b'ab')": (b"ab", bytearray(b"b")),
    "{1: 0}.keys()": ({1}, {2}),
    "{1: 0}.items()": ({(1, 0)}, {1}),
    "types.MappingProxyType({'a': 1})": ({"a": 1}, {}),
    "memoryview(b'ab')": (b"ab", b"b"),
    "collections.UserList([1])": ([1], [2]),
    "collections.UserDict(a=1)": ({"a": 1}, {}),
    "collections.UserString('ab')": ("ab", "b"),
    "collections.ChainMap({'a': 1}, {'a': 2})": ({"a": 1}, {"a": 2}),
    "Pairs()": ({"a": 1}, {"a": 2}),
    "Few()": ({1, 2}, {1}),
    "Day(2020, 1, 2)": (dt.date(2020, 1, 2), dt.date(2020, 1, 3)),
    "Moment(2020, 1, 2, tzinfo=UTC)": (dt.datetime(2020, 1, 2, tzinfo=dt.UTC), dt.datetime(2020, 1, 3, tzinfo=dt.UTC)),
    "Span(1)": (dt.timedelta(1), dt.timedelta(2)),
    "Money('1.50')": (Decimal("1.5"), Decimal("1.6")),
    "Part(1, 3)": (Fraction(1, 3), Fraction(2, 3)),
    "Wave(1, 2)": (1 + 2j, 1 - 2j),
    "np.float64(2.5)": (2.5, 2.4),
    "np.float32(2.5)": (2.5, 2.4),
    "np.int64(3)": (3, 4),
    "np.uint8(3)": (3.0, 3.1),
    "np.complex128(1 + 2j)": (1 + 2j, 1 - 2j),
    "np.bool_(True)": (True, False),
    "np.str_('ab')": ("ab", "b"),
    "np.bytes_(b'ab')": (b"ab", b"b"),
    "[np.int64(1), {'k': np.float64(2)}]": ([1, {"k": 2.0}], [1, {"k": 3.0}]),
}


@pytest.mark.parametrize("text", EQUAL)
def test_content_is_compared(text: str) -> None:
    """From either side, by == and by !=, what is equal in one process is equal across two."""
    right, wrong = EQUAL[text]
    with pair(SOURCE) as (judge, m):
        made = m.make(text)
        assert made == right
        assert right == made
        assert not made != right  # noqa: SIM202 - the other method is meant
        assert made != wrong
        assert wrong != made
        assert not made == wrong  # noqa: SIM201 - the other method is meant
        assert judge.uncrossed == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(("Day(2020, 1, 2)", dt.date), ("Moment(2020, 1, 2)", dt.datetime), ("Moment(2020, 1, 2)", dt.date)),
        *(("Span(1)", dt.timedelta), ("Money('1')", Decimal), ("Wave(1)", complex), ("np.float64(1)", float)),
    ],
)
def test_what_extends_a_value_passes_for_one(text: str, kind: type) -> None:
    """An object whose class extends a date or a number of the library is an instance of it here, too."""
    with pair(SOURCE) as (_judge, m):
        assert isinstance(m.make(text), kind)
        assert not isinstance(m.make(text), str)


def test_numbers_of_numpy_keep_their_kind() -> None:
    """They equal what they equal in one process, and are no more a built-in number than there."""
    with pair(SOURCE) as (_judge, m):
        assert not isinstance(m.make("np.int64(3)"), int)
        assert m.make("np.bool_(True)") is not True
        assert m.make("np.int64(3)") + 1 == 4
        assert [0, 1, 2, 3][m.make("np.int64(3)")] == 3
        assert {3: "a"}[m.make("np.int64(3)")] == "a"
        assert m.make("np.float64(2)") < 2.5
        assert m.make("np.float64(0.3)") == pytest.approx(0.1 + 0.2)


def test_content_is_that_of_the_moment() -> None:
    """What was changed since is compared as it is."""
    with pair(SOURCE) as (_judge, m):
        made = m.make("L([1])")
        assert made == [1]
        m.append(made, 2)
        assert made == [1, 2]


def test_order_is_the_content_s_too() -> None:
    """A comparison by order goes by content, and where that has none there is none."""
    with pair(SOURCE) as (_judge, m):
        assert m.make("L([1, 2])") < [1, 3]
        assert operator.gt([1, 3], m.make("L([1, 2])"))
        assert m.make("S([1])") <= {1, 2}
        with pytest.raises(TypeError):
            assert m.make("D(a=1)") < {}


@pytest.mark.parametrize(
    ("text", "compare"),
    [
        ("Own([1])", operator.eq),
        ("Unequal([1])", operator.ne),
        ("Anything()", operator.eq),
        ("Anything()", operator.ne),
        ("memoryview(b'abcd').cast('I')", operator.eq),
        ("OwnDay(2020, 1, 2)", operator.eq),
        ("OwnFloat(2.5)", operator.eq),
    ],
)
def test_a_comparison_of_its_own_is_not_asked(text: str, compare: Any) -> None:
    """An object whose class says what is equal is not compared with data, whatever it holds."""
    with pair(SOURCE) as (judge, m):
        made = m.make(text)
        with pytest.raises(UncrossableError, match="was compared with data"):
            compare(made, [1])
        assert len(judge.uncrossed) == 1


@pytest.mark.parametrize("answer", [lambda *_: lambda: True, lambda *_: type("A", (), {"__eq__": lambda *_: True})()])
def test_content_that_is_none(answer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes instead of content is not compared either."""
    honest = CandidatePeer.perform

    def perform(self: CandidatePeer, op: str, args: list[Any]) -> Any:
        return answer() if op == "content" else honest(self, op, args)

    monkeypatch.setattr(CandidatePeer, "perform", perform)
    with pair(SOURCE) as (_judge, m):
        made = m.make("L([1])")
        with pytest.raises((UncrossableError, ProtocolError)):
            assert made == [1]


@pytest.mark.parametrize("name", ["__eq__", "__lt__"])
def test_content_of_what_has_none(name: str) -> None:
    """An ordinary object has no content to compare."""
    with pytest.raises(UncrossableError):
        content_of(object(), name)


def test_only_comparisons_are_served() -> None:
    """Content is for comparisons."""
    with pytest.raises(UncrossableError):
        content_of([1], "__len__")


@pytest.mark.parametrize(
    ("text", "kind"),
    [("L()", list), ("D()", dict), ("S()", set), ("F()", frozenset), ("B()", bytearray), ("O()", dict)],
)
def test_what_extends_a_container_passes_for_one(text: str, kind: type) -> None:
    """An object is an instance of its own class and of the container that this extends, and of no other."""
    with pair(SOURCE) as (judge, m):
        made = m.make(text)
        assert isinstance(made, kind)
        assert isinstance(made, getattr(m, text[0]))
        assert type(made).__name__ == made.__class__.__name__ == text[0]
        assert not isinstance(made, int | tuple | deque)
        assert not judge.touched


def test_a_class_that_extends_one_that_does() -> None:
    """A class further down passes for the container as well, and a member of an enumeration for none."""
    with pair(SOURCE + "\n    class Deep(L): pass\n") as (_judge, m):
        assert isinstance(m.make("Deep([1])"), list)
        assert isinstance(m.make("Deep([1])"), m.L)
        assert m.make("Deep([1])") == [1]
        assert not isinstance(m.make("Pairs()"), dict)
