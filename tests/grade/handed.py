"""The answer key that was handed to us, or another of the same form that PASSBAND_ATTACKS names."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec

from passband.records import Answer, AnswerFormat, EvalCase, ExecutionSpec, Limits
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


def accepted(row: dict[str, Any]) -> set[str]:
    """Return the verdict words that are right for a row."""
    return {row["expected"], *row.get("also_accept", ())}


def handed_case(tier: str, *, patience: float = 1.0) -> EvalCase:
    """Make the key's own case, in a tier.

    `patience` multiplies the wall clock, which suits an idle machine; the CPU limit is what bounds the hostile rows.
    """
    spec = json.loads((FOLDER / "spec.json").read_text())
    limits = Limits(**spec["limits"])
    gold = next(r for r in ROWS.values() if r["expected"] == "resolved" and r["category"] == "benign")
    return EvalCase(
        id=f"attacks-{tier}",
        inputs={},
        grader_spec=ExecutionSpec(
            fail_to_pass=tuple(spec["FAIL_TO_PASS"]),
            pass_to_pass=tuple(spec["PASS_TO_PASS"]),
            allowed_files=tuple(spec["allowed_files"]),
            forbidden=tuple(spec["forbidden"]),
            limits=msgspec.structs.replace(limits, wall_s=patience * limits.wall_s),
            tier=tier,  # type: ignore[arg-type]
        ),
        reference=answer(gold).text,
        workspace=tree_of(FOLDER / spec["base"]),
        hidden=tree_of(FOLDER / spec["hidden"]),
    )
