"""The pages of docs/chapter and the notebook."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tinyagent.chapter import section_names, write_index
from tinyagent.chapter.pages import page

DOCS = Path(__file__).parents[3] / "docs"
RECORDS = sorted((DOCS / "chapter").glob("*/section.json"))


def test_every_section_has_a_page():
    """And no page is of a section that is gone."""
    assert {record.parent.name for record in RECORDS} == set(section_names())
    assert {path.stem for path in (DOCS / "chapter").glob("*.md")} == {*section_names(), "index"}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.parent.name)
def test_pages_are_what_their_json_says(record):
    """No page is written by hand, and every picture and table that one has lies beside it."""
    found = json.loads(record.read_text(encoding="utf-8"))
    assert (DOCS / f"chapter/{found['number']}.md").read_text(encoding="utf-8") == page(found)
    wanted = {f"{figure['name']}.svg" for figure in found["figures"]}
    wanted |= {f"{table['name']}.csv" for table in found["tables"]}
    assert {path.name for path in record.parent.iterdir()} == wanted | {"section.json"}


def test_the_index_is_what_the_sections_say(tmp_path):
    """In the chapter's order."""
    for record in RECORDS:
        (tmp_path / record.parent.name).mkdir()
        (tmp_path / record.parent.name / record.name).write_bytes(record.read_bytes())
    assert write_index(tmp_path, section_names()).read_text() == (DOCS / "chapter/index.md").read_text()


def test_the_notebook_runs(tmp_path):
    """Every cell, from shipped checkpoints; in a process of its own, with its sockets in files."""
    target = tmp_path / "chapter.ipynb"
    command = [sys.executable, str(DOCS / "chapter/make.py"), "--notebook", str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)
    assert done.returncode == 0, done.stderr
    run, stored = (json.loads(path.read_text())["cells"] for path in (target, DOCS / "chapter.ipynb"))
    assert [cell["source"] for cell in run] == [cell["source"] for cell in stored]
    shapes = [
        [[output["output_type"] for output in cell.get("outputs", [])] for cell in cells] for cells in (run, stored)
    ]
    assert shapes[0] == shapes[1]
    assert sum(map(len, shapes[0])) >= 8
