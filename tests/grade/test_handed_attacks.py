"""The answer key that was handed to us, or another of the same form that PASSBAND_ATTACKS names."""

from __future__ import annotations

import pytest

from passband.grade import Grading
from passband.records import EvalCase, Verdict
from tests.grade.handed import ROWS, accepted, answer, handed_case


@pytest.fixture(scope="module", params=["split", "pytest"])
def case(request) -> EvalCase:
    """The key's own case, in each tier."""
    return handed_case(request.param, patience=4)


@pytest.mark.parametrize("id_", ROWS)
def test_handed_attacks(id_: str, case: EvalCase, grading: Grading) -> None:
    """Every row of the key gets its verdict, in both tiers, and leaves the grader fit for the next."""
    row = ROWS[id_]
    verdict = grading.grade(case, answer(row))
    assert isinstance(verdict, Verdict)
    assert verdict.outcome.value in accepted(row), verdict.detail
    if "then" in row and row["then"] in ROWS:
        with Grading() as fresh:  # no verdict of this one is cached
            after = fresh.grade(case, answer(ROWS[row["then"]]))
        assert isinstance(after, Verdict)
        assert after.passed
