"""The decision: every rule's word, and the gate's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.aggregate import COUNTED
from passband.compare import harness_differences, pair_suspicions, unisolated
from passband.compare.harness import check_allowed
from passband.errors import DataError
from passband.gate import plain, statistical
from passband.gate.evidence import Evidence, slice_groups
from passband.gate.policy import (
    MAKE_ONE_DECIDE,
    NOTHING_DECIDES,
    CaseFloor,
    Cost,
    FlakyCases,
    Floor,
    InfraErrors,
    NoLostCase,
    NoWorse,
    PolicyError,
    Power,
)
from passband.gate.result import EXIT_CODES, GateReport, Outcome, RuleResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passband.gate.policy import Policy, Rule
    from passband.records import SampleTable

__all__ = ["decide"]


def decide(
    policy: Policy,
    candidate: SampleTable,
    baseline: SampleTable | None = None,
    *,
    reproduce: str = "",
    notes: Iterable[str] = (),
) -> GateReport:
    """Hold a candidate against a policy.

    Parameters
    ----------
    policy : Policy
        What must be shown.
    candidate : SampleTable
        The run that wants to ship.
    baseline : SampleTable, optional
        What it must not be worse than; needed where a rule compares.
    reproduce : str
        The command that was given, for the report.
    notes : iterable of str
        What else a reader must know, for example how many models a test set has seen.

    Returns
    -------
    GateReport
        The intervals of all deciding rules hold together at the policy's level, so that an unchanged candidate fails
        with probability 1 - level at most, however many rules there are.

    Raises
    ------
    PolicyError
        Where every rule of the policy is advisory.
    UsageError
        Where a rule needs a baseline or a slice that is not there, or the harnesses differ in fields the policy does
        not allow.
    DataError
        Where the candidate's run is not finished, or nothing in it was graded.
    """
    if not policy.decides:
        raise PolicyError(NOTHING_DECIDES, where=policy.name, fix=MAKE_ONE_DECIDE)
    _check_complete(candidate)
    told = list(notes)
    if baseline is not None:
        _check_complete(baseline)
        one, two = baseline.header.harness, candidate.header.harness
        differences = harness_differences(one, two)
        check_allowed(
            differences, policy.allow, one.__struct_fields__, where=f"policy {policy.name}: allow", accept=_allow
        )
        told += [f"harness differs in {found.field}, which the policy allows" for found in differences]
        told += [found.message for found in pair_suspicions(baseline, candidate)]
    told += [found.message for found in unisolated([t for t in (baseline, candidate) if t is not None])]
    checks = [(rule, part) for rule in policy.rule for part in _parts(policy, rule, candidate)]
    deciding = sum(not rule.advisory and isinstance(rule, _STATISTICAL) for rule, _ in checks)
    level = policy.level / 100
    each = 1 - (1 - level) / max(deciding, 1)
    evidence = Evidence(candidate, baseline)
    if not evidence.summary.errors.graded:
        raise DataError("no sample of the run was graded", where=candidate.header.run_id)
    results = [plain.safety(evidence)]
    results += [_judge(rule, part, evidence, level if rule.advisory else each) for rule, part in checks]
    outcome = _outcome(results)
    header = candidate.header
    return GateReport(
        outcome=outcome,
        exit_code=EXIT_CODES[outcome],
        policy=policy.name,
        policy_digest=policy.digest,
        candidate=header.run_id,
        baseline=baseline.header.run_id if baseline is not None else None,
        suite=f"{header.harness.suite}@{header.harness.suite_version[:6]}",
        harness_fingerprint=header.harness.fingerprint,
        level=level,
        level_each=each,
        rules=tuple(results),
        notes=tuple(told),
        reproduce=reproduce,
    )


_STATISTICAL = (Floor, NoWorse, NoLostCase, CaseFloor)


def _allow(fields: list[str]) -> str:
    listed = ", ".join(f'"{field}"' for field in fields)
    return f"accept the difference with allow = [{listed}] in the policy"


def _check_complete(table: SampleTable) -> None:
    scheduled = table.scheduled
    missing = scheduled - len(table)
    if missing > 0 and table.header.harness.grader != COUNTED:
        raise DataError(
            f"{missing} of {scheduled} samples not drawn yet: no gate decides on part of a run",
            where=table.header.run_id,
            fix="finish it with: passband run … --resume",
        )


def _parts(policy: Policy, rule: Rule, candidate: SampleTable) -> Iterator[tuple[str, str] | None]:
    if isinstance(rule, Floor | NoWorse) and rule.slice is not None:
        yield from slice_groups(candidate, rule.slice, where=f"policy {policy.name}: slice")
    else:
        yield None


def _judge(rule: Rule, part: tuple[str, str] | None, evidence: Evidence, level: float) -> RuleResult:
    match rule:
        case Floor():
            return statistical.floor(rule, evidence, part, level)
        case NoWorse():
            return statistical.no_worse(rule, evidence, part, level)
        case NoLostCase():
            return statistical.no_lost_case(rule, evidence, level)
        case CaseFloor():
            return statistical.case_floor(rule, evidence, level)
        case InfraErrors():
            return plain.infra_errors(rule, evidence)
        case FlakyCases():
            return plain.flaky_cases(rule, evidence)
        case Cost():
            return plain.cost(rule, evidence)
        case Power():
            return plain.power(rule, evidence, level)


def _outcome(results: list[RuleResult]) -> Outcome:
    deciding = [result.outcome for result in results if not result.advisory]
    return "fail" if "fail" in deciding else "inconclusive" if "inconclusive" in deciding else "pass"
