"""Attributes that a test sets: put back where it deletes its own, and gone where nothing was there."""

from __future__ import annotations

import types

import pytest

from passband.grade.inside.candidate.attributes import Attributes


def test_a_set_attribute_goes_back() -> None:
    """Set twice and deleted twice, an attribute is what it was before the first time."""
    target, attributes = types.SimpleNamespace(x=1), Attributes()
    attributes.set(target, "x", 2)
    attributes.set(target, "x", 3)
    attributes.delete(target, "x")
    attributes.delete(target, "x")
    assert vars(target) == {"x": 1}


def test_a_new_attribute_is_gone() -> None:
    """One that was not there before the test set it is deleted."""
    target, attributes = types.SimpleNamespace(), Attributes()
    attributes.set(target, "x", 2)
    attributes.delete(target, "x")
    assert vars(target) == {}


def test_an_attribute_that_nobody_set() -> None:
    """Deleting what no test has set deletes it, and what is not there cannot be deleted."""
    target, attributes = types.SimpleNamespace(x=1), Attributes()
    attributes.delete(target, "x")
    assert vars(target) == {}
    with pytest.raises(AttributeError):
        attributes.delete(target, "x")
