"""Reading a test report that may be forged: strict completeness, and never an exception."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passband.grade.inside.clip import clip

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.records import Limits
    from passband.sandbox.runs import RunEnd

__all__ = ["Report", "TestOutcome", "TestRun", "ending", "timed_out"]

_PASSED = [("setup", "passed"), ("call", "passed"), ("teardown", "passed")]
_FAILED = [("setup", "passed"), ("call", "failed"), ("teardown", "passed")]
_SHOWN = 400
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")


@dataclass(frozen=True)
class TestOutcome:
    """What became of one test id."""

    __test__ = False  # not a test class, whatever its name looks like

    passed: bool
    why: str = ""
    """Why it counts as not passed; addresses are masked, since equal runs have equal reasons.

    What a candidate says may hold half a character, which cannot be stored or written: it is spelled out.
    """

    def __post_init__(self) -> None:
        why = self.why.encode(errors="backslashreplace").decode()
        object.__setattr__(self, "why", _ADDRESS.sub("0x…", why))


@dataclass(frozen=True)
class TestRun:
    """What became of every test id that was asked for."""

    __test__ = False

    outcomes: Mapping[str, TestOutcome]
    tier: str
    """``split``, ``pytest`` or ``command``, with the sandbox: ``pytest@namespaces``."""
    unguarded: tuple[str, ...] = ()
    """Ids that passed, where a pass rests on the candidate's word, and no twin that must fail bore it out."""
    log: str = ""
    """What the candidate printed, up to the limit."""
    wall_s: float = 0.0
    cpu_s: float = 0.0

    @property
    def failed(self) -> list[str]:
        """The ids that did not pass."""
        return [id_ for id_, outcome in self.outcomes.items() if not outcome.passed]


def timed_out(limits: Limits) -> str:
    """Say that a run was cut off."""
    return f"timed out after its {limits.wall_s:g} s (wall_s)"


def ending(end: RunEnd, limits: Limits) -> str:
    """Say in words how a run ended that did not finish; empty for an ordinary end."""
    if end.bad_tree:
        return end.bad_tree
    if end.timed_out:
        return timed_out(limits)
    if end.out_of_memory:
        return f"used up its {limits.mem_mb} MiB of memory"
    if end.returncode == -9 and end.cpu_s >= 0.75 * limits.cpu_s:
        return f"used up its {limits.cpu_s:g} s of CPU time"
    if end.returncode < 0:
        return f"killed by signal {-end.returncode}"
    if end.returncode > 0:
        return f"ended with code {end.returncode}"
    return ""


def _records(data: bytes) -> tuple[list[dict[str, Any]], str]:
    """Parse the lines of a report; returns the records, and what is wrong with them as a whole."""
    records = []
    try:
        for line in data.decode().split("\n"):
            if line:
                record = json.loads(line)
                if type(record) is not dict:
                    return [], "a malformed report"
                records.append(record)
    except (ValueError, RecursionError):
        return [], "a malformed report"
    finishes = [r for r in records if r.get("kind") == "finish"]
    if not finishes:
        return [], "the process ended before the tests did"
    if len(finishes) > 1 or records[-1] is not finishes[0]:
        return [], "a report with something after its end"
    if finishes[0].get("count") != sum(r.get("kind") in ("plain", "report") for r in records):
        return [], "a report that miscounts itself"
    return records, ""


def _text(value: object) -> str:
    """Return a message, which may be anything; only text is shown."""
    return value if type(value) is str else "no readable message"


class Report:
    """A report, read once and asked about names.

    Parameters
    ----------
    data : bytes
        Lines of JSON, from a process that may have been taken over.
    reason : str
        How the run ended, where that was not in order.
    """

    def __init__(self, data: bytes, reason: str = "") -> None:
        records, wrong = _records(data)
        self._reason = reason or wrong
        self._phases: dict[str, list[tuple[Any, Any]]] = {}
        self._expected_failure: set[str] = set()
        self._errors: dict[str, Any] = {}
        self._messages: dict[str, str] = {}
        self._unreadable = ""
        self.uncollected: set[str] = set()
        """Test files that could not be collected."""
        self.items: dict[str, str] = {}
        """Test id → name, where the run was asked to list what it found."""
        self.plain: set[str] = set()
        """Names of those among them that need nothing of pytest while they run."""
        self.wrong: dict[str, str] = {}
        """Name → what a trusted judge saw go wrong in the test, whatever the test made of it."""
        self.touched: set[str] = set()
        """Names of tests in which a trusted judge took an object of the candidate's at its word."""
        self.notes: dict[str, dict[str, str]] = {}
        """Name → check → how it went each time, where the test files note that."""
        for record in records:
            self._take(record)

    def _take(self, record: dict[str, Any]) -> None:
        name, kind = record.get("id"), record.get("kind")
        if kind == "items" and type(record.get("items")) is list:
            rows = [p for p in record["items"] if type(p) is list and len(p) == 3]
            self.items.update({str(p[0]): str(p[1]) for p in rows})
            self.plain.update(str(p[1]) for p in rows if p[2] is True)
        if type(name) is not str or type(kind) is not str:
            return
        message = record.get("message")
        if kind == "plain":
            self._phases.setdefault(name, []).extend(
                [("setup", "passed"), ("call", record.get("outcome")), ("teardown", "passed")]
            )
        elif kind == "report":
            self._phases.setdefault(name, []).append((record.get("when"), record.get("outcome")))
            if record.get("xfail") is not False:
                self._expected_failure.add(name)
        elif kind == "collect":
            self.uncollected.add(name)
            self._unreadable = self._unreadable or f"{name}: {clip(_text(message), _SHOWN)}"
        if kind in {"plain", "report"} and type(record.get("notes")) is dict:
            noted = self.notes.setdefault(name, {})
            for check, went in record["notes"].items():
                noted[check] = noted.get(check, "") + (went if type(went) is str else "?")
        if kind in {"plain", "report"} and message:
            self._messages.setdefault(name, clip(_text(message).strip(), _SHOWN))
            self._errors.setdefault(name, record.get("error"))
        elif kind == "note":
            if record.get("touched") is True:
                self.touched.add(name)
            if record.get("wrong"):
                self.wrong[name] = _text(record["wrong"])[:_SHOWN]

    def passed(self, name: str) -> bool:
        """Whether one setup, call and teardown each were reported, in that order, passed, and not expected to fail."""
        return self._phases.get(name) == _PASSED and name not in self._expected_failure and name not in self.wrong

    def failed_in_call(self, name: str) -> bool:
        """Whether a test failed in its call, whatever with, and was set up and torn down."""
        return self._phases.get(name) == _FAILED and name not in self._expected_failure

    def failed_as_due(self, name: str) -> bool:
        """Whether a test failed the way a right candidate makes a must-fail twin fail: in its call, by assertion."""
        return self.failed_in_call(name) and self._errors.get(name) == "AssertionError"

    def mentions(self, name: str) -> bool:
        """Whether anything was reported about a test."""
        return name in self._phases

    def outcome(self, name: str) -> TestOutcome:
        """Return what became of a test, with the reason if it did not pass."""
        if self.passed(name):
            return TestOutcome(passed=True)
        phases = self._phases.get(name, [])
        if name in self.wrong:
            # How the process ended says more than that it is gone.
            return TestOutcome(passed=False, why=self._reason or self.wrong[name])
        if not phases:
            return TestOutcome(passed=False, why=self._reason or self._unreadable or "not run")
        said = ", ".join(f"{when} {outcome}" for when, outcome in phases if outcome != "passed")
        return TestOutcome(passed=False, why=self._messages.get(name) or said or "not every phase was reported once")
