"""Reading a test report that may be forged: strict completeness, and never an exception."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from passband.records import Limits
    from passband.sandbox.runs import RunEnd

__all__ = ["TestOutcome", "TestRun", "ending", "read_notes", "read_report"]

_PHASES = [("setup", "passed", False), ("call", "passed", False), ("teardown", "passed", False)]
_SHOWN = 400


@dataclass(frozen=True)
class TestOutcome:
    """What became of one test id."""

    __test__ = False  # not a test class, whatever its name looks like

    passed: bool
    why: str = ""
    """Why it counts as not passed."""


@dataclass(frozen=True)
class TestRun:
    """What became of every test id that was asked for."""

    __test__ = False

    outcomes: Mapping[str, TestOutcome]
    tier: str
    """``split`` or ``pytest``, with the sandbox: ``pytest@namespaces``."""
    log: str = ""
    """What the candidate printed, up to the limit."""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    touched: frozenset[str] = frozenset()
    """Ids whose outcome rests on what an object of the candidate's said of itself."""
    uncrossed: Mapping[str, str] = field(default_factory=dict)
    """Id → what could not cross between judge and candidate."""

    @property
    def failed(self) -> list[str]:
        """The ids that did not pass."""
        return [id_ for id_, outcome in self.outcomes.items() if not outcome.passed]


def ending(end: RunEnd, limits: Limits) -> str:
    """Say in words how a run ended that did not finish; empty for an ordinary end."""
    if end.bad_tree:
        return end.bad_tree
    if end.timed_out:
        return f"timed out after {limits.wall_s:g} s"
    if end.returncode == -9 and end.cpu_s >= 0.75 * limits.cpu_s:
        return f"used up its {limits.cpu_s:g} s of CPU time"
    if end.returncode < 0:
        return f"killed by signal {-end.returncode}"
    if end.returncode > 0:
        return f"ended with code {end.returncode}"
    return ""


def _records(data: bytes) -> list[dict[str, Any]] | str:
    """Parse the lines of a report, or say what is wrong with it."""
    if not data:
        return "no report: the process ended before the tests did"
    records = []
    try:
        for line in data.decode().split("\n"):
            if line:
                record = json.loads(line)
                if type(record) is not dict:
                    return "a malformed report"
                records.append(record)
    except (ValueError, RecursionError):
        return "a malformed report"
    finishes = [r for r in records if r.get("kind") == "finish"]
    if len(finishes) != 1 or records[-1] is not finishes[0]:
        return "no final record: the process ended before the tests did" if not finishes else "two final records"
    reports = [r for r in records if r.get("kind") == "report"]
    if finishes[0].get("count") != len(reports):
        return "the final record does not count what was reported"
    return records


def read_notes(data: bytes) -> tuple[frozenset[str], dict[str, str]]:
    """Return what the judge noted about tests: those touched by the candidate's objects, and what could not cross."""
    records = _records(data)
    touched, uncrossed = set(), {}
    for record in records if not isinstance(records, str) else ():
        if record.get("kind") == "note":
            if record["touched"]:
                touched.add(record["id"])
            if record["uncrossed"]:
                uncrossed[record["id"]] = record["uncrossed"][0]
    return frozenset(touched), uncrossed


def read_report(data: bytes, ids: Iterable[str], reason: str) -> dict[str, TestOutcome]:
    """Turn a report into one outcome for each id.

    An id passed when exactly one setup, one call and one teardown of it were reported, in that order, all passed and
    none expected to fail. Missing, skipped, doubled: not passed.

    Parameters
    ----------
    data : bytes
        Lines of JSON, from a process that may have been taken over.
    ids : iterable of str
        The tests that were asked for.
    reason : str
        How the run ended, where that was not in order.

    Returns
    -------
    dict
        Id → outcome, in the order of `ids`.
    """
    records = _records(data)
    if isinstance(records, str):
        why = f"{reason} ({records})" if reason else records
        return {id_: TestOutcome(passed=False, why=why) for id_ in ids}
    seen: dict[Any, list[tuple[Any, Any, Any]]] = {}
    messages: dict[Any, str] = {}
    unreadable = ""
    for record in records:
        id_, kind = record.get("id"), record.get("kind")
        if type(id_) is not str:
            continue
        if kind == "report":
            seen.setdefault(id_, []).append((record.get("when"), record.get("outcome"), record.get("xfail")))
            if record.get("message"):
                messages.setdefault(id_, str(record["message"])[-_SHOWN:])
        elif kind == "collect":
            unreadable = unreadable or f"{id_}: {str(record.get('message'))[-_SHOWN:]}"
    outcomes = {}
    for id_ in ids:
        phases = seen.get(id_, [])
        if phases == _PHASES:
            outcomes[id_] = TestOutcome(passed=True)
        elif not phases:
            outcomes[id_] = TestOutcome(passed=False, why=unreadable or reason or "not run")
        else:
            said = ", ".join(f"{when} {outcome}" for when, outcome, _ in phases if outcome != "passed")
            why = messages.get(id_) or said or "not every phase was reported once"
            outcomes[id_] = TestOutcome(passed=False, why=why)
    return outcomes
