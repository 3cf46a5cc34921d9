"""Which classes a candidate's process can bring about in the judge by a name."""

from __future__ import annotations

import asyncio
import csv
import json
import subprocess
import unittest.case
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.outcomes import Exit, Failed, Skipped

from passband.grade.inside.candidate.peer import CandidatePeer
from passband.grade.inside.judge.known import builtin_class, library_error
from passband.grade.inside.rpc.classes import RemoteClass
from passband.grade.inside.rpc.wire import GoneError
from tests.grade.inside.pair import pair

if TYPE_CHECKING:
    from collections.abc import Callable

REFUSED = [
    *(unittest.case.SkipTest, unittest.case._ShouldStop, unittest.case._UnexpectedSuccess),
    *(Exit, Failed, Skipped, pytest.UsageError, GoneError, asyncio.CancelledError, KeyboardInterrupt, SystemExit),
    *(Exception.__class__, int, json.JSONDecoder),
]


@pytest.mark.parametrize("known", [json.JSONDecodeError, subprocess.TimeoutExpired, csv.Error, asyncio.QueueFull])
def test_errors_of_the_library_are_known(known: type) -> None:
    """An exception class that honest programs raise is found where it says it is."""
    assert library_error(known.__module__, known.__name__) is known


@pytest.mark.parametrize("refused", REFUSED, ids=lambda cls: cls.__name__)
def test_what_decides_a_run_is_not(refused: type) -> None:
    """What skips a test, stops it or ends the run has no name here, nor has a class that is no exception."""
    assert library_error(refused.__module__, refused.__qualname__) is None


@pytest.mark.parametrize(
    "said", [(None, "Error"), ("csv", None), ("csv", "Error"), ("no.such", "X"), (["csv"], "Error")]
)
def test_a_wrong_home_is_none(said: tuple[Any, Any]) -> None:
    """A class is found where it was made, under text, and nowhere else."""
    assert library_error(*said) is None


@pytest.mark.parametrize(("base", "known"), [(ValueError, True), (unittest.SkipTest, False)])
def test_a_class_of_controls_below_another_name(
    base: type[Exception], known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class of the library that extends one that skips tests is as little known as that one."""
    made = type("DeniedError", (base,), {"__module__": "csv"})
    monkeypatch.setattr(csv, "DeniedError", made, raising=False)
    assert library_error("csv", "DeniedError") is (made if known else None)


@pytest.mark.parametrize(("name", "found"), [("ValueError", ValueError), ("list", list), ("type", type)])
def test_builtin_classes(name: str, found: type) -> None:
    """Built-in classes have their names."""
    assert builtin_class(name) is found


@pytest.mark.parametrize("name", ["print", "__loader__", "nothing", None, 3])
def test_what_is_no_builtin_class(name: Any) -> None:
    """Functions, private names and what is no name are no class."""
    assert builtin_class(name) is None


def _lying(where: str) -> Callable[[CandidatePeer, type], dict[str, Any]]:
    honest = CandidatePeer.description

    def description(self: CandidatePeer, cls: type) -> dict[str, Any]:
        return {**honest(self, cls), "g": where, "q": cls.__name__}

    return description


STOPS = """
class _ShouldStop(Exception): pass
class SkipTest(Exception): pass
class Exit(Exception): pass
def stop(kind):
    raise globals()[kind]("x")
"""


@pytest.mark.parametrize(
    ("module", "kind"),
    [("unittest.case", "_ShouldStop"), ("unittest.case", "SkipTest"), ("_pytest.outcomes", "Exit")],
)
def test_a_claimed_name_brings_a_stand_in(module: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the executor names what would stop a test, the test meets an exception of no meaning."""
    monkeypatch.setattr(CandidatePeer, "description", _lying(module))
    with pair(STOPS) as (_judge, m):
        with pytest.raises(Exception, match="x") as caught:
            m.stop(kind)
        assert isinstance(type(caught.value), RemoteClass)
        assert not isinstance(caught.value, unittest.SkipTest | Exit)


FALSE_NAMES = """
class ValueError(Exception):
    __module__ = "builtins"
class JSONDecodeError(Exception):
    __module__ = "json.decoder"
def fail(kind):
    raise kind("x")
class Stop(KeyboardInterrupt): pass
"""


def test_a_class_is_not_what_it_calls_itself() -> None:
    """A class that takes the name and the module of another one is caught as itself only."""
    with pair(FALSE_NAMES) as (_judge, m):
        for kind, real in ((m.ValueError, ValueError), (m.JSONDecodeError, json.JSONDecodeError)):
            with pytest.raises(kind) as caught:
                m.fail(kind)
            assert not isinstance(caught.value, real)


def test_an_exception_cannot_stop_the_judge() -> None:
    """A class that extends the interrupt of a keyboard is raised, but interrupts nothing."""
    with pair(FALSE_NAMES) as (_judge, m):
        with pytest.raises(BaseException, match="x") as caught:
            m.fail(m.Stop)
        assert type(caught.value) is m.Stop
        assert not isinstance(caught.value, KeyboardInterrupt)


def test_methods_of_an_exception_are_its_class_s() -> None:
    """An exception takes its attributes along, but no replacement of what a test asks it with."""
    source = """
        def fail():
            error = ValueError("x")
            error.code, error.with_traceback = 3, lambda _: ValueError("y")
            raise error
    """
    with pair(source) as (_judge, m):
        with pytest.raises(ValueError, match="x") as caught:
            m.fail()
        assert vars(caught.value) == {"code": 3}
