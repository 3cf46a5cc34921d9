"""Rules that rest on an interval: floors, non-inferiority, single cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.compare.missing import difference_bounds, extremes, hull
from passband.gate.missing import said, settle
from passband.gate.needs import needs_of
from passband.gate.result import CaseToSee, Needs, Outcome, RuleResult
from passband.gate.text import ends, ordinary, share, signed
from passband.stats import (
    Estimate,
    clopper_pearson_interval,
    paired_at_k_difference,
    paired_difference,
    pass_at_k,
    pass_at_k_interval,
    pass_hat_k,
    pass_hat_k_interval,
    pass_rate_interval,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from passband.compare.pairing import Drawn
    from passband.gate.evidence import Evidence
    from passband.gate.policy import CaseFloor, Floor, NoLostCase, NoWorse
    from passband.stats import CurveKind

__all__ = ["case_floor", "floor", "no_lost_case", "no_worse"]

_SEEN = 8  # cases a result names


def _above(estimate: Estimate, threshold: float, *, strict: bool) -> tuple[Outcome, str]:
    """Read the outcome off the interval: all of it on the good side, all on the bad, or across."""
    edge = signed(threshold) if strict else share(threshold)
    if estimate.low is None or estimate.high is None:
        return "inconclusive", "no interval: " + "; ".join(estimate.warnings)
    low, high = float(estimate.low), float(estimate.high)
    if low > threshold or (low == threshold and not strict):
        return "pass", f"whole CI is {'above' if strict else 'at or above'} {edge}"
    if high < threshold:
        return "fail", f"whole CI is below {edge}"
    return "inconclusive", f"CI crosses {edge}"


def floor(rule: Floor, evidence: Evidence, slice_: tuple[str, str] | None, level: float) -> RuleResult:
    """Hold the lower end of a rate's interval against a floor."""
    places = evidence.places(slice_, paired=False)
    title = f"{_named(rule.metric, slice_)} at least {rule.min:g}%"
    c, n = evidence.arrays.passed[places], evidence.arrays.graded[places]
    problem = _too_few(rule.metric, n)
    if problem:
        return RuleResult(rule.kind_name, title, "inconclusive", rule.advisory, "–", problem)
    kind, k = rule.metric[:5], int(rule.metric[5:])
    function = pass_at_k_interval if kind == "pass@" else pass_hat_k_interval
    estimate = pass_rate_interval(c, n, level=level) if k == 1 else function(c, n, k, level=level)
    found, reason = _above(estimate, rule.min / 100, strict=False)
    every = evidence.drawn(slice_)
    passed, graded, drawn = (
        count[every] for count in (evidence.arrays.passed, evidence.arrays.graded, _drawn(evidence))
    )
    outcome, reason = found, f"{reason}; {ordinary(len(places), n)}"
    if (drawn > graded).any():
        bounds = hull(*extremes(rule.metric, passed, graded, drawn), graded > 0)
        outcome, reason = settle(outcome, reason, bounds, rule.min / 100, strict=False, number=share)
    values = np.asarray((pass_at_k if kind == "pass@" else pass_hat_k)(n, c, k), dtype=np.float64)
    ids = [evidence.candidate.header.case_ids[i] for i in places]
    order = sorted(range(len(ids)), key=lambda i: (values[i], ids[i]))
    return RuleResult(
        rule.kind_name,
        title,
        outcome,
        rule.advisory,
        f"{share(float(estimate.value))} {ends(estimate, share)}",
        reason,
        estimate=estimate,
        threshold=rule.min / 100,
        cases=()
        if outcome == "pass"
        else tuple(CaseToSee(ids[i], f"{c[i]}/{n[i]}") for i in order[:_SEEN] if c[i] < n[i]),
        sensitivity=_floor_sensitivity(rule, (passed, graded, drawn), level, found) if k == 1 else "",
        needs=needs_of(
            values, _noise(c, n), abs(float(estimate.value) - rule.min / 100), level=level, samples=int(n.min())
        )
        if found == "inconclusive" and k == 1
        else None,
    )


