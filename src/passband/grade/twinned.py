"""Reading a run in which each test was there twice, once right and once with an expectation that nothing meets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.grade.material import key_parts
from passband.grade.report import Report, TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.grade.plan import Plan
    from passband.grade.whole import Design

__all__ = ["BENT", "both_copies", "failed_as_due", "has_twin", "read_twinned"]

BENT = "a twin of it, which must fail, did not: the run was bent"


def _copy(design: Design, key: str, side: int) -> str:
    file, unit, place = key_parts(key)
    return f"{design.copies[file][side]}::{unit}#{place}"


def both_copies(design: Design, keys: Iterable[str]) -> list[str]:
    """Return the keys of both copies of each test."""
    return [_copy(design, key, side) for key in keys for side in (0, 1)]


def _twin(plan: Plan, design: Design, key: str) -> tuple[int, str] | None:
    """Return which copy of a test must fail, and the variant it comes from; None where it has no twin."""
    file, unit, _place = key_parts(key)
    for group in (unit, ""):
        if (file, group) in design.drawn:
            side, label = design.drawn[file, group]
            if key in plan.due.get((file, group, label), ()):
                return side, label
    return None


def has_twin(plan: Plan, design: Design, key: str) -> bool:
    """Whether a test has a twin in this pair of copies."""
    return _twin(plan, design, key) is not None


def failed_as_due(plan: Plan, report: Report, name: str, variant: str) -> bool:
    """Whether a twin failed as its variant did on the reference: by assertion, or at all.

    Parameters
    ----------
    plan : Plan
        Knows how it failed there.
    report : Report
        Of the run.
    name : str
        The twin's key in this run.
    variant : str
        Its key among the variants.
    """
    return report.failed_in_call(name) if variant in plan.loose else report.failed_as_due(name)


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
    twin = _twin(plan, design, key)
    if twin is None:
        first, second = (report.outcome(_copy(design, key, side)) for side in (0, 1))
        return first if not first.passed else second
    side, label = twin
    outcome = report.outcome(_copy(design, key, 1 - side))
    file, unit, place = key_parts(key)
    variant = f"{file.removesuffix('.py')}_{label}.py::{unit}#{place}"
    if outcome.passed and not failed_as_due(plan, report, _copy(design, key, side), variant):
        return TestOutcome(passed=False, why=BENT)
    return outcome
