"""The answer key that was handed to us, or another of the same form that PASSBAND_ATTACKS names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from passband.grade import Grading
from passband.records import Answer, AnswerFormat, EvalCase, ExecutionSpec, Limits, Verdict
from tests.grade.cases import tree_of

FOLDER = Path(os.environ.get("PASSBAND_ATTACKS") or Path(__file__).parents[3] / "shared/data/attacks")
ROWS: dict[str, dict[str, Any]] = {}
if (FOLDER / "attacks.jsonl").is_file():
    for line in (FOLDER / "attacks.jsonl").read_text().splitlines():
        row = json.loads(line)
        ROWS[row["id"]] = row


def answer(row: dict[str, Any]) -> Answer:
    """Make the answer of a row."""
    form = AnswerFormat(row["format"])
    payload = row["payload"]
    if form is AnswerFormat.FILES:
        return Answer(json.dumps(payload).encode(), form)
    return Answer(payload.encode(errors="surrogateescape"), form)


def handed_case(tier: str) -> EvalCase:
    """Make the key's own case, in a tier."""
    spec = json.loads((FOLDER / "spec.json").read_text())
    # The wall clock of the key suits an idle machine; the CPU limit is what bounds the hostile rows.
    limits = Limits(**{**spec["limits"], "wall_s": 4 * spec["limits"]["wall_s"]})
    gold = next(r for r in ROWS.values() if r["expected"] == "resolved" and r["category"] == "benign")
    return EvalCase(
        id=f"attacks-{tier}",
        inputs={},
        grader_spec=ExecutionSpec(
            fail_to_pass=tuple(spec["FAIL_TO_PASS"]),
            pass_to_pass=tuple(spec["PASS_TO_PASS"]),
            allowed_files=tuple(spec["allowed_files"]),
            forbidden=tuple(spec["forbidden"]),
            limits=limits,
            tier=tier,  # type: ignore[arg-type]
        ),
        reference=answer(gold).text,
        workspace=tree_of(FOLDER / spec["base"]),
        hidden=tree_of(FOLDER / spec["hidden"]),
    )


@pytest.fixture(scope="module", params=["split", "pytest"])
def case(request) -> EvalCase:
    """The key's own case, in each tier."""
    return handed_case(request.param)


@pytest.mark.parametrize("id_", ROWS)
def test_handed_attacks(id_: str, case: EvalCase, grading: Grading) -> None:
    """Every row of the key gets its verdict, in both tiers, and leaves the grader fit for the next."""
    row = ROWS[id_]
    verdict = grading.grade(case, answer(row))
    assert isinstance(verdict, Verdict)
    assert verdict.outcome.value in {row["expected"], *row.get("also_accept", ())}, verdict.detail
    if "then" in row and row["then"] in ROWS:
        with Grading() as fresh:  # no verdict of this one is cached
            after = fresh.grade(case, answer(ROWS[row["then"]]))
        assert isinstance(after, Verdict)
        assert after.passed
