"""The answer key in every tier of the sandbox that this machine gives, and the table of it in the documentation."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from passband.sandbox import doctor
from tests.grade.handed import FOLDER, ROWS, handed_case

ROOT = Path(__file__).parents[2]
WORKING = [trial["tier"] for trial in doctor()["trials"] if trial["works"]] if ROWS else []
_spec = importlib.util.spec_from_file_location("grade_attacks", ROOT / "benchmarks/grade_attacks.py")
assert _spec is not None
assert _spec.loader is not None
script = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(script)


def documented() -> dict[str, list[int]]:
    """Read from the documentation how many rows are right: sandbox → in tiers 1, 2 and 3."""
    text = (ROOT / "docs/explanation/grading.md").read_text()
    table = text.partition("| sandbox | tier 1 |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `(\w+)`.*?\| (\d+).*?\| (\d+).*?\| (\d+)", table, re.MULTILINE)
    return {name: [int(count) for count in counts] for name, *counts in rows}


def test_the_table_names_every_tier() -> None:
    """Each tier of the sandbox has its row in the documentation."""
    assert set(documented()) == {*(trial["tier"] for trial in doctor()["trials"]), "process"}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("sandbox", WORKING)
def test_handed_attacks_in_weaker_tiers(sandbox: str) -> None:
    """Tiers 1 and 2 get every row in every sandbox; what tier 3 gets wrong are candidates, not patches."""
    counts = []
    for case in (handed_case("split", patience=4), handed_case("pytest", patience=4), script.command_case()):
        tier, wrong = script.graded(case, sandbox)
        counts.append(len(ROWS) - len(wrong))
        assert tier.startswith(f"execution/{case.grader_spec.tier}@"), tier
        if case.grader_spec.tier == "command":
            assert {ROWS[id_]["category"] for id_ in wrong} <= {"runtime"}
            assert set(wrong.values()) <= {"resolved for unresolved"}
        else:
            assert not wrong
    if FOLDER.parent.name == "data":  # the key that the table is about
        assert counts == documented()[sandbox]