def no_worse(rule: NoWorse, evidence: Evidence, slice_: tuple[str, str] | None, level: float) -> RuleResult:
    """Hold the paired interval of candidate - baseline against the margin."""
    pairs = evidence.pairs
    places = evidence.places(slice_, paired=True)
    assert evidence.baseline is not None
    by = f"by {rule.margin:g} points" if rule.margin else "at all"
    title = f"{_named(rule.metric, slice_)} no worse than {evidence.baseline.header.run_id} {by}"
    ca, na, cb, nb = (count[places] for count in (pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b))
    problem = _too_few(rule.metric, np.minimum(na, nb))
    if problem:
        return RuleResult(rule.kind_name, title, "inconclusive", rule.advisory, "–", problem)
    kind, k = rule.metric[:5], int(rule.metric[5:])
    function = pass_at_k if kind == "pass@" else pass_hat_k
    a, b = np.asarray(function(na, ca, k), dtype=np.float64), np.asarray(function(nb, cb, k), dtype=np.float64)
    if k == 1:
        estimate = paired_difference(ca, na, cb, nb, level=level).estimate
    else:
        curve: CurveKind = "pass@k" if kind == "pass@" else "pass^k"
        estimate = paired_at_k_difference(ca, na, cb, nb, k, kind=curve, level=level).estimate
    found, reason = _above(estimate, -rule.margin / 100, strict=True)
    pair = evidence.drawn_pairs(slice_)
    outcome, reason = found, f"{reason}; {ordinary(len(places), nb)}"
    if any(lost.any() for lost in pair.lost):
        bounds = difference_bounds(rule.metric, pair)
        outcome, reason = settle(outcome, reason, bounds, -rule.margin / 100, strict=True, number=signed)
    ids = [pairs.cases[i] for i in places]
    moved = b - a
    order = sorted(range(len(ids)), key=lambda i: (moved[i], ids[i]))
    gap = abs(float(estimate.value) + rule.margin / 100)
    return RuleResult(
        rule.kind_name,
        title,
        outcome,
        rule.advisory,
        f"Δ {signed(float(estimate.value))} {ends(estimate, signed)}",
        reason,
        estimate=estimate,
        threshold=-rule.margin / 100,
        cases=()
        if outcome == "pass"
        else tuple(CaseToSee(ids[i], f"{ca[i]}/{na[i]}→{cb[i]}/{nb[i]}") for i in order[:_SEEN] if moved[i] < 0),
        sensitivity=_difference_sensitivity(rule, pair, level, found) if k == 1 else "",
        needs=needs_of(moved, _noise(ca, na) + _noise(cb, nb), gap, level=level, samples=int(min(na.min(), nb.min())))
        if found == "inconclusive" and k == 1
        else None,
    )


def _drawn(evidence: Evidence) -> NDArray[np.int64]:
    return evidence.arrays.graded + evidence.arrays.errored


def _floor_sensitivity(
    rule: Floor,
    counts: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    level: float,
    outcome: Outcome,
) -> str:
    passed, graded, drawn = counts
    missing = drawn - graded
    if not missing.any():
        return ""
    words = [
        _above(pass_rate_interval(c, drawn, level=level), rule.min / 100, strict=False)[0]
        for c in (passed, passed + missing)
    ]
    return said(int(missing.sum()), words, outcome)


def _difference_sensitivity(rule: NoWorse, pair: Drawn, level: float, outcome: Outcome) -> str:
    words = [
        _above(
            paired_difference(a, pair.drawn[0], b, pair.drawn[1], level=level).estimate,
            -rule.margin / 100,
            strict=True,
        )[0]
        for a, b in pair.extremes()
    ]
    return said(sum(int(lost.sum()) for lost in pair.lost), words, outcome)


