"""Whether a case measures what it says: its reference passes, its base fails, an empty answer is not applied."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.errors import SuiteError
from passband.grade.material import test_files
from passband.records import Answer, EvalCase, ExecutionSpec, Fault, Outcome
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passband.grade.grading import Grading
    from passband.grade.report import TestOutcome

__all__ = ["CaseCheck", "check_case"]


@dataclass(frozen=True)
class CaseCheck:
    """What came of checking one case."""

    case_id: str
    problems: tuple[str, ...] = ()
    """What is wrong with the case, one line each; none means that it can be used."""
    flaky: Mapping[str, float] | None = None
    """Test id → share of the repeats on the reference in which it passed, for ids that did not always."""
    tier: str = ""
    """How its answers are graded."""
    why_tier: str = ""
    """Why not in a stronger tier."""
    unguarded: tuple[str, ...] = ()
    """Test ids with no twin that must fail, where a pass rests on the candidate's word: a forged one is believed."""
    faults: tuple[Fault, ...] = ()
    """Failures of the sandbox: with one of these the check says nothing."""

    @property
    def ok(self) -> bool:
        """Whether the case may be used."""
        return not (self.problems or self.flaky or self.faults)


def check_case(case: EvalCase, grading: Grading, *, repeats: int = 3) -> CaseCheck:
    """Check one case by running its reference, its base and an empty answer.

    Parameters
    ----------
    case : EvalCase
        The case.
    grading : Grading
        Runs the tests.
    repeats : int
        How often the reference and the base are run.

    Returns
    -------
    CaseCheck
    """
    if not isinstance(case.grader_spec, ExecutionSpec):
        return _check_text(case, grading)
    try:
        return _check_execution(case, case.grader_spec, grading, repeats)
    except SandboxFaultError as error:
        return CaseCheck(case.id, faults=(Fault("sandbox", error.what),))
    except SuiteError as error:
        return CaseCheck(case.id, (error.what,))


def _check_text(case: EvalCase, grading: Grading) -> CaseCheck:
    if case.reference is None:
        return CaseCheck(case.id, ("it has no reference to check",))
    verdict = grading.grade(case, Answer.of(str(case.reference)))
    if isinstance(verdict, Fault):
        return CaseCheck(case.id, faults=(verdict,))
    problems = () if verdict.passed else (f"the reference does not pass: {verdict.detail}",)
    return CaseCheck(case.id, problems, tier=verdict.tier)


def _check_execution(case: EvalCase, spec: ExecutionSpec, grading: Grading, repeats: int) -> CaseCheck:
    from passband.grade.patch import Refused, apply_answer

    problems = _parse(case, spec)
    if problems:
        return CaseCheck(case.id, tuple(problems))
    empty = grading.grade(case, Answer(b""))
    if isinstance(empty, Fault):
        return CaseCheck(case.id, faults=(empty,))
    if empty.outcome is not Outcome.NOT_APPLIED:
        problems.append(f"an empty answer is {empty.outcome.value}, not not_applied")
    why = "the case asks for a command" if spec.tier == "command" else ""
    plan = grading.plan(case) if not why else None
    if plan is not None and plan.nowhere:
        problems += [f"{_list_of(spec, id_)} {id_} is not among the hidden tests" for id_ in plan.nowhere]
        return CaseCheck(case.id, tuple(problems), why_tier=plan.why)
    why = plan.why if plan is not None else why
    ran = [_base(case, spec, grading, turn) for turn in range(repeats)]
    base, tier = [outcomes for outcomes, _tier in ran], ran[0][1]
    problems += _base_problems(spec, base)
    flaky = _flaky(base)
    unguarded: tuple[str, ...] = ()
    if case.reference is None:
        problems.append("it has no reference to check")
    else:
        answer = Answer.of(str(case.reference))
        applied = apply_answer(answer, case.workspace, allowed_files=spec.allowed_files, forbidden=spec.forbidden)
        if isinstance(applied, Refused):
            problems.append(f"the reference is {applied.outcome.value}: {applied.detail}")
        else:
            tree = applied.tree(case.workspace)
            tested = [grading.run_tests(case, tree, turn=turn) for turn in range(repeats)]
            runs = [run.outcomes for run in tested]
            unguarded = tuple(sorted({id_ for run in tested for id_ in run.unguarded}))
            for id_ in runs[0]:
                if not any(run[id_].passed for run in runs):
                    problems.append(f"the reference does not pass {id_}: {runs[0][id_].why}")
            flaky |= _flaky(runs)
    return CaseCheck(case.id, tuple(problems), flaky or None, tier, why, unguarded)


def _list_of(spec: ExecutionSpec, id_: str) -> str:
    return "FAIL_TO_PASS" if id_ in spec.fail_to_pass else "PASS_TO_PASS"


def _base(case: EvalCase, spec: ExecutionSpec, grading: Grading, turn: int) -> tuple[dict[str, TestOutcome], str]:
    """Run the unmodified tree, so that a test that hangs there, as some must, does not take the others with it.

    Returns what became of each test, and the tier.
    """
    outcomes: dict[str, TestOutcome] = {}
    tier = ""
    for ids in (spec.fail_to_pass, spec.pass_to_pass):
        if ids:
            run = grading.run_tests(case, case.workspace, ids, turn=turn)
            tier = run.tier
            if len(run.failed) == len(ids) > 1:
                for id_ in ids:
                    outcomes |= grading.run_tests(case, case.workspace, (id_,), turn=turn).outcomes
            else:
                outcomes |= run.outcomes
    return outcomes, tier


def _parse(case: EvalCase, spec: ExecutionSpec) -> list[str]:
    # The ids of a command are what its runner calls the tests, in whatever language.
    if spec.tier == "command":
        return []
    files = test_files(spec)
    problems = [f"hidden/{file} is not there, but test ids name it" for file in files if file not in case.hidden]
    for path, content in case.hidden.items():
        if path.endswith(".py"):
            try:
                ast.parse(content, filename=path)
            except (SyntaxError, ValueError) as error:
                problems.append(f"hidden/{path} is not Python: {error}")
    return problems


def _base_problems(spec: ExecutionSpec, runs: Sequence[Mapping[str, TestOutcome]]) -> list[str]:
    passing = {id_ for run in runs for id_, outcome in run.items() if outcome.passed}
    return [
        *(f"FAIL_TO_PASS {id_} passes on the unmodified tree" for id_ in spec.fail_to_pass if id_ in passing),
        *(
            f"PASS_TO_PASS {id_} fails on the unmodified tree: {runs[0][id_].why}"
            for id_ in spec.pass_to_pass
            if id_ not in passing
        ),
    ]


def _flaky(runs: Sequence[Mapping[str, TestOutcome]]) -> dict[str, float]:
    rates = {id_: sum(run[id_].passed for run in runs) / len(runs) for id_ in runs[0]}
    return {id_: rate for id_, rate in rates.items() if 0.0 < rate < 1.0}
