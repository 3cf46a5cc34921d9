"""More than two runs: an order, and how much of it the data support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays
from passband.compare.harness import check_allowed, harness_differences
from passband.compare.suspicion import Suspicion, copies
from passband.errors import DataError, UsageError
from passband.stats import best_set, pass_rate_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passband.records import SampleTable
    from passband.stats import Estimate

__all__ = ["RankedSystem", "Ranking", "rank_runs"]


@dataclass(frozen=True)
class RankedSystem:
    """One run in the order of all."""

    run_id: str
    subject: str
    pass_at_1: Estimate
    """On the shared cases; the intervals of all systems hold simultaneously (Bonferroni)."""
    own_cases: int
    """Cases the run has verdicts of; those not shared are in no number here."""
    own_rate: float
    """Pass@1 on its own cases: what a bare mean would compare."""
    behind: float
    """Behind the best of the others by at least this much; 0 or less where it may itself be the best."""
    may_be_best: bool
    rank: tuple[int, int]
    """Best and worst rank it may hold, each end at the level."""
    errored: int


@dataclass(frozen=True)
class Ranking:
    """Several runs on the cases all of them share, best observed rate first."""

    suite: str
    n_shared: int
    n_union: int
    """Cases that any of the runs has verdicts of."""
    level: float
    systems: tuple[RankedSystem, ...]
    tied: int
    """How many can't be told apart from the best: the best of all is among them with probability `level`."""
    harness_fields: tuple[str, ...]
    """Fields in which some two of the harnesses differ, each of them allowed."""
    suspicions: tuple[Suspicion, ...] = ()
    """Runs that are one under several names."""


def rank_runs(tables: Sequence[SampleTable], *, level: float = 0.95, allow: Iterable[str] = ()) -> Ranking:
    """Rank runs on the cases they all share.

    Parameters
    ----------
    tables : sequence of SampleTable
        Two runs or more.
    level : float
        Probability with which the best is in the set that can't be told apart from it; coverage of all intervals at
        once.
    allow : iterable of str
        Fields of the harness that may differ.

    Returns
    -------
    Ranking

    Raises
    ------
    UsageError
        With fewer than two runs, one run twice, or harnesses that differ in a field that is not allowed.
    DataError
        Where fewer than two cases are shared by all.
    """
    if len(tables) < 2:
        raise UsageError("one run makes no ranking", fix="name two runs or more")
    names = [table.header.run_id for table in tables]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"run {twice!r} is named twice")
    first = tables[0].header.harness
    fields: dict[str, None] = {}
    for table in tables[1:]:
        differences = harness_differences(first, table.header.harness)
        check_allowed(differences, allow, first.__struct_fields__)
        fields |= dict.fromkeys(found.field for found in differences)
    arrays = [run_arrays(table) for table in tables]
    places = [
        {case: i for i, case in enumerate(table.header.case_ids) if found.graded[i]}
        for table, found in zip(tables, arrays, strict=True)
    ]
    shared = [case for case in tables[0].header.case_ids if all(case in place for place in places)]
    if len(shared) < 2:
        raise DataError(f"only {len(shared)} cases are shared by all {len(tables)} runs", where=", ".join(names[:4]))
    rows = [[place[case] for case in shared] for place in places]
    c = np.array([found.passed[row] for found, row in zip(arrays, rows, strict=True)])
    n = np.array([found.graded[row] for found, row in zip(arrays, rows, strict=True)])
    found = best_set(c / n, level=level)
    each = 1 - (1 - level) / len(tables)
    order = sorted(range(len(tables)), key=lambda i: (-found.means[i], found.rank_low[i], names[i]))
    systems = tuple(
        RankedSystem(
            run_id=names[i],
            subject=tables[i].header.subject,
            pass_at_1=pass_rate_interval(c[i], n[i], level=each),
            own_cases=len(places[i]),
            own_rate=float((arrays[i].passed / np.maximum(arrays[i].graded, 1))[list(places[i].values())].mean()),
            behind=float(found.behind[i]),
            may_be_best=bool(found.in_set[i]),
            rank=(int(found.rank_low[i]), int(found.rank_high[i])),
            errored=int(arrays[i].errored.sum()),
        )
        for i in order
    )
    return Ranking(
        suite=f"{first.suite}@{first.suite_version[:6]}",
        n_shared=len(shared),
        n_union=len({case for place in places for case in place}),
        level=level,
        systems=systems,
        tied=int(found.in_set.sum()),
        harness_fields=tuple(fields),
        suspicions=copies(tables),
    )
