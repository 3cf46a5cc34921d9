"""Lent objects: one number each, good until the other side has given it back as often as it got it."""

from __future__ import annotations

import itertools

import pytest

from passband.grade.inside.rpc import lent
from passband.grade.inside.rpc.codec import UncrossableError
from passband.grade.inside.rpc.lent import Lent
from passband.grade.inside.rpc.wire import ProtocolError


def test_an_object_has_one_number() -> None:
    """An object keeps its number, and equal objects have numbers of their own."""
    table, numbers = Lent(), itertools.count(1)
    one, another = [1], [1]
    refs = [table.lend(obj, numbers.__next__) for obj in (one, another, one)]
    assert refs == [1, 2, 1]
    assert table.get(1) is one
    assert table.get(2) is another


def test_a_number_under_way_stays_good() -> None:
    """What was given away twice and comes back once is still lent; after the second time it is not."""
    table, numbers, obj = Lent(), itertools.count(1), object()
    ref = table.lend(obj, numbers.__next__)
    assert table.lend(obj, numbers.__next__) == ref
    table.take_back(ref, 1)
    assert table.holds(obj)
    table.take_back(ref, 1)
    assert not table.holds(obj)
    with pytest.raises(ProtocolError, match="nothing is lent under 1"):
        table.get(ref)


@pytest.mark.parametrize("ref", [7, "7", None, [7]])
def test_a_number_of_nothing(ref: object) -> None:
    """Whatever the other side names, only a number that was given out has an object; giving back another is nothing."""
    table = Lent()
    with pytest.raises(ProtocolError, match="nothing is lent"):
        table.get(ref)
    table.take_back(7, 1)
    assert not table.holds(ref)


def test_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the bound nothing new is lent, and what was lent stays good."""
    monkeypatch.setattr(lent, "_MAX_LENT", 2)
    table, numbers = Lent(), itertools.count(1)
    held = [object(), object()]
    refs = [table.lend(obj, numbers.__next__) for obj in held]
    with pytest.raises(UncrossableError, match="too many objects lent"):
        table.lend(object(), numbers.__next__)
    assert [table.lend(obj, numbers.__next__) for obj in held] == refs
