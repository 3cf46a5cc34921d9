"""Candidate against baseline on the cases they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays, scheduled_samples
from passband.compare.harness import check_allowed, harness_differences
from passband.compare.pairing import pair_runs
from passband.compare.result import CaseChange, Comparison, CurvePoint, Fragility, Metered, SliceDifference
from passband.compare.suspicion import pair_suspicions, unisolated
from passband.compare.verdict import Word, settled, verdict_of
from passband.errors import UsageError
from passband.stats import (
    decide,
    paired_at_k_difference,
    paired_detectable,
    paired_difference,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.compare.pairing import Drawn, Pairing
    from passband.records import SampleTable
    from passband.stats import CurveKind, PairedDifference

__all__ = ["check_margin", "compare_runs"]

_KINDS: tuple[CurveKind, ...] = ("pass@k", "pass^k")


def compare_runs(
    baseline: SampleTable,
    candidate: SampleTable,
    *,
    margin: float = 0.0,
    level: float = 0.95,
    allow: Iterable[str] = (),
    by: str | None = None,
) -> Comparison:
    """Compare two runs task by task.

    Parameters
    ----------
    baseline, candidate : SampleTable
        Two runs on suites of one version, under one harness but for what `allow` names.
    margin : float
        Differences up to it, as a fraction, do not matter. With 0 nothing but a difference can be claimed.
    level : float
        Nominal coverage of the interval of the verdict.
    allow : iterable of str
        Fields of the harness that may differ: ``limits``, or one entry of it, ``limits.cpu_s``.
    by : str, optional
        The one slice to show; all of them where left out.

    Returns
    -------
    Comparison
        About tasks like these. Slices hold simultaneously over their values, each slice for itself. A verdict that the
        samples without one could turn, were they all for or all against the candidate, is "unclear".

    Raises
    ------
    UsageError
        Where the harnesses differ in a field that is not allowed, `margin` is not in [0, 1), or `by` names no slice.
    DataError
        Where no case is shared.
    """
    check_margin(margin)
    one, two = baseline.header, candidate.header
    differences = harness_differences(one.harness, two.harness)
    check_allowed(differences, allow, one.harness.__struct_fields__)
    pairs = pair_runs(baseline, candidate)
    difference = paired_difference(pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b, level=level)
    decision = decide(difference, margin)
    fragility = _fragility(pairs.drawn, margin, level)
    return Comparison(
        baseline=one.run_id,
        candidate=two.run_id,
        suite=f"{one.harness.suite}@{one.harness.suite_version[:6]}",
        grader=one.harness.grader,
        n_shared=len(pairs.cases),
        samples=pairs.samples,
        paired_by=pairs.by,
        common_seeds=pairs.common_seeds,
        only_baseline=pairs.only_baseline,
        only_candidate=pairs.only_candidate,
        harness_differences=differences,
        subjects=(one.subject, two.subject),
        margin=margin,
        rates=_rates(pairs),
        difference=difference,
        verdict=_standing(decision.verdict, pairs.drawn, margin),
        decision=decision,
        detectable=_detectable(pairs, difference, level),
        slices=tuple(_slices(pairs, margin, level, by)),
        curves=tuple(_curves(pairs, level)),
        most_moved=_most_moved(pairs),
        errored=(int(pairs.drawn.lost[0].sum()), int(pairs.drawn.lost[1].sum())),
        scheduled=(_scheduled(baseline, pairs.drawn), _scheduled(candidate, pairs.drawn)),
        undrawn=(_undrawn(baseline), _undrawn(candidate)),
        safety=(_forbidden(baseline), _forbidden(candidate)),
        worst_case=pairs.drawn.bounds(),
        fragility=fragility,
        metered=_metered(baseline, candidate, set(pairs.cases)),
        suspicions=(*pair_suspicions(baseline, candidate), *unisolated((baseline, candidate))),
    )


def check_margin(margin: float) -> None:
    """Refuse a margin that is no fraction.

    Raises
    ------
    UsageError
        Where `margin` is not in [0, 1).
    """
    if not 0 <= margin < 1:
        raise UsageError(f"the margin {margin} is not a fraction from 0 up to 1")


def _rates(pairs: Pairing) -> tuple[float, float]:
    return float((pairs.c_a / pairs.n_a).mean()), float((pairs.c_b / pairs.n_b).mean())


def _detectable(pairs: Pairing, difference: PairedDifference, level: float) -> float | None:
    moved = pairs.c_b / pairs.n_b - pairs.c_a / pairs.n_a
    if difference.doubt is None or (spread := float(moved.std(ddof=1))) == 0.0:
        return None
    return paired_detectable(len(moved), spread, doubt=float(difference.doubt), alpha=1 - level)


def _slices(pairs: Pairing, margin: float, level: float, by: str | None) -> Iterable[SliceDifference]:
    groups: dict[str, dict[str, list[int]]] = {}
    for place, named in enumerate(pairs.slices):
        for name, value in named.items():
            groups.setdefault(name, {}).setdefault(value, []).append(place)
    if by is not None:
        if by not in groups:
            raise UsageError(f"no slice named {by!r}", fix=f"there are: {', '.join(sorted(groups)) or 'none'}")
        groups = {by: groups[by]}
    for name, values in sorted(groups.items()):
        shared = 1 - (1 - level) / len(values)  # Bonferroni: all intervals of a slice hold at once
        for value, places in sorted(values.items()):
            ca, na, cb, nb = (count[places] for count in (pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b))
            difference = paired_difference(ca, na, cb, nb, level=shared)
            inside = np.array([named.get(name) == value for named in pairs.drawn.slices], dtype=np.bool_)
            found = decide(difference, margin).verdict
            verdict = _standing(found, pairs.drawn.at(inside), margin)
            yield SliceDifference(
                slice=name,
                value=value,
                baseline=float((ca / na).mean()),
                candidate=float((cb / nb).mean()),
                difference=difference,
                p_value=None if difference.p_value is None else min(1.0, float(difference.p_value) * len(values)),
                verdict=verdict,
                taken_back=verdict != found,
            )


def _curves(pairs: Pairing, level: float) -> Iterable[CurvePoint]:
    most = int(min(pairs.n_a.min(), pairs.n_b.min()))
    for k in sorted({k for k in (2**i for i in range(1, 24)) if k <= most} | ({most} if most > 1 else set())):
        for kind in _KINDS:
            found = paired_at_k_difference(pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b, k, kind=kind, level=level)
            yield CurvePoint(
                k=k,
                kind=kind,
                baseline=float(found.rates[0]),
                candidate=float(found.rates[1]),
                difference=found.estimate,
            )


def _most_moved(pairs: Pairing) -> tuple[CaseChange, ...]:
    ca, na, cb, nb = pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b
    moved = cb / nb - ca / na
    order = sorted(range(len(pairs.cases)), key=lambda i: (-abs(moved[i]), pairs.cases[i]))
    return tuple(
        CaseChange(pairs.cases[i], (int(ca[i]), int(na[i])), (int(cb[i]), int(nb[i]))) for i in order if moved[i] != 0
    )


def _standing(word: Word, drawn: Drawn, margin: float) -> Word:
    return settled(word, drawn.bounds(), margin) if any(lost.any() for lost in drawn.lost) else word


def _scheduled(table: SampleTable, drawn: Drawn) -> int:
    wanted = set(drawn.cases)
    return sum(
        int(n) for case, n in zip(table.header.case_ids, scheduled_samples(table), strict=True) if case in wanted
    )


def _undrawn(table: SampleTable) -> int:
    return int(scheduled_samples(table).sum()) - len(table)


def _forbidden(table: SampleTable) -> int:
    return int(run_arrays(table).safety.sum())


def _fragility(drawn: Drawn, margin: float, level: float) -> Fragility | None:
    missing = tuple(int(lost.sum()) for lost in drawn.lost)
    if not any(missing):
        return None
    against, favour = (
        paired_difference(a, drawn.drawn[0], b, drawn.drawn[1], level=level).estimate for a, b in drawn.extremes()
    )
    return Fragility(
        missing=(missing[0], missing[1]),
        against=against,
        favour=favour,
        verdict_against=verdict_of(against, margin),
        verdict_favour=verdict_of(favour, margin),
    )


def _metered(baseline: SampleTable, candidate: SampleTable, shared: set[str]) -> Metered:
    sides = []
    for table in (baseline, candidate):
        kept = np.array([case in shared for case in table.header.case_ids])[np.asarray(table.case, dtype=np.int64)]
        cost = float(np.asarray(table.cost_usd)[kept].mean())
        sides.append(
            (
                cost if np.isfinite(cost) else None,
                float(np.asarray(table.tokens)[kept].mean()),
                float(np.asarray(table.seconds)[kept].mean()),
            )
        )
    (cost_a, tokens_a, seconds_a), (cost_b, tokens_b, seconds_b) = sides
    return Metered(cost_usd=(cost_a, cost_b), tokens=(tokens_a, tokens_b), seconds=(seconds_a, seconds_b))
