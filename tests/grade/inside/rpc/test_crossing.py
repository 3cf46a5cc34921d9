"""What crosses between judge and executor, and what it looks like on the other side."""

from __future__ import annotations

import datetime as dt
import gc
import itertools
import uuid
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePosixPath
from unittest import mock
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.grade.inside.rpc.codec import UncrossableError
from tests.grade.inside.pair import pair

ECHO = "def echo(x): return x\ndef kind(x): return type(x).__name__\n"

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
hashable = st.recursive(
    scalars
    | st.fractions()
    | st.decimals(allow_nan=False)
    | st.datetimes()
    | st.dates()
    | st.timedeltas()
    | st.uuids(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3),
    max_leaves=8,
)
values = st.recursive(
    hashable,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(hashable, inner, max_size=4)
        | st.sets(hashable, max_size=4)
        | st.tuples(inner)
        | st.builds(deque, st.lists(inner, max_size=3), st.just(3))
    ),
    max_leaves=12,
)


def same(a: object, b: object) -> bool:
    """Whether two values are equal, and of one type all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        pairs = zip(a.items(), b.items(), strict=True)
        return len(a) == len(b) and all(same(x, y) for p, q in pairs for x, y in zip(p, q, strict=True))
    if isinstance(a, list | tuple | deque):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, set | frozenset):  # whose order depends on how they came about
        return len(a) == len(b) and all(any(same(x, y) for y in b) for x in a)
    return a == b and repr(a) == repr(b)


@given(st.lists(values, max_size=4))
@settings(max_examples=200, deadline=None)
def test_values_come_back_as_they_went(sent):
    """Data that goes there and back is equal, in its exact types, in its order."""
    with pair(ECHO) as (_judge, module):
        for value in sent:
            got = module.echo((value,))[0]
            assert same(got, value) or (isinstance(value, set | frozenset | dict) and got == value)


@pytest.mark.parametrize(
    "value",
    [
        -0.0,
        float("inf"),
        "\ud800",
        "\u2028\0",
        b"",
        1 + 2j,
        range(1, 9, 2),
        slice(1, None),
        ...,
        NotImplemented,
        Decimal("1.10"),
        Fraction(-1, 3),
        dt.datetime(2024, 2, 29, 1, 2, 3, 4, tzinfo=dt.timezone(dt.timedelta(hours=-3.5), "X"), fold=1),
        dt.time(1, 2, tzinfo=dt.UTC),
        dt.datetime(2024, 3, 31, 2, 30, tzinfo=ZoneInfo("Europe/Berlin"), fold=1),
        ZoneInfo("UTC"),
        uuid.UUID(int=5),
        PurePosixPath("a/../b"),
        OrderedDict([(2, 1), (1, 2)]),
        Counter("aab"),
        defaultdict(list, {1: [2]}),
        bytearray(b"\xff"),
        int,
        ValueError,
    ],
)
def test_values_of_the_library(value):
    """Built-in values and types, and the library's values, arrive as themselves."""
    with pair(ECHO) as (_judge, module):
        assert module.kind(value) == type(value).__name__
        got = module.echo(value)
        assert type(got) is type(value)
        assert got == value
        assert repr(got) == repr(value)


def test_integers_of_any_size():
    """An integer with more digits than the interpreter likes to print crosses all the same."""
    with pair(ECHO) as (_judge, module):
        for value in (10**5000, -(10**5000), 2**4096):
            assert module.echo(value) == value
            assert module.echo([value]) == [value]


def test_nan_is_nan():
    """Not a number on one side, not a number on the other."""
    with pair(ECHO) as (_judge, module):
        got = module.echo(float("nan"))
        assert got != got  # noqa: PLR0124 - what it means to be NaN


def test_arguments_keep_their_identity():
    """The same list in is the same list out, in whatever it is wrapped; another equal one is another."""
    with pair(ECHO) as (_judge, module):
        inner = [1]
        outer = [inner, inner, [1]]
        got = module.echo(outer)
        assert got is outer
        assert got[0] is inner
        assert got[2] is not inner
        assert module.echo({"k": inner})["k"] is inner


