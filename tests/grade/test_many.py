"""Many cases and many threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from passband.grade import Grading, split
from passband.records import Answer, EvalCase, Outcome, Verdict
from passband.suite.humanevalpack import load_humanevalpack
from tests.grade.cases import make_case, whole_files

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
    monkeypatch.setattr(split, "_KEPT", 4)
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
