"""The execution rung: a case's hidden tests on a candidate's tree, in the tier that the case's plan names."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from passband.errors import SuiteError
from passband.grade.command import CommandRunner
from passband.grade.material import top_level_names
from passband.grade.mixing import judge
from passband.grade.plan import Plan, Planner
from passband.grade.report import TestRun
from passband.grade.split import ExecutorKind, SplitRunner
from passband.grade.twinned import read_copy
from passband.grade.warm import uses_numpy, uses_packages
from passband.grade.whole import WholeRunner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType

    from passband.grade.report import Report, TestOutcome
    from passband.records import EvalCase, ExecutionSpec, Limits
    from passband.sandbox.runs import RunEnd
    from passband.sandbox.tiers import TierReport

__all__ = ["Execution"]

# One after another, the runs of an answer are in these: each has hashes, and a layout of memory, of its own.
_SERVERS = 5


class Execution:
    """Runs hidden tests, in both tiers.

    Parameters
    ----------
    report : TierReport
        The isolation in use.
    """

    def __init__(self, report: TierReport) -> None:
        self._split, self._whole = SplitRunner(report), WholeRunner(report)
        self._command = CommandRunner(report)
        self._planner = Planner(self._split, self._whole)

    def plan(self, case: EvalCase, spec: ExecutionSpec) -> Plan:
        """Return how a case is graded; see :class:`~passband.grade.plan.Planner`."""
        return self._planner.plan(case, spec)

    def run(
        self,
        case: EvalCase,
        spec: ExecutionSpec,
        tree: Mapping[str, bytes],
        ids: Sequence[str],
        limits: Limits,
        *,
        turn: int,
    ) -> TestRun:
        """Run tests on a tree.

        Parameters
        ----------
        case, spec
            The case.
        tree : mapping
            The candidate's.
        ids : sequence of str
            The tests.
        limits : Limits
            What the candidate may use.
        turn : int
            Which run of this tree it is: what is the same in the same turn, and another in the next, is the order of
            sets.

        Raises
        ------
        SuiteError
            Where the case cannot be graded as it asks.
        SandboxFaultError
            Where the sandbox failed.
        """
        seed = turn % _SERVERS
        if spec.tier == "command":
            return self._command.run(case, spec, tree, ids, limits, hash_seed=seed)
        plan = self.plan(case, spec)
        nowhere = [id_ for id_ in ids if id_ in plan.nowhere]
        if nowhere:
            raise SuiteError(
                f"the hidden tests hold no {nowhere[0]}", where=f"case {case.id}", fix="correct the test ids"
            )
        if plan.tier == "split":
            return self._run_split(case, plan, tree, ids, limits, seed)
        return self._run_whole(plan, tree, ids, limits, seed)

    def _run_split(
        self, case: EvalCase, plan: Plan, tree: Mapping[str, bytes], ids: Sequence[str], limits: Limits, seed: int
    ) -> TestRun:
        executor = _with_packages(plan.executor, case, tree)._replace(hash_seed=seed)
        keys = {id_: plan.keys[id_] for id_ in ids}

        def run(order: list[str], after: Mapping[str, Sequence[str]]) -> tuple[Report, RunEnd]:
            return self._split.run(case, plan.material, order, tree, limits, twins=after, executor=executor)

        judged = judge(run, list(keys.values()), plan.twins, plan.loose, mixed=plan.mixed, apart=plan.apart)
        outcomes = {id_: judged.outcomes[key] for id_, key in keys.items()}
        believed = [id_ for id_, key in keys.items() if key in judged.touched and not plan.twins.get(key)]
        return _run(outcomes, believed, self._split.label, judged.end)

    def _run_whole(
        self, plan: Plan, tree: Mapping[str, bytes], ids: Sequence[str], limits: Limits, seed: int
    ) -> TestRun:
        """Run the tests as they are, which decides; then among twins, to find out whether that was a lie."""
        keys = {id_: plan.keys[id_] for id_ in ids if id_ in plan.keys}
        missing = [id_ for id_ in ids if id_ not in keys]
        report, end = self._whole_once(plan, plan.material.code, list(keys.values()), tree, limits, seed, missing)
        outcomes = {id_: report.outcome(keys.get(id_, id_)) for id_ in ids}
        believed = list(ids)
        if plan.pairs:
            pair = random.SystemRandom().choice(plan.pairs)
            believed = [id_ for id_, key in keys.items() if key in pair.bare]
            for copy in pair.copies:
                if not all(outcome.passed for outcome in outcomes.values()):
                    break
                report, after = self._whole_once(plan, copy.design.code, list(keys.values()), tree, limits, seed)
                outcomes = {id_: read_copy(copy, report, key) for id_, key in keys.items()}
                end = replace(end, wall_s=end.wall_s + after.wall_s, cpu_s=end.cpu_s + after.cpu_s)
        label = self._whole.label if plan.pairs else f"{self._whole.label}, without twins"
        return _run(outcomes, believed, label, end)

    def _whole_once(
        self,
        plan: Plan,
        code: Mapping[str, CodeType],
        keys: Sequence[str],
        tree: Mapping[str, bytes],
        limits: Limits,
        seed: int,
        ids: Sequence[str] = (),
    ) -> tuple[Report, RunEnd]:
        return self._whole.run(
            plan.material, code, plan.material.files, keys, tree, limits, ids, direct=plan.direct, hash_seed=seed
        )

    def close(self) -> None:
        """End every server."""
        self._split.close()
        self._whole.close()
        self._command.close()


def _with_packages(executor: ExecutorKind, case: EvalCase, tree: Mapping[str, bytes]) -> ExecutorKind:
    """Let a candidate import installed packages where its changes do: no other tier asks what the reference does."""
    if executor.packages:
        return executor
    changed = (c for path, c in tree.items() if path.endswith(".py") and c is not case.workspace.get(path))
    if not uses_packages(changed, top_level_names(tree)):
        return executor
    return executor._replace(packages=True, numpy=uses_numpy((tree,)))


def _run(outcomes: Mapping[str, TestOutcome], believed: Sequence[str], label: str, end: RunEnd) -> TestRun:
    unguarded = tuple(id_ for id_ in believed if outcomes[id_].passed)
    return TestRun(outcomes, label, unguarded, end.log.decode(errors="replace"), end.wall_s, end.cpu_s)
