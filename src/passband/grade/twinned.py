"""Reading a run in which each test was there twice, once right and once with an expectation that nothing meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.grade.material import key_parts
from passband.grade.report import Report, TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.grade.plan import Plan
    from passband.grade.whole import Design

__all__ = ["BENT", "both_copies", "read_twinned"]

BENT = "a twin of it, which must fail, did not: the run was bent"


def _copy(design: Design, key: str, side: int) -> str:
    file, unit, place = key_parts(key)
    return f"{design.copies[file][side]}::{unit}#{place}"


def both_copies(design: Design, keys: Iterable[str]) -> list[str]:
    """Return the keys of both copies of each test."""
    return [_copy(design, key, side) for key in keys for side in (0, 1)]


def _twin_side(plan: Plan, design: Design, key: str) -> int | None:
    """Return which copy of a test must fail; None where it has no twin in this design."""
    file, unit, _place = key_parts(key)
    for group in (unit, ""):
        if (file, group) in design.drawn:
            side, label = design.drawn[file, group]
            if key in plan.due.get((file, group, label), ()):
                return side
    return None


def read_twinned(plan: Plan, design: Design, report: Report, key: str) -> TestOutcome:
    """Return what became of a test: passed if its right copy passed and its twin failed as a twin must.

    Parameters
    ----------
    plan : Plan
        Knows which twins must fail.
    design : Design
        Knows which copy is which.
    report : Report
        Of a process that was told neither.
    key : str
        The test.
    """
    twin = _twin_side(plan, design, key)
    if twin is None:
        first, second = (report.outcome(_copy(design, key, side)) for side in (0, 1))
        return first if not first.passed else second
    outcome = report.outcome(_copy(design, key, 1 - twin))
    if outcome.passed and not report.failed_as_due(_copy(design, key, twin)):
        return TestOutcome(passed=False, why=BENT)
    return outcome
