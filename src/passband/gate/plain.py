"""Rules about facts of the run: errors, flakes, cost; and whether the comparison could have found anything."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import COUNTED
from passband.errors import InvalidInputError
from passband.gate.result import CaseToSee, Needs, RuleResult
from passband.gate.text import share
from passband.stats import paired_difference, paired_power, paired_tasks

if TYPE_CHECKING:
    from passband.gate.evidence import Evidence
    from passband.gate.policy import Cost, FlakyCases, InfraErrors, Power

__all__ = ["cost", "flaky_cases", "infra_errors", "power", "safety"]

_SEEN = 8


def safety(evidence: Evidence) -> RuleResult:
    """The veto: it needs no rule, and no rule lifts it. Counts do not record what it is about: they hold nothing up."""
    title = "no sample touches what is forbidden"
    if evidence.candidate.header.harness.grader == COUNTED:
        reason = "counts do not tell what a sample touched"
        return RuleResult("safety", title, "not_applicable", advisory=False, number="–", reason=reason)
    found = evidence.summary.safety.samples
    return RuleResult(
        "safety",
        title,
        "fail" if found else "pass",
        advisory=False,
        number=f"{len(found)} sample{'s' if len(found) != 1 else ''}",
        reason="a veto, whatever the rates" if found else "none did",
        cases=tuple(CaseToSee(case, f"sample {index}") for case, index in found[:_SEEN]),
    )


def infra_errors(rule: InfraErrors, evidence: Evidence) -> RuleResult:
    """Hold the share of scheduled samples without a verdict against a ceiling: a fact, so it needs no interval."""
    errors = evidence.summary.errors
    lost = errors.errored + errors.missing
    rate = lost / errors.scheduled
    bad = rate > rule.max / 100
    worst = sorted((case for case in evidence.summary.cases if case.errored), key=lambda case: (-case.errored, case.id))
    return RuleResult(
        rule.kind_name,
        f"infra errors ≤ {rule.max:g}%",
        "fail" if bad else "pass",
        rule.advisory,
        f"{share(rate)}%",
        f"{lost} of {errors.scheduled} samples {'have' if lost != 1 else 'has'} no verdict",
        cases=tuple(CaseToSee(case.id, f"{case.errored} errored") for case in worst[:_SEEN]) if bad else (),
    )


def flaky_cases(rule: FlakyCases, evidence: Evidence) -> RuleResult:
    """Count cases whose equal answers got different verdicts."""
    flaky = [case for case in evidence.summary.cases if case.flaky]
    if evidence.candidate.header.harness.grader == COUNTED:
        return RuleResult(
            rule.kind_name,
            f"flaky cases ≤ {rule.max}",
            "inconclusive",
            rule.advisory,
            "–",
            "counts tell nothing of single answers",
        )
    return RuleResult(
        rule.kind_name,
        f"flaky cases ≤ {rule.max}",
        "fail" if len(flaky) > rule.max else "pass",
        rule.advisory,
        str(len(flaky)),
        "equal answers, different verdicts" if flaky else "equal answers have equal verdicts",
        cases=tuple(CaseToSee(case.id, f"{case.c}/{case.n}") for case in flaky[:_SEEN]),
    )


def cost(rule: Cost, evidence: Evidence) -> RuleResult:
    """Hold what a sample costs against a ceiling, and against the baseline."""
    mine = _price(evidence.candidate.cost_usd)
    wanted = []
    if rule.max_usd is not None:
        wanted.append(f"≤ ${rule.max_usd:g}")
    if rule.max_increase is not None:
        wanted.append(f"at most {rule.max_increase:g}% more than the baseline's")
    title = f"a sample costs {' and '.join(wanted)}"
    if mine is None:
        return RuleResult(rule.kind_name, title, "inconclusive", rule.advisory, "–", "some sample's price is not known")
    number = f"${mine:.3g}"
    bad = rule.max_usd is not None and mine > rule.max_usd
    reason = "over the ceiling" if bad else "within"
    if rule.max_increase is not None:
        # Named only for what it is needed for: a ceiling alone wants no baseline.
        _ = evidence.pairs
        assert evidence.baseline is not None
        theirs = _price(evidence.baseline.cost_usd)
        if theirs is None or theirs == 0.0:
            return RuleResult(
                rule.kind_name,
                title,
                "fail" if bad else "inconclusive",
                rule.advisory,
                number,
                "the baseline's price is not known" if theirs is None else "the baseline cost nothing",
            )
        growth = mine / theirs - 1
        number = f"${theirs:.3g} → ${mine:.3g} ({100 * growth:+.0f}%)"
        if growth > rule.max_increase / 100:
            bad, reason = True, "grew too much"
    return RuleResult(rule.kind_name, title, "fail" if bad else "pass", rule.advisory, number, reason)


def _price(costs: object) -> float | None:
    values = np.asarray(costs, dtype=np.float64)
    return float(values.mean()) if values.size and np.isfinite(values).all() else None


def power(rule: Power, evidence: Evidence, level: float) -> RuleResult:
    """Ask whether the comparison could have found a loss: too little power never fails, and never passes."""
    pairs = evidence.pairs
    moved = pairs.c_b / pairs.n_b - pairs.c_a / pairs.n_a
    title = f"a loss of {rule.detect:g} points would be found {rule.power:g}% of the time"
    difference = paired_difference(pairs.c_a, pairs.n_a, pairs.c_b, pairs.n_b)
    if difference.law is None or difference.doubt is None:
        return RuleResult(rule.kind_name, title, "inconclusive", rule.advisory, "–", "one task shows no spread")
    # Where no two tasks differ, which is no certainty, the spread is that of the deciding interval.
    spread = float(moved.std(ddof=1)) or float(difference.law.error) * len(moved) ** 0.5
    doubt = float(difference.doubt)
    found = paired_power(rule.detect / 100, spread, len(moved), doubt=doubt, alpha=1 - level)
    enough = found >= rule.power / 100
    each = int(min(pairs.n_a.min(), pairs.n_b.min()))
    needs = None
    if not enough:
        wanted = None
        with contextlib.suppress(InvalidInputError):  # more than anybody has
            wanted = paired_tasks(rule.detect / 100, spread, doubt=doubt, alpha=1 - level, power=rule.power / 100)
        needs = Needs(tasks=wanted, samples=None, n_tasks=len(moved), n_samples=each)
    return RuleResult(
        rule.kind_name,
        title,
        "pass" if enough else "inconclusive",
        rule.advisory,
        f"{100 * found:.0f}%",
        f"{len(moved)} tasks × {each}, SD of a task's difference {100 * spread:.0f} points",
        needs=needs,
    )
