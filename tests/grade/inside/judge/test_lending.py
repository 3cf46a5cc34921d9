"""What a candidate can do with an object that a test hands it: use it, and not decide what the test asks it later."""

from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

import pytest

from tests.grade.inside.pair import pair

MISCHIEF = """
    def attempt(act):
        try:
            act()
        except AttributeError:
            return "refused"
        return "done"

    def configure(x): return attempt(lambda: x.configure_mock(assert_called_once_with=print))
    def configure_child(x): return attempt(lambda: x.go.configure_mock(**{"assert_called_once_with": print}))
    def reset(x): return attempt(lambda: x.reset_mock())
    def look(x, name): return attempt(lambda: getattr(x, name))
    def write(x, name): return attempt(lambda: setattr(x, name, print))
    def delete(x, name): return attempt(lambda: delattr(x, name))
    def number(x, value): x.number = value

    def call(x): return x.go(1)
"""
ASKED = [name for name in dir(mock.AsyncMock()) if not name.startswith("_")]


class Fake:
    """Of the test, as the folder of these tests is the root."""

    def __init__(self) -> None:
        self.number = 0
        self.done = print

    def check(self) -> int:
        """Answer what the test wants to know."""
        return self.number


@pytest.mark.parametrize("name", ["configure", "configure_child", "reset"])
@pytest.mark.parametrize("kind", [mock.Mock, mock.MagicMock])
def test_a_mock_answers_for_itself(kind: type[mock.Mock], name: str) -> None:
    """Nobody but the test configures a mock or forgets its calls, at any depth."""
    made = kind()
    with pair(MISCHIEF) as (_judge, m):
        m.call(made)
        assert getattr(m, name)(made) == "refused"
        made.go.assert_called_once_with(1)
        with pytest.raises(AssertionError):
            made.go.assert_called_once_with(2)


@pytest.mark.parametrize("name", ASKED)
def test_what_a_test_asks_a_mock_is_out_of_reach(name: str) -> None:
    """Every name of a mock's own is refused: what was called, with what, and what it does and returns."""
    with pair(MISCHIEF) as (_judge, m):
        assert m.look(mock.AsyncMock(), name) == "refused"


def test_a_mock_is_used_and_records_it() -> None:
    """Calls of a mock are what it is lent for: they return what the test said, and are recorded."""
    made = mock.MagicMock()
    made.go.return_value = 5
    with pair(MISCHIEF) as (_judge, m):
        assert m.call(made) == 5
    made.go.assert_called_once_with(1)


@pytest.mark.parametrize("name", ["assertEqual", "skipTest", "addTypeEqualityFunc", "fail", "run"])
def test_a_test_case_keeps_its_own(name: str) -> None:
    """A test that hands itself out is neither skipped, nor ended, nor told what is equal."""

    class Case(unittest.TestCase):
        def runTest(self) -> None:  # noqa: N802 - unittest's name
            """Do nothing."""

    with pair(MISCHIEF) as (_judge, m):
        case = Case()
        assert m.look(case, name) == m.write(case, name) == "refused"


@pytest.mark.parametrize(("name", "word"), [("check", "refused"), ("done", "refused"), ("number", "done")])
def test_methods_of_a_fake_stay_the_test_s(name: str, word: str) -> None:
    """A candidate sets the data of an object of the test's, but nothing that it does."""
    with pair(MISCHIEF) as (_judge, m):
        assert m.write(Fake(), name) == word
        assert m.delete(Fake(), name) == word


def test_data_of_a_fake_is_seen() -> None:
    """What a candidate sets on an object of the test's, the test finds there."""
    fake: Any = Fake()
    with pair(MISCHIEF) as (_judge, m):
        m.number(fake, 7)
        assert fake.check() == 7
