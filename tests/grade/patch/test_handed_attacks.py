"""The answer key for an execution grader, as far as it can be told without running anything.

The folder holds ``spec.json``, ``attacks.jsonl`` and the base tree; ``PASSBAND_ATTACKS`` names another one.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from passband.grade.patch import Applied, apply_answer
from passband.records import Answer, AnswerFormat

FOLDER = Path(os.environ.get("PASSBAND_ATTACKS", Path(__file__).parents[4] / "shared/data/attacks"))


def rows() -> list[dict]:
    """Every candidate whose fate is decided before anything runs."""
    if not (FOLDER / "attacks.jsonl").is_file():
        return []
    lines = (FOLDER / "attacks.jsonl").read_text(encoding="utf-8").split("\n")
    return [row for line in lines if line and (row := json.loads(line))["category"] != "runtime"]


@pytest.fixture(scope="module")
def spec() -> dict:
    """Globs of the task."""
    return json.loads((FOLDER / "spec.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def base(spec) -> dict[str, bytes]:
    """The tree the candidates are for."""
    root = FOLDER / spec["base"]
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize("told", [True, False], ids=["told", "auto"])
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["id"])
def test_handed_attacks_get_the_word_of_the_answer_key(row, told, spec, base):
    """The expected word and bytes, whether the format is given or has to be found."""
    payload = row["payload"] if isinstance(row["payload"], str) else json.dumps(row["payload"])
    answer = Answer.of(payload, AnswerFormat(row["format"]) if told else AnswerFormat.AUTO)
    result = apply_answer(answer, base, allowed_files=spec["allowed_files"], forbidden=spec["forbidden"])
    words = {row["expected"], *row.get("also_accept", ())}
    if isinstance(result, Applied):
        assert words & {"resolved", "unresolved"}
        after = result.tree(base)
        assert {path: after[path] for path in row.get("check_bytes", {})} == {
            path: content.encode() for path, content in row.get("check_bytes", {}).items()
        }
    else:
        assert result.outcome.value in words, result.detail
