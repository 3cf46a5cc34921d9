"""Tier 1: tests and their must-fail twins run among each other, in an order that the candidate cannot know.

A candidate sees the calls that tests make of it, and nothing else. Were the twins run last, the count of the calls
would tell them apart. So each test stands among its twins in an order drawn for each run: an object that lies to the
test and not to its twins has to guess where the test stands. While a guess has a fair chance, a pass is run again, in a
process that remembers nothing, in another order.
"""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from passband.grade.report import TestOutcome
from passband.grade.twinned import BENT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from passband.grade.report import Report
    from passband.sandbox.runs import RunEnd

    _Run = Callable[[list[str], Mapping[str, Sequence[str]]], tuple[Report, RunEnd]]

__all__ = ["Judged", "all_fail", "first_twins", "judge", "only_twins", "undisturbed"]


_FAIR = 32
_RUNS = 5


class Judged(NamedTuple):
    """What became of a candidate's tests, their twins allowed for."""

    outcomes: Mapping[str, TestOutcome]
    """By key."""
    touched: frozenset[str]
    """Keys of tests in which an object of the candidate's was taken at its word."""
    end: RunEnd
    """Of all runs together."""


def first_twins(keys: Sequence[str], twins: Mapping[str, Sequence[str]]) -> list[str]:
    """Order tests so that each comes after all its twins: what disturbs it most."""
    return [each for key in keys for each in (*twins.get(key, ()), key)]


def only_twins(keys: Sequence[str], twins: Mapping[str, Sequence[str]]) -> list[str]:
    """Order the twins of tests as the tests are."""
    return [twin for key in keys for twin in twins.get(key, ())]


def all_fail(report: Report, keys: Sequence[str], twins: Mapping[str, Sequence[str]], loose: Collection[str]) -> bool:
    """Whether every twin failed as it must; parameters as for :func:`undisturbed`."""
    return not any(_bent(report, twins.get(key, ()), loose) for key in keys)


def undisturbed(
    report: Report, keys: Sequence[str], twins: Mapping[str, Sequence[str]], loose: Collection[str]
) -> bool:
    """Whether, among twins, every test passed and every twin failed as it must.

    Parameters
    ----------
    report : Report
        Of a run of the reference.
    keys : sequence of str
        The tests.
    twins : mapping
        Key → keys of its twins.
    loose : collection of str
        Twins that need not fail by assertion.
    """
    return all(report.passed(key) for key in keys) and all_fail(report, keys, twins, loose)


def judge(
    run: _Run,
    keys: Sequence[str],
    twins: Mapping[str, Sequence[str]],
    loose: Collection[str],
    *,
    mixed: Collection[str] | None,
    apart: bool,
) -> Judged:
    """Run a candidate's tests, with their twins where an object of its was taken at its word.

    Parameters
    ----------
    run : callable
        Runs tests in the order given, and then twins of those among them that touched objects, in a process of their
        own.
    keys : sequence of str
        The tests.
    twins : mapping
        Key → keys of its twins.
    loose : collection of str
        Twins that need not fail by assertion.
    mixed : collection of str, optional
        Tests that are expected to touch objects. None where twins disturb tests.
    apart : bool
        Whether twins fail as they must where they are all that is run; then they are, where they disturb tests.
    """
    if mixed is None:
        return _apart(run, keys, twins, loose) if apart else _last(run, keys, twins, loose)
    among = set(mixed)
    chance, touched, ends = 1, frozenset[str](), []
    for _ in range(_RUNS):
        report, end = run(_drawn(keys, {key: twins[key] for key in keys if key in among and key in twins}), {})
        outcomes = _read(report, keys, twins, loose)
        ends.append(end)
        here = report.touched.intersection(keys)
        touched |= here
        if not all(outcome.passed for outcome in outcomes.values()):
            break
        guarded = [key for key in here if key in twins]
        if among.issuperset(guarded):
            for key in guarded:
                chance *= 1 + len(twins[key])
            if chance >= _FAIR or not guarded:
                break
        among.update(guarded)
    return Judged(outcomes, touched, _together(ends))


def _last(run: _Run, keys: Sequence[str], twins: Mapping[str, Sequence[str]], loose: Collection[str]) -> Judged:
    """Run the twins of tests that touched objects after all tests."""
    report, end = run(list(keys), twins)
    return Judged(_read(report, keys, twins, loose), frozenset(report.touched.intersection(keys)), end)


def _apart(run: _Run, keys: Sequence[str], twins: Mapping[str, Sequence[str]], loose: Collection[str]) -> Judged:
    """Run twins in a process of their own, where calls are counted from the first one again."""
    report, end = run(list(keys), {})
    outcomes = _read(report, keys, {}, loose)
    touched = frozenset(report.touched.intersection(keys))
    if touched & twins.keys() and all(outcome.passed for outcome in outcomes.values()):
        among, more = run(only_twins(keys, twins), {})
        for key in touched & twins.keys():
            if _bent(among, twins[key], loose):
                outcomes[key] = TestOutcome(passed=False, why=BENT)
        end = _together([end, more])
    return Judged(outcomes, touched, end)


def _drawn(keys: Sequence[str], twins: Mapping[str, Sequence[str]]) -> list[str]:
    """Put each test among its twins; the tests keep their order, which they may rely on."""
    order: list[str] = []
    for key in keys:
        group = [key, *twins.get(key, ())]
        random.SystemRandom().shuffle(group)
        order += group
    return order


def _read(
    report: Report, keys: Sequence[str], twins: Mapping[str, Sequence[str]], loose: Collection[str]
) -> dict[str, TestOutcome]:
    """Say what became of each test; one with a twin that was run and did not fail has not passed."""
    outcomes = {}
    for key in keys:
        outcome = report.outcome(key)
        run = [twin for twin in twins.get(key, ()) if report.mentions(twin)]
        outcomes[key] = TestOutcome(passed=False, why=BENT) if outcome.passed and _bent(report, run, loose) else outcome
    return outcomes


def _bent(report: Report, twins: Sequence[str], loose: Collection[str]) -> bool:
    return any(not (report.failed_in_call(t) if t in loose else report.failed_as_due(t)) for t in twins)


def _together(ends: Sequence[RunEnd]) -> RunEnd:
    first, *more = ends
    return (
        replace(
            first,
            wall_s=sum(end.wall_s for end in ends),
            cpu_s=sum(end.cpu_s for end in ends),
            peak_kb=max(end.peak_kb for end in ends),
        )
        if more
        else first
    )
