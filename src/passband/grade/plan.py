"""Which tier a case is graded in, and which of its tests have twins: decided by its own content, before any candidate.

``auto`` means tier 1 wherever the case can be judged there: its tests can be collected without a candidate, the
reference passes every one of them there, the unmodified tree fails and passes those it should, and nothing had to cross
between judge and candidate that cannot. Anything else is tier 2, with the reason. No candidate can change its tier.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from passband.errors import SuiteError
from passband.grade.material import Material, key_parts, static_reason
from passband.grade.mixing import all_fail, first_twins, only_twins, undisturbed
from passband.grade.patch import Refused, apply_answer
from passband.grade.split import ExecutorKind, SplitRunner
from passband.grade.twinned import Copy, Pair, pair_of, steady
from passband.grade.variants import loose_of, twins_of
from passband.grade.warm import needs_full, uses_numpy
from passband.records import Answer, EvalCase, ExecutionSpec, Limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.grade.report import Report
    from passband.grade.whole import Design, WholeRunner

__all__ = ["Plan", "Planner"]

_PAIRS, _ATTEMPTS = 3, 3
_KEPT = 1000
_PLAN_CPU_S = 2.0


@dataclass(frozen=True)
class Plan:
    """How the answers of one case are graded."""

    tier: str
    """``split`` (tier 1) or ``pytest`` (tier 2)."""
    why: str
    """Why not tier 1; empty for tier 1."""
    material: Material = field(repr=False)
    keys: Mapping[str, str]
    """Test id → key (file, unit, place); for ids that were found."""
    twins: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    """Key → keys of variants that must fail, tier 1."""
    pairs: Sequence[Pair] = field(default=(), repr=False)
    """Pairs of copies of the hidden files with twins in them, tier 2; none where the reference does not pass so."""
    loose: frozenset[str] = field(default=frozenset(), repr=False)
    """Those keys of variants that fail on the reference with something else than an assertion: they need only fail."""
    direct: bool = False
    """Whether all tests are plain, and need not be collected in tier 2."""
    executor: ExecutorKind = field(default_factory=ExecutorKind)
    """What the candidate's process has at hand, tier 1."""
    mixed: frozenset[str] | None = None
    """Keys of tests that touch objects of the reference's, and whose twins are run among the tests; None where they
    disturb them. Tier 1."""
    apart: bool = False
    """Whether twins that disturb tests can be run by themselves; else they are run after the tests. Tier 1."""
    nowhere: Sequence[str] = ()
    """Test ids that the hidden tests do not hold, whatever the candidate: the suite is at fault."""


