"""What counts as taking an object of the candidate's at its word."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.grade.inside.pair import pair

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = """
    import enum

    class Meta(type):
        def __contains__(cls, item): return True
        def __getitem__(cls, key): return 1
        def __len__(cls): return 3
        def __iter__(cls): return iter([1, 2, 3])

    class All(metaclass=Meta):
        startswith = staticmethod(lambda text: True)

    class Color(enum.Enum):
        RED = 1

    def helper(): return 3
    helper.startswith = lambda text: True

    def give(what): return {"class": All, "function": helper, "module": __import__("string"), "instance": All()}[what]
    def within(): return [All]
"""
TOUCHES: dict[str, Callable[[Any], Any]] = {
    "in a class": lambda m: 3 in m.give("class"),
    "an item of a class": lambda m: m.give("class")[0],
    "the length of a class": lambda m: len(m.give("class")),
    "through a class": lambda m: list(m.give("class")),
    "an attribute of a class": lambda m: m.give("class").startswith("a"),
    "of a class in a list": lambda m: m.within()[0].startswith("a"),
    "an attribute of a function": lambda m: m.give("function").startswith("a"),
    "an attribute of a module": lambda m: m.give("module").capwords,
    "an attribute of an instance": lambda m: m.give("instance").startswith("a"),
    "in a class that the test names": lambda m: 3 in m.All,
    "an item of a class that the test names": lambda m: m.Color["RED"],
    "named before it was given": lambda m: (m.All, m.give("class").startswith("a")),
}
LEAVES: dict[str, Callable[[Any], Any]] = {
    "a call": lambda m: m.helper(),
    "the call of what came back": lambda m: m.give("function")(),
    "what the test names": lambda m: m.All.startswith("a"),
    "a member that the test names": lambda m: m.Color.RED,
    "an attribute of a function that the test names": lambda m: m.helper.startswith("a"),
}


@pytest.mark.parametrize("name", TOUCHES)
def test_what_decides_a_test_is_touched(name: str) -> None:
    """Whatever comes back from a call answers for itself, a class, a function or a module too."""
    with pair(SOURCE) as (judge, m):
        TOUCHES[name](m)
        assert judge.touched


@pytest.mark.parametrize("name", LEAVES)
def test_what_a_test_names_is_not(name: str) -> None:
    """To call something, or to follow a path of names from an import, takes nobody at their word."""
    with pair(SOURCE) as (judge, m):
        LEAVES[name](m)
        assert not judge.touched
