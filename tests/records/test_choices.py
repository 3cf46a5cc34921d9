from typing import Literal

import msgspec
import pytest

from passband.records import unknown_choice


class Inner(msgspec.Struct, frozen=True):
    """A field of a struct that is itself one."""

    colour: Literal["red", "green"] | None = None


class One(msgspec.Struct, tag="one", tag_field="kind"):
    """One of two kinds."""

    inner: Inner = Inner()
    width: int = 1


class Two(msgspec.Struct, tag="two", tag_field="kind"):
    """The other."""

    size: Literal[1, 2] = 1


def fault(data):
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(data, One | Two)
    return unknown_choice(caught.value, One | Two, where="here")


def test_the_values_of_the_very_field_are_named():
    """In a union, in a field of a field, beside None, of text or of numbers: the choices are those of that field."""
    deep = fault({"kind": "one", "inner": {"colour": "redd"}})
    assert str(deep) == "here: no inner.colour named 'redd'; did you mean 'red'?"
    assert str(fault({"kind": "two", "size": 7})) == "here: no size named '7'; there are: 1, 2"


def test_another_fault_is_none_of_its_business():
    """A value of another type, and a missing one, have no choices to name."""
    assert fault({"kind": "one", "width": "x"}) is None
    assert fault({"kind": "one", "inner": 3}) is None