def test_changes_to_arguments_are_seen():
    """What a function does to lists, dictionaries, sets and bytes it was given shows on the test's side."""
    source = """
        def change(xs, d, s, b, q):
            xs[0].append(9); xs.reverse(); d.clear(); d["k"] = xs; s.discard(1); b += b"!"; q.rotate(1)
    """
    with pair(source) as (_judge, module):
        inner, d, s, b, q = [1], {"a": 1}, {1, 2}, bytearray(b"x"), deque([1, 2, 3])
        xs = [inner, 5]
        module.change(xs, d, s, b, q)
        assert xs == [5, [1, 9]]
        assert inner == [1, 9]
        assert d["k"] is xs
        assert (s, b, q) == ({2}, bytearray(b"x!"), deque([3, 1, 2]))


def test_changes_by_the_test_are_seen():
    """A list that the candidate keeps changes there when the test changes it, and the other way round."""
    source = """
        class Box:
            def __init__(self, items): self.items = items
            def add(self, x): self.items.append(x)
            def size(self): return len(self.items)
        def leak(box): return box.items
    """
    with pair(source) as (_judge, module):
        mine = [1]
        box = module.Box(mine)
        mine.append(2)
        assert box.size() == 2
        box.add(3)
        assert mine == [1, 2, 3]
        leaked = module.leak(box)
        assert leaked is mine
        leaked.clear()
        assert box.size() == 0


def test_what_is_let_go_is_forgotten():
    """Thousands of short-lived values and objects do not pile up on either side."""
    source = "class O: pass\ndef make(): return O()\ndef some(): return [[1], {2: 3}]\n"
    with pair(source) as (judge, module):
        kept = module.some()
        for _ in range(2000):
            module.make()
            module.some()
        gc.collect()
        module.some()
        assert len(judge._by_ref) < 300
        assert len(judge._standins) < 50
        kept[0].append(2)
        assert kept == [[1, 2], {2: 3}]


CLASSES = """
import enum
from collections import namedtuple
from dataclasses import dataclass

class Oops(ValueError):
    def __init__(self, code, why): super().__init__(f"{code}: {why}"); self.code = code

class Base:
    LIMIT = 3
    def __init__(self, n=0): self.n = n
    def up(self, by=1): self.n += by; return self
    @property
    def double(self): return 2 * self.n
    @classmethod
    def five(cls): return cls(5)
    @staticmethod
    def half(x): return x / 2
    def __len__(self): return self.n
    def __iter__(self): return iter(range(self.n))
    def __getitem__(self, i):
        if i >= self.n: raise IndexError(i)
        return i * 10
    def __contains__(self, x): return x < self.n
    def __add__(self, other): return Base(self.n + getattr(other, "n", other))
    def __radd__(self, other): return Base(self.n + other)
    def __eq__(self, other): return isinstance(other, Base) and self.n == other.n
    def __hash__(self): return hash(self.n)
    def __repr__(self): return f"Base({self.n})"
    def __enter__(self): return self
    def __exit__(self, kind, error, trace): self.n = -1; return kind is KeyError
    def __call__(self, x): return x + self.n
    def boom(self): raise Oops(7, "no")

class Derived(Base): pass

class Plain: pass

@dataclass(order=True)
class Point:
    x: int
    y: int = 0

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

class Level(enum.IntEnum):
    LOW = 1

Pair = namedtuple("Pair", "a b")

def gen(n):
    for i in range(n):
        got = yield i
        if got: yield got
    return "end"

def chained():
    try: {}["k"]
    except KeyError as error: raise Oops(1, "chained") from error
"""


