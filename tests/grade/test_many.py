"""Many cases and many threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from passband.grade import Grading, judges, split
from passband.records import Answer, EvalCase, Outcome, Verdict
from passband.suite.humanevalpack import load_humanevalpack
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade.material import Material

PACK = Path(__file__).parents[3] / "shared/data/bugs/humanevalfix_even.jsonl"
CASES = load_humanevalpack(PACK) if PACK.is_file() else ()


def check(case: EvalCase, grading: Grading) -> None:
    """Grade the canonical solution and the buggy one."""
    assert grading.plan(case).tier == "split", grading.plan(case).why
    right = grading.grade(case, Answer.of(case.reference))
    assert isinstance(right, Verdict)
    assert right.passed, right.detail
    run = grading.run_tests(case, case.workspace)
    assert run.failed, "the buggy solution passed"


@pytest.mark.parametrize("case", CASES[:6], ids=lambda c: c.id)
def test_some_of_humanevalfix(case: EvalCase, grading: Grading) -> None:
    """Canonical resolved, buggy unresolved, in tier 1."""
    check(case, grading)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES[6:], ids=lambda c: c.id)
def test_the_rest_of_humanevalfix(case: EvalCase, grading: Grading) -> None:
    """Canonical resolved, buggy unresolved, in tier 1."""
    check(case, grading)


def test_threads_over_more_cases_than_judges_are_kept(monkeypatch) -> None:
    """Eight threads, twelve cases, four judges at a time: every verdict is right, and none is a fault."""
    monkeypatch.setattr(judges, "_KEPT", 4)
    cases = [
        make_case(
            {"m.py": f"K = {n}\ndef f(x): return 0\n"},
            f"import m\ndef test_f(): assert m.f({n}) == {n}",
            {"m.py": f"K = {n}\ndef f(x): return x\n"},
            fail=("test_f",),
        )
        for n in range(1, 13)
    ]
    jobs = [(n, case, right) for n in range(8) for case in cases for right in (True, False)]

    def work(job: tuple[int, EvalCase, bool]) -> bool:
        n, case, right = job
        verdict = grading.grade(case, whole_files({"m.py": f"def f(x): return x{'' if right else ' + 1'}  # {n}\n"}))
        assert isinstance(verdict, Verdict), verdict
        return verdict.outcome is (Outcome.RESOLVED if right else Outcome.UNRESOLVED)

    with Grading() as grading, ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, jobs))


def test_going_round_one_case_more_than_judges_are_kept(monkeypatch) -> None:
    """Most judges are still there in the next round: what goes is not always the one that comes next."""
    monkeypatch.setattr(judges, "_KEPT", 8)
    monkeypatch.setattr(judges, "random", random.Random(1))
    made: list[EvalCase] = []
    make = split.SplitRunner._make

    def counted(self: split.SplitRunner, case: EvalCase, material: Material) -> judges.Judge:
        made.append(case)
        return make(self, case, material)

    monkeypatch.setattr(split.SplitRunner, "_make", counted)
    cases = [
        make_case(
            {"m.py": "x = 0\n"}, f"import m\ndef test_f(): assert m.x == {n}", {"m.py": f"x = {n}\n"}, fail=("test_f",)
        )
        for n in range(1, 10)
    ]
    with Grading() as grading:
        for turn in range(4):
            for n, case in enumerate(cases, start=1):
                verdict = grading.grade(case, whole_files({"m.py": f"x = {n}  # {turn}\n"}))
                assert isinstance(verdict, Verdict), verdict
                assert verdict.passed, verdict.detail
    assert len(cases) < len(made) < 3 * len(cases)
