"""What makes two runs, or a run and its headline, look wrong before any number of theirs is believed."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from passband.aggregate import COUNTED, UNISOLATED, summarize
from passband.records import OUTCOME_CODES, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passband.records import SampleTable

__all__ = ["Suspicion", "copies", "headline_suspicions", "pair_suspicions", "unisolated"]

_LEAST_SAMPLES = 5  # fewer equal samples are no finding
_LEAST_TASKS = 20
_PASSED = OUTCOME_CODES.index(Outcome.RESOLVED)


@dataclass(frozen=True)
class Suspicion:
    """One thing a reader must know before believing a number."""

    kind: Literal["duplicated", "scrambled", "headline", "unisolated"]
    message: str


def pair_suspicions(baseline: SampleTable, candidate: SampleTable) -> tuple[Suspicion, ...]:
    """Look for runs that are copies of each other, or the same samples under other case ids.

    Parameters
    ----------
    baseline, candidate : SampleTable
        Two runs.

    Returns
    -------
    tuple of Suspicion
        ``duplicated`` where every shared case holds the same answers with the same verdicts on both sides;
        ``scrambled`` where the cases' contents are the same and stand under other ids.
    """
    one, two = _contents(baseline), _contents(candidate)
    shared = one.keys() & two.keys()
    samples = sum(len(one[case]) for case in shared)
    if samples < _LEAST_SAMPLES:
        return ()
    if all(one[case] == two[case] for case in shared):
        return (
            Suspicion(
                "duplicated",
                f"the two runs are one: all {samples} samples of the {len(shared)} shared cases have equal answers and "
                "verdicts",
            ),
        )
    return tuple(_scrambled(baseline, candidate))


def copies(tables: Sequence[SampleTable]) -> tuple[Suspicion, ...]:
    """Look for runs among several that hold the same samples on the same cases.

    Parameters
    ----------
    tables : sequence of SampleTable
        Runs. Of counts nothing but the numbers can be compared: equal ones on 20 tasks or more that are neither all nor
        nothing are no accident.

    Returns
    -------
    tuple of Suspicion
        One for each group of equal runs.
    """
    groups: dict[object, list[str]] = defaultdict(list)
    for table in tables:
        counted = table.header.harness.grader == COUNTED
        found = _bills(table) if counted else _contents(table)
        if counted:
            telling = sum(0 < sum(item[0] == _PASSED for item in bill) < len(bill) for bill in found.values())
            if telling < _LEAST_TASKS:
                continue
        elif len(table) < _LEAST_SAMPLES:
            continue
        groups[tuple(sorted((case, tuple(samples)) for case, samples in found.items()))].append(table.header.run_id)
    return tuple(
        Suspicion("duplicated", f"{' and '.join(names)} hold the same samples: one run under {len(names)} names")
        for names in groups.values()
        if len(names) > 1
    )


def unisolated(tables: Sequence[SampleTable]) -> tuple[Suspicion, ...]:
    """Name the runs whose candidates could reach the machine they were graded on.

    Parameters
    ----------
    tables : sequence of SampleTable
        Runs.

    Returns
    -------
    tuple of Suspicion
        One for all of them; none where every run was isolated, or ran nothing.
    """
    names = [table.header.run_id for table in tables if table.header.harness.sandbox_tier == UNISOLATED]
    if not names:
        return ()
    return (
        Suspicion(
            "unisolated", f"candidates of {' and '.join(names)} ran without isolation (--unsafe), in {UNISOLATED}"
        ),
    )


def _contents(table: SampleTable) -> dict[str, list[tuple[int, int]]]:
    """(answer, outcome) of every sample, a sorted list a case."""
    out: dict[str, list[tuple[int, int]]] = defaultdict(list)
    ids = table.header.case_ids
    for case, answer, outcome in zip(table.case, table.answer, table.outcome, strict=True):
        out[ids[case]].append((answer, outcome))
    return {case: sorted(samples) for case, samples in out.items()}


def _bills(table: SampleTable) -> dict[str, tuple[tuple[int, str, int], ...]]:
    """What each case cost and gave: verdicts with prices and tokens, in an order that samples do not matter in."""
    out: dict[str, list[tuple[int, str, int]]] = defaultdict(list)
    ids = table.header.case_ids
    for case, outcome, cost, tokens in zip(table.case, table.outcome, table.cost_usd, table.tokens, strict=True):
        out[ids[case]].append((outcome, repr(cost), tokens))
    return {case: tuple(sorted(samples, key=repr)) for case, samples in out.items()}


def _scrambled(baseline: SampleTable, candidate: SampleTable) -> Iterator[Suspicion]:
    one, two = _bills(baseline), _bills(candidate)
    if one.keys() != two.keys():
        return
    # Totals alone prove nothing: two systems may well pass equally many cases. The bills must be telling apart.
    telling = len({tuple(item[1:] for item in bill) for bill in one.values()})
    moved = sum(one[case] != two[case] for case in one)
    if (
        moved
        and telling > len(one) / 2
        and len(one) >= _LEAST_SAMPLES
        and Counter(one.values()) == Counter(two.values())
    ):
        yield Suspicion(
            "scrambled",
            f"the cases' ids look scrambled: both runs hold the same verdicts, tokens and prices, {moved} of "
            f"{len(one)} of them under other ids",
        )


def headline_suspicions(table: SampleTable, headline: float, *, digits: int = 1) -> tuple[Suspicion, ...]:
    """Check a published pass@1 against the samples that are said to have given it.

    Parameters
    ----------
    table : SampleTable
        The samples.
    headline : float
        The published rate, a fraction.
    digits : int
        Decimals of the percentage that were published: agreement within half a unit of the last one is enough.

    Returns
    -------
    tuple of Suspicion
        Empty where the headline is pass@1 over graded samples, a task counting the same whatever its samples. Where
        it is another rate of the same samples, the message says which.
    """
    summary = summarize(table)
    errors = summary.errors
    if summary.pass_at_1 is None:
        return (Suspicion("headline", f"the headline is {100 * headline:.{digits}f}%, and nothing was graded"),)
    value = float(summary.pass_at_1.value)
    passed = sum(case.c for case in summary.cases)
    tolerance = 0.5 * 10 ** -(digits + 2) + 1e-12

    def near(rate: float) -> bool:
        return bool(abs(rate - headline) <= tolerance)

    if near(value):
        return ()
    others = {
        "passes over graded samples, all tasks pooled": passed / errors.graded,
        "passes over scheduled samples": errors.pass_rate_over_scheduled,
        "the average over tasks with everything ungraded as a failure": errors.worst,
        "the average over tasks with everything ungraded as a pass": errors.best,
    }
    others |= {f"pass@{k}": float(estimate.value) for k, estimate in summary.pass_at_k.items() if k > 1}
    found = next((f"; it is {name}" for name, rate in others.items() if near(rate)), "")
    return (
        Suspicion(
            "headline",
            f"the headline {100 * headline:.{digits}f}% is not what the samples give: "
            f"pass@1 is {100 * value:.{digits}f}%{found}",
        ),
    )