def test_classes_and_instances():
    """Stand-ins construct, subclass, compare, iterate and call as the originals do."""
    with pair(CLASSES) as (_judge, m):
        b = m.Base(2)
        assert isinstance(b, m.Base)
        assert isinstance(m.Derived(1), m.Base)
        assert not isinstance(b, m.Derived)
        assert type(b) is m.Base
        assert issubclass(m.Derived, m.Base)
        assert (b.n, b.double, len(b), list(b), b[1], b(40)) == (2, 4, 2, [0, 1], 10, 42)
        assert 1 in b
        assert 5 not in b
        assert b.up().up(by=2) is b
        assert b.n == 5
        assert b == m.Base.five()
        assert hash(b) == hash(m.Base(5))
        assert {b: 1}[m.Base(5)] == 1
        assert (b + 1).n == 6
        assert (1 + b).n == 6
        assert sum([b, b], m.Base(0)).n == 10
        assert (m.Base.LIMIT, m.Base.half(3), repr(b)) == (3, 1.5, "Base(5)")
        b.n = 1
        assert b.double == 2
        with pytest.raises(IndexError, match="1"):
            b[1]
        with pytest.raises(AttributeError):
            b.nothing  # noqa: B018 - looking is the test
        with b as inside:
            assert inside is b
            raise KeyError
        assert b.n == -1


def test_special_methods_are_only_those_that_are_there():
    """What the original cannot do the stand-in cannot either."""
    with pair(CLASSES) as (_judge, m):
        plain = m.Plain()
        assert not callable(plain)
        assert not hasattr(plain, "__len__")
        for wrong in (len, iter, float):
            with pytest.raises(TypeError):
                wrong(plain)
        assert plain == plain  # noqa: PLR0124 - identity
        assert plain != m.Plain()
        assert plain != 3
        assert bool(plain)


def test_data_classes_enums_and_named_tuples():
    """Generated comparisons, members by identity, values that extend built-in ones by their content."""
    with pair(CLASSES) as (_judge, m):
        assert m.Point(1) == m.Point(1, 0)
        assert m.Point(1) < m.Point(2)
        assert m.Colour.RED is m.Colour["RED"]
        assert m.Colour(2) is m.Colour.BLUE
        assert [c.name for c in m.Colour] == ["RED", "BLUE"]
        assert m.Level.LOW == 1
        assert isinstance(m.Level.LOW, int)
        pair_ = m.Pair(1, [2])
        assert pair_ == (1, [2])
        assert (pair_.a, pair_._replace(a=3).a, tuple(pair_)) == (1, 3, (1, [2]))


def test_generators_and_iterators():
    """Generators are stepped through where they live, and end with their value."""
    with pair(CLASSES) as (_judge, m):
        assert list(m.gen(3)) == [0, 1, 2]
        g = m.gen(2)
        assert next(g) == 0
        assert g.send("x") == "x"
        assert list(itertools.islice(g, 5)) == [1]
        with pytest.raises(StopIteration):
            next(g)
        g = m.gen(1)
        next(g)
        with pytest.raises(StopIteration) as end:
            g.send(None)
        assert end.value.value == "end"
        m.gen(1).close()


def test_exceptions():
    """By type, text, arguments, attributes and cause; the candidate's own classes among them."""
    with pair(CLASSES) as (_judge, m):
        with pytest.raises(m.Oops, match="7: no") as caught:
            m.Base().boom()
        assert isinstance(caught.value, ValueError)
        assert caught.value.code == 7
        assert caught.value.args == ("7: no",)
        with pytest.raises(m.Oops) as caught:
            m.chained()
        assert isinstance(caught.value.__cause__, KeyError)
        with pytest.raises(TypeError, match="unexpected keyword"):
            m.Base(nonsense=1)


def test_callbacks():
    """Functions of the test are called by the candidate; what they raise comes through as itself."""
    source = """
        def each(f, xs): return [f(x) for x in xs]
        def guarded(f):
            try: f()
            except ValueError as error: return type(error).__mro__[-4].__name__, str(error)
        def twice(f): return f(lambda x: x * 2)
    """
    with pair(source) as (_judge, m):
        seen = []
        assert m.each(lambda x: seen.append(x) or x + 1, [1, 2]) == [2, 3]
        assert seen == [1, 2]

        class MineError(ValueError):
            pass

        mine = MineError("mine")

        def boom(*_):
            raise mine

        with pytest.raises(MineError) as caught:
            m.each(boom, [1])
        assert caught.value is mine
        assert m.guarded(boom)[1] == "mine"
        assert m.twice(lambda f: f(21)) == 42
        spy = mock.Mock(return_value=7)
        assert m.each(spy, ["a"]) == [7]
        spy.assert_called_once_with("a")


