"""Mixed and flaky, told apart: a mixed case's subject varies, a flaky case's verdict does."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.aggregate.arrays import run_arrays
from passband.aggregate.restrict import restrict
from passband.stats import Estimate, pass_rate_interval, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.records import SampleTable

__all__ = ["CaseFlakiness", "Flakiness", "flakiness"]


@dataclass(frozen=True)
class CaseFlakiness:
    """One case, its verdicts sorted by answer."""

    id: str
    passed: int
    graded: int
    """Samples of the run."""
    answers: int
    """Different answers among them."""
    mixed: bool
    """Some answers pass and some fail: the subject varies."""
    flaky: bool
    """Some answer got both verdicts: the test, or the grading, varies."""
    flips: int
    """Gradings that gave an answer the verdict it got less often."""
    gradings: int
    """Verdicts of answers that were graded more than once."""


@dataclass(frozen=True)
class Flakiness:
    """What varies in a run: its subject, its tests, or both."""

    run_id: str
    cases: tuple[CaseFlakiness, ...]
    mixed_only: int
    flaky_only: int
    both: int
    regraded: int
    """Verdicts added by grading answers again."""
    flip_rate: Estimate | None
    """Share of repeated gradings that disagree with their answer's usual verdict; None where nothing was repeated."""
    with_flaky: Estimate | None
    without_flaky: Estimate | None
    """Pass@1 with and without the flaky cases."""


def flakiness(table: SampleTable, regraded: Mapping[tuple[str, int], Sequence[bool]] | None = None) -> Flakiness:
    """Tell mixed cases from flaky ones.

    Parameters
    ----------
    table : SampleTable
        A run. Equal answers to one case are equal hashes in it.
    regraded : mapping, optional
        (case id, answer hash) → verdicts that the same answer got when it was graded again.

    Returns
    -------
    Flakiness
        A case may be both.
    """
    again = regraded or {}
    ids = table.header.case_ids
    verdicts: dict[str, dict[int, list[bool]]] = {case: defaultdict(list) for case in ids}
    for place, answer, passed in zip(table.case, table.answer, table.passed, strict=True):
        if passed >= 0:
            verdicts[ids[place]][answer].append(passed == 1)
    cases = []
    for case in ids:
        own = [len(found) for found in verdicts[case].values()]
        c = sum(sum(found) for found in verdicts[case].values())
        groups = [found + list(again.get((case, answer), ())) for answer, found in verdicts[case].items()]
        usual = [2 * sum(group) >= len(group) for group in groups]
        repeated = [group for group in groups if len(group) > 1]
        cases.append(
            CaseFlakiness(
                id=case,
                passed=c,
                graded=sum(own),
                answers=len(groups),
                mixed=len(set(usual)) > 1,
                flaky=any(len(set(group)) > 1 for group in groups),
                flips=sum(min(sum(group), len(group) - sum(group)) for group in repeated),
                gradings=sum(map(len, repeated)),
            )
        )
    gradings = sum(case.gradings for case in cases)
    flips = sum(case.flips for case in cases)
    return Flakiness(
        run_id=table.header.run_id,
        cases=tuple(cases),
        mixed_only=sum(case.mixed and not case.flaky for case in cases),
        flaky_only=sum(case.flaky and not case.mixed for case in cases),
        both=sum(case.flaky and case.mixed for case in cases),
        regraded=sum(len(found) for found in again.values()),
        flip_rate=wilson_interval(flips, gradings) if gradings else None,
        with_flaky=_rate(table),
        without_flaky=_rate(restrict(table, [case.id for case in cases if not case.flaky])),
    )


def _rate(table: SampleTable) -> Estimate | None:
    arrays = run_arrays(table)
    kept = arrays.graded > 0
    if not kept.any():
        return None
    return pass_rate_interval(arrays.passed[kept], arrays.graded[kept])
