"""Tests that need nothing of pytest while they run: a call, and a look at what it raises.

Most tests use no fixture, no mark but ``parametrize`` and no hook. For those the stages of pytest's protocol (setup,
call, teardown, with a report each) do nothing but take ten times as long as the test.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.outcomes import OutcomeException

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["call_plain", "is_plain", "run_plain"]


def is_plain(item: pytest.Item) -> bool:
    """Whether a test can be run by calling it with its parameters."""
    if type(item) is not pytest.Function or any(m.name != "parametrize" for m in item.iter_markers()):
        return False
    given = item.callspec.params if hasattr(item, "callspec") else {}
    wanted = item._fixtureinfo.argnames
    if set(item.fixturenames) != set(wanted) or set(wanted) != set(given):
        return False
    # Indirect parameters go through a fixture of that name; direct ones through a stand-in of pytest's own.
    defined = item._fixtureinfo.name2fixturedefs
    if any(getattr(d[-1].func, "__module__", "").partition(".")[0] != "_pytest" for d in defined.values() if d):
        return False
    function = inspect.unwrap(item.function)
    return not (inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function))


def run_plain(item: Any) -> tuple[str, str, str]:
    """Run a collected plain test; see :func:`call_plain`."""
    return call_plain(lambda: item.obj, item.callspec.params if hasattr(item, "callspec") else {})


def call_plain(get: Callable[[], Callable[..., object]], given: Mapping[str, Any]) -> tuple[str, str, str]:
    """Run a plain test.

    Parameters
    ----------
    get : callable
        Returns the test; of a class it makes the instance, which may fail like the test itself.
    given : mapping
        Its parameters.

    Returns
    -------
    outcome, error, message : str
        As in pytest's report of the call; the kind of exception; its text.
    """
    try:
        get()(**given)
    except OutcomeException as error:
        kind = type(error).__name__
        return ("failed" if kind == "Failed" else "skipped"), kind, f"{kind}: {error}"
    except BaseException as error:
        return "failed", type(error).__name__, _text(error)
    return "passed", "", ""


def _text(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"
    except Exception as worse:
        return f"{type(error).__name__}, whose text raises {type(worse).__name__}"