def test_fakes_lend_their_public_face_only():
    """An object of the test can be used by the candidate, but not walked through to the test's own world."""
    source = """
        def use(clock): clock.now += 1; return clock.now, clock.tick(2)
        def pry(f, name):
            try: return repr(getattr(f, name))
            except Exception as error: return type(error).__name__
    """

    class Clock:
        def __init__(self):
            self.now = 1
            self._secret = 42

        def tick(self, n):
            self.now += n
            return self.now

    with pair(source) as (judge, m):
        clock = Clock()
        assert m.use(clock) == (2, 4)
        assert clock.now == 4
        for name in ("_secret", "__class__", "__dict__"):
            assert "42" not in m.pry(clock, name)
        for name in ("__globals__", "__code__", "__closure__", "__self__", "__func__", "func_globals", "im_self"):
            assert m.pry(clock.tick, name) == "AttributeError"
            assert m.pry(lambda: clock, name) == "AttributeError"
        assert not judge.lost


@pytest.mark.parametrize("name", ["gi_frame", "gi_code", "_secret", "__globals__"])
def test_prying_past_the_stand_in(name):
    """A candidate that makes requests by hand gets no further than one that uses attributes."""
    source = f"""
        def pry(x):
            try: return x._passband_peer.ask("get", x, {name!r})
            except AttributeError: return "refused"
    """
    with pair(source) as (_judge, m):
        assert m.pry(i for i in range(3)) == "refused"
        assert m.pry(lambda: 1) == "refused"


def test_requests_about_nothing_lent():
    """A request about an object that was never lent ends the run: no honest process makes one."""
    from passband.grade.inside.rpc.wire import ProtocolError

    source = "def pry(f): return f._passband_peer.ask('get', [1], 'append')"
    with pair(source) as (judge, m):
        with pytest.raises(ProtocolError):
            m.pry(lambda: 1)
        assert judge.lost


def test_an_object_is_not_asked_whether_it_equals_data():
    """A candidate's object with an equality of its own is never believed to equal a value."""
    source = """
        class E:
            def __eq__(self, other): return True
            def __ne__(self, other): return False
            __hash__ = None
        def make(): return E()
    """
    with pair(source) as (judge, m):
        for other in (4, "x", [1], None):
            if other is None:
                assert (m.make() == other) is False
                continue
            with pytest.raises(UncrossableError):
                assert m.make() == other
            with pytest.raises(UncrossableError):
                assert other == m.make()
        assert judge.uncrossed
        assert m.make() == m.make()


@pytest.mark.parametrize("what", ["pytest", "frame", "module", "file"])
def test_what_is_not_lent(what, request, tmp_path):
    """Objects of pytest, frames, modules and open files stay on the test's side."""
    import sys

    thing = {"pytest": request, "frame": sys._getframe(), "module": sys, "file": None}[what]
    with pair(ECHO) as (judge, m):
        if what == "file":
            with (tmp_path / "f").open("w") as thing:
                m.echo(thing).write("hello")  # a file is a stream, and streams are lent
            assert (tmp_path / "f").read_text() == "hello"
            return
        with pytest.raises(UncrossableError):
            m.echo(thing)
        assert judge.uncrossed
        assert m.echo(1) == 1


def test_patched_attributes_go_back(monkeypatch):
    """Patching works on the candidate's modules and classes, and leaves them as they were."""
    source = """
        def now(): return 1
        def ask(): return now()
        class C:
            def m(self): return 1
            @classmethod
            def c(cls): return cls.__name__
            @staticmethod
            def s(): return 3
    """
    with pair(source) as (_judge, m):
        with monkeypatch.context() as patch:
            patch.setattr(m, "now", lambda: 5)
            assert m.ask() == 5
            patch.setattr(m, "now", lambda: 6)
            assert m.ask() == 6
            patch.setattr(m.C, "m", lambda self: 7)
            patch.setattr(m.C, "c", lambda: 8)
            assert m.C().m() == 7
        assert m.ask() == 1
        assert (m.C().m(), m.C.c(), m.C.s()) == (1, "C", 3)
