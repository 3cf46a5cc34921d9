"""The work behind ``passband suite check``."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import click

from passband.cli.common import echo, emit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.grade import CaseCheck
    from passband.suite import EvalSuite

__all__ = ["check_suite"]

_FAULT, _BAD = 4, 4  # a suite that does not measure what it says is bad data, as is one that could not be checked


def check_suite(suite: EvalSuite, *, repeats: int, workers: int, unsafe: bool, format_: str) -> int:
    """Check every case, print what was found, and return the exit code."""
    from passband.cli.progress import work_progress
    from passband.grade import Grading, check_case
    from passband.report import to_json
    from passband.report.words import many

    checks: list[CaseCheck] = []
    with Grading(unsafe=unsafe, workers=workers) as grading:
        tier = grading.describe()["sandbox_tier"]
        click.echo(
            f"{suite.label}  checking {many(len(suite), 'case')} × {many(repeats, 'repeat')} in {tier} …", err=True
        )
        with ThreadPoolExecutor(workers) as pool, work_progress(len(suite)) as advance:
            for found in pool.map(lambda case: check_case(case, grading, repeats=repeats), suite):
                checks.append(found)
                advance()
    bad = [found for found in checks if not found.ok]
    if format_ == "json":
        emit(to_json({"suite": suite.name, "version": suite.version, "ok": not bad, "cases": checks}))
    else:
        for line in _lines(suite, checks, bad):
            echo(line)
    if any(found.faults for found in bad):
        return _FAULT
    return _BAD if bad else 0


def _lines(suite: EvalSuite, checks: list[CaseCheck], bad: list[CaseCheck]) -> Iterator[str]:
    from passband.report.words import many

    for case in bad:
        for problem in case.problems:
            yield f"✗ {case.case_id}: {problem}"
        for test, rate in (case.flaky or {}).items():
            yield f"✗ {case.case_id}: {test} is flaky: it passed in {100 * rate:.0f}% of the repeats"
        for fault in case.faults:
            yield f"! {case.case_id}: could not be checked: {fault.detail}"
    if not bad:
        found = "references pass, unmodified repos fail, empty answers do not apply"
        yield f"OK  {suite.label}  {many(len(checks), 'case')}: {found}"
    else:
        yield f"BAD  {suite.label}  {len(bad)} of {many(len(checks), 'case')} not fit for use"
    tiers: dict[str, list[CaseCheck]] = {}
    for check in checks:
        tiers.setdefault(check.tier or "–", []).append(check)
    for tier, cases in sorted(tiers.items()):
        yield f"  {len(cases)} graded by {tier}"
    for check in checks:
        if check.why_tier:
            yield f"    {check.case_id}: {check.why_tier}"
        if check.unguarded:
            more = f" and {len(check.unguarded) - 1} more" if len(check.unguarded) > 1 else ""
            yield f"    {check.case_id}: {check.unguarded[0]}{more} without a twin: a forged pass would be believed"