def no_lost_case(rule: NoLostCase, evidence: Evidence, level: float) -> RuleResult:
    """Find cases that always passed and now always fail, and ask whether chance makes them.

    For a case of n and m samples with one pass probability p on both sides, passing all n and then failing all m has
    probability p^n (1 - p)^m, at most (n/(n+m))^n (m/(n+m))^m. The rule fails where some lost case's bound, times the
    number of cases, is at most 1 - level: chance alone does that with no more than that probability.
    """
    pairs = evidence.pairs
    ca, na, cb, nb = pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b
    lost = np.flatnonzero((ca == na) & (cb == 0))
    bound = (na / (na + nb)) ** na * (nb / (na + nb)) ** nb
    cases = tuple(CaseToSee(pairs.cases[i], f"{ca[i]}/{na[i]}→{cb[i]}/{nb[i]}") for i in lost[:_SEEN])
    title = "no case that always passed may now always fail"
    if not len(lost):
        drawn = pairs.drawn
        gone = np.flatnonzero((drawn.graded[0] > 0) & (drawn.passed[0] == drawn.graded[0]) & (drawn.graded[1] == 0))
        if len(gone):
            reason = "what always passed errored whole in the candidate: nothing is known of it"
            errored = tuple(CaseToSee(drawn.cases[i], "no verdict") for i in gone[:_SEEN])
            number = f"{len(gone)} of {len(drawn.cases)} unknown"
            return RuleResult(rule.kind_name, title, "inconclusive", rule.advisory, number, reason, cases=errored)
        return RuleResult(rule.kind_name, title, "pass", rule.advisory, f"0 of {len(na)}", "none did")
    # Each case is judged by its own improbability, and they share the error evenly.
    sure = bound[lost] * len(na) <= 1 - level
    number = f"{len(lost)} of {len(na)}"
    if sure.any():
        return RuleResult(
            rule.kind_name,
            title,
            "fail",
            rule.advisory,
            number,
            f"{int(sure.sum())} of them not by chance",
            cases=cases,
        )
    each = int(min(na.min(), nb.min()))
    needed = next(n for n in range(1, 64) if 0.25**n * len(na) <= 1 - level)
    needs = Needs(tasks=None, samples=max(needed, each + 1), n_tasks=len(na), n_samples=each)
    reason = f"at {'1 sample' if each == 1 else f'{each} samples'} a case, chance alone may do that"
    return RuleResult(rule.kind_name, title, "inconclusive", rule.advisory, number, reason, cases=cases, needs=needs)


def case_floor(rule: CaseFloor, evidence: Evidence, level: float) -> RuleResult:
    """Hold each case's own interval against a floor."""
    places = evidence.places(None, paired=False)
    c, n = evidence.arrays.passed[places], evidence.arrays.graded[places]
    ids = [evidence.candidate.header.case_ids[i] for i in places]
    each = 1 - (1 - level) / len(places)
    threshold = rule.min / 100
    bounds = np.asarray(clopper_pearson_interval(c, n, level=each).high)
    rates = c / n
    sure, seen = bounds < threshold, rates < threshold
    order = sorted(np.flatnonzero(seen), key=lambda i: (rates[i], ids[i]))
    worst = int(rates.argmin())
    outcome: Outcome = "fail" if sure.any() else "inconclusive" if seen.any() else "pass"
    reason = {
        "fail": f"{int(sure.sum())} of {len(places)} cases below it for sure (Clopper–Pearson, Bonferroni)",
        "inconclusive": f"{int(seen.sum())} of {len(places)} cases below it as observed, none for sure",
        "pass": "every case is at or above it as observed",
    }[outcome]
    drawn = _drawn(evidence)
    if (drawn > evidence.arrays.graded).any():
        low, high = extremes("pass@1", evidence.arrays.passed, evidence.arrays.graded, drawn)
        # Below for sure stands where some such case stays below; at or above as observed, where every case would.
        ends = float(low.min()), float(high[places][sure].min()) if sure.any() else 1.0
        outcome, reason = settle(outcome, reason, ends, threshold, strict=False, number=share)
    return RuleResult(
        rule.kind_name,
        f"each case at least {rule.min:g}%",
        outcome,
        rule.advisory,
        f"least {share(float(rates[worst]))} ({ids[worst]})",
        reason,
        threshold=threshold,
        cases=tuple(CaseToSee(ids[i], f"{c[i]}/{n[i]}") for i in order[:_SEEN]),
    )


def _named(metric: str, slice_: tuple[str, str] | None) -> str:
    return metric if slice_ is None else f"{slice_[0]}={slice_[1]}: {metric}"


def _too_few(metric: str, n: NDArray[np.int64]) -> str:
    if not len(n):
        return "no case has a verdict"
    k = int(metric[5:])
    least = int(n.min())
    return f"{metric} needs {k} samples a case, and some case has {least}" if least < k else ""


def _noise(c: NDArray[np.int64], n: NDArray[np.int64]) -> NDArray[np.float64]:
    """Unbiased variance of each case's rate from its samples; a quarter where there is one only."""
    rates = c / n
    return np.asarray(np.where(n > 1, rates * (1 - rates) / np.maximum(n - 1, 1), 0.25), dtype=np.float64)