class Planner:
    """Makes plans and keeps them.

    Parameters
    ----------
    split, whole
        The runners of both tiers.
    """

    def __init__(self, split: SplitRunner, whole: WholeRunner) -> None:
        self._split, self._whole = split, whole
        self._lock = threading.Lock()
        self._plans: OrderedDict[int, tuple[EvalCase, Plan]] = OrderedDict()
        self._making: dict[int, threading.Lock] = {}

    def plan(self, case: EvalCase, spec: ExecutionSpec) -> Plan:
        """Return the plan of a case, made when it is first asked for.

        Raises
        ------
        SuiteError
            Where the hidden tests are not Python, or tier 1 is demanded and cannot be had.
        SandboxFaultError
            Where the sandbox failed.
        """
        with self._lock:
            held = self._plans.get(id(case))
            if held is not None:
                self._plans.move_to_end(id(case))
                return held[1]
            making = self._making.setdefault(id(case), threading.Lock())
        with making:
            with self._lock:
                held = self._plans.get(id(case))
            if held is not None:
                return held[1]
            made = self._make(case, spec)
            with self._lock:
                self._plans[id(case)] = (case, made)
                self._making.pop(id(case), None)
                if len(self._plans) > _KEPT:
                    self._plans.popitem(last=False)
            return made

    def _make(self, case: EvalCase, spec: ExecutionSpec) -> Plan:
        material = self._whole.material(case)
        why = "the case asks for whole-repository runs" if spec.tier == "pytest" else static_reason(case)
        if not why:
            plan = self._tier_one(case, spec, material)
            if isinstance(plan, Plan):
                return plan
            why = plan
        if spec.tier == "split":
            raise SuiteError(f"it asks for tier 1, but {why}", where=f"case {case.id}")
        return self._tier_two(case, spec, material, why)

    # Tier 1

    def _tier_one(self, case: EvalCase, spec: ExecutionSpec, material: Material) -> Plan | str:
        """Try a case in tier 1; a reason where it does not belong there."""
        items, refused = self._split.collected(case, material)
        if refused:
            return refused
        ids = (*spec.fail_to_pass, *spec.pass_to_pass)
        missing = [id_ for id_ in ids if id_ not in items]
        if missing:
            return f"{missing[0]} is not found when the tests are collected without a candidate"
        keys = {id_: items[id_] for id_ in ids}
        variants = {v: file for file, found in material.variants.items() for v in found}
        extra = [k for k in items.values() if key_parts(k)[0] in variants]
        twins: Mapping[str, Sequence[str]] = {}
        loose: frozenset[str] = frozenset()
        mixed: frozenset[str] | None = None
        apart = False
        reference = reference_tree(case, spec)
        executor = ExecutorKind(full=needs_full((case.workspace, reference or {})))
        if reference is not None:
            for packages in (False, True):
                heavy = packages and uses_numpy((case.workspace, reference))
                executor = executor._replace(packages=packages, numpy=heavy)
                asked = [*keys.values(), *extra]
                report, _end = self._split.run(
                    case, material, asked, reference, spec.limits, twins={}, executor=executor
                )
                failed = [id_ for id_, key in keys.items() if not report.passed(key)]
                if not failed:
                    break
            else:
                return f"the reference does not pass {failed[0]} there: {report.outcome(keys[failed[0]]).why}"
            twins = twins_of(material, list(keys.values()), report)
            loose = loose_of(material, list(keys.values()), report)
            tests = list(keys.values())
            again, _end = self._split.run(
                case, material, first_twins(tests, twins), reference, spec.limits, twins={}, executor=executor
            )
            if undisturbed(again, tests, twins, loose):
                mixed = frozenset(again.touched & twins.keys())
            else:
                alone, _end = self._split.run(
                    case, material, only_twins(tests, twins), reference, spec.limits, twins={}, executor=executor
                )
                apart = all_fail(alone, tests, twins, loose)
        why = self._base(case, spec, material, keys, executor)
        return why or Plan("split", "", material, keys, twins, loose=loose, executor=executor, mixed=mixed, apart=apart)

    def _base(
        self, case: EvalCase, spec: ExecutionSpec, material: Material, keys: Mapping[str, str], executor: ExecutorKind
    ) -> str:
        """Run the unmodified tree; a reason where it behaves differently in tier 1."""
        for ids, must_pass in ((spec.fail_to_pass, False), (spec.pass_to_pass, True)):
            asked = [keys[id_] for id_ in ids]
            report, _end = self._split.run(
                case, material, asked, case.workspace, _shorter(spec.limits), twins={}, executor=executor
            )
            wrong = [id_ for id_ in ids if report.passed(keys[id_]) != must_pass]
            if wrong:
                what = f"does not pass there: {report.outcome(keys[wrong[0]]).why}" if must_pass else "passes there"
                return f"on the unmodified tree {wrong[0]} {what}"
        return ""

    # Tier 2

    def _tier_two(self, case: EvalCase, spec: ExecutionSpec, material: Material, why: str) -> Plan:
        reference = reference_tree(case, spec)
        tree = case.workspace if reference is None else reference
        report, _end = self._whole.run(material, material.code, material.files, None, tree, spec.limits)
        ids = (*spec.fail_to_pass, *spec.pass_to_pass)
        keys = {id_: report.items[id_] for id_ in ids if id_ in report.items}
        missing = [id_ for id_ in ids if id_ not in keys]
        nowhere = self._nowhere(case, material, missing, report, reference) if missing else ()
        direct = all(key in report.plain for key in keys.values())
        plan = Plan("pytest", why, material, keys, nowhere=nowhere, direct=direct)
        if reference is None or len(keys) < len(ids) or not all(report.passed(k) for k in keys.values()):
            return plan
        return replace(plan, pairs=self._pairs(case, spec, plan, reference))

    def _pairs(self, case: EvalCase, spec: ExecutionSpec, plan: Plan, reference: Mapping[str, bytes]) -> Sequence[Pair]:
        """Make pairs of copies, and learn from the reference what their checks note.

        A test that does not come to its end there, since what it goes on with is missing, is left as it is.
        """
        still: set[tuple[str, str]] = set()
        for _attempt in range(_ATTEMPTS):
            made: list[Pair] = []
            lost: set[tuple[str, str]] = set()
            for designs in self._whole.designs(case, still, _PAIRS):
                reached: dict[str, dict[str, str]] = {key: {} for key in plan.keys.values()}
                copies = []
                for design in designs:
                    # What goes another way when sets have another order says nothing about a candidate.
                    first, second = (self._whole_run(spec, plan, design, reference, seed) for seed in (0, 1))
                    due = {key: steady(first, second, key) for key in reached}
                    for key, noted in reached.items():
                        noted.update(first.notes.get(key, {}))
                        if not (first.passed(key) and second.passed(key)):
                            lost.add(key_parts(key)[:2])
                    copies.append(Copy(design, due))
                made.append(pair_of((copies[0], copies[1]), reached))
            if not lost:
                return made
            still |= lost
        return ()

    def _whole_run(
        self, spec: ExecutionSpec, plan: Plan, design: Design, tree: Mapping[str, bytes], seed: int
    ) -> Report:
        keys = list(plan.keys.values())
        report, _end = self._whole.run(
            plan.material, design.code, plan.material.files, keys, tree, spec.limits, direct=plan.direct, hash_seed=seed
        )
        return report

    def _nowhere(
        self, case: EvalCase, material: Material, missing: Sequence[str], report: Report, reference: object
    ) -> tuple[str, ...]:
        """Return those of the ids not found on the reference, or else the unmodified tree, that no candidate can have.

        A test may come about only with the right candidate: its file imports what is not there yet, or its parameters
        are the candidate's. Not so where the tests can be collected without one, or the reference does not have it.
        """
        items, refused = ({}, "-") if reference is not None else self._split.collected(case, material)
        found = []
        for id_ in missing:
            file, _, unit = id_.partition("::")
            collected = bool(report.items) and file not in report.uncollected
            written = (file, unit.partition("[")[0]) in material.sites
            if (not refused and id_ not in items) or (collected and (reference is not None or not written)):
                found.append(id_)
        return tuple(found)


def reference_tree(case: EvalCase, spec: ExecutionSpec) -> Mapping[str, bytes] | None:
    """Return the tree that the reference makes; None where there is none, or it does not apply."""
    if case.reference is None:
        return None
    answer = Answer.of(str(case.reference))
    applied = apply_answer(answer, case.workspace, allowed_files=spec.allowed_files, forbidden=spec.forbidden)
    return None if isinstance(applied, Refused) else applied.tree(case.workspace)


def _shorter(limits: Limits) -> Limits:
    """Return limits under which a tree that hangs, as some unmodified trees must, does not hold things up for long."""
    import msgspec

    return msgspec.structs.replace(limits, cpu_s=min(limits.cpu_s, _PLAN_CPU_S))
