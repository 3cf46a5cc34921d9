"""More than two runs: an order, and how much of it the data support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.compare.harness import check_allowed, harness_differences
from passband.compare.suspicion import Suspicion, copies, unisolated
from passband.compare.together import bring_together
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
    taken_back: bool
    """Whether it may be the best only since samples without a verdict could make it so."""


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
        One run is put below another only where it is whatever the samples without a verdict would have been.

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
    found = bring_together(tables)
    if len(found.cases) < 2:
        few = "only 1 case" if found.cases else "no case"
        raise DataError(f"{few} is shared by all {len(tables)} runs", where=", ".join(names[:4]))
    observed = best_set(found.rates, level=level)
    best = best_set(found.rates, level=level, least=found.least) if any(found.errored) else observed
    each = 1 - (1 - level) / len(tables)
    order = sorted(range(len(tables)), key=lambda i: (-best.means[i], best.rank_low[i], names[i]))
    systems = tuple(
        RankedSystem(
            run_id=names[i],
            subject=tables[i].header.subject,
            pass_at_1=pass_rate_interval(found.passed[i], found.graded[i], level=each),
            own_cases=found.own[i][0],
            own_rate=found.own[i][1],
            behind=float(best.behind[i]),
            may_be_best=bool(best.in_set[i]),
            rank=(int(best.rank_low[i]), int(best.rank_high[i])),
            errored=found.errored[i],
            taken_back=bool(best.in_set[i] and not observed.in_set[i]),
        )
        for i in order
    )
    return Ranking(
        suite=f"{first.suite}@{first.suite_version[:6]}",
        n_shared=len(found.cases),
        n_union=found.n_union,
        level=level,
        systems=systems,
        tied=int(best.in_set.sum()),
        harness_fields=tuple(fields),
        suspicions=(*copies(tables), *unisolated(tables)),
    )
