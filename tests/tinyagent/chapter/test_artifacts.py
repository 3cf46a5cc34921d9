"""What a section writes."""

import csv
import json

import numpy as np
import pytest

from passband.errors import InvalidInputError, UsageError
from tinyagent.chapter.artifacts import Figure, Published, Section, Table, text, write_index, write_section
from tinyagent.chapter.pages import page


def draw(canvas):
    """Draw a line."""
    canvas.subplots().plot([0, 1], [0, 1])


@pytest.fixture
def section():
    """A section with a table of every kind of cell, and a figure."""
    rows = [("a|b", np.int64(3), 1 / 3, None), ("c", 4, np.float64(-1e-9), True)]
    return Section(
        "17.0",
        "A title",
        (Table("cells", "What cells are", ("name", "n", "share", "note"), rows, digits=2),),
        (Figure("line", "A line", draw),),
        "First paragraph.\n\nSecond.",
        (Published("a share", 0.144, 1 / 3), Published("a count", "1 to 8", None)),
        "They differ.",
    )


def test_a_row_has_as_many_cells_as_there_are_columns():
    """Anything else is refused where the table is made."""
    with pytest.raises(InvalidInputError, match="2 cells under 1 columns"):
        Table("t", "", ("one",), [(1, 2)])


def test_the_files_of_a_table_agree(section, tmp_path):
    """CSV and JSON hold numbers to six digits, text those that people read."""
    write_section(section, tmp_path)
    folder = tmp_path / "17.0"
    rows = list(csv.reader((folder / "cells.csv").read_text().splitlines()))
    assert rows[1:] == [["a|b", "3", "0.333333", ""], ["c", "4", "0.0", "True"]]
    assert json.loads((folder / "cells.json").read_text())["rows"] == [["a|b", 3, 0.333333, None], ["c", 4, 0.0, True]]
    lines = (folder / "cells.txt").read_text().splitlines()
    assert lines[0] == "What cells are"
    assert [line.split() for line in lines[2:]] == [
        ["name", "n", "share", "note"],
        ["a|b", "3", "0.33", "–"],
        ["c", "4", "0.00", "yes"],
    ]


def test_a_page_is_what_its_json_says(section, tmp_path):
    """The page can be made again from section.json, and shows paragraph, picture, tables and both columns."""
    written = write_section(section, tmp_path).read_text()
    assert written == page(json.loads((tmp_path / "17.0/section.json").read_text()))
    assert written.startswith("# 17.0 A title\n\nFirst paragraph.\n\nSecond.\n")
    for part in (
        "![A line](17.0/line.svg)",
        "| a\\|b | 3 | 0.33 | – |",
        "| a share | 0.144 | 0.333 |",
        "| a count | 1 to 8 | – |",
        "They differ.",
    ):
        assert part in written


def test_the_same_section_writes_the_same_bytes(section, tmp_path):
    """Pictures too, in both formats."""
    for name in ("one", "two"):
        write_section(section, tmp_path / name)
    one, two = (
        {
            path.relative_to(tmp_path / name): path.read_bytes()
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        for name in ("one", "two")
    )
    assert one == two
    assert {path.suffix for path in one} == {".md", ".txt", ".csv", ".json", ".svg", ".png"}
    assert {path for path, content in one.items() if not content} == set()


def test_the_terminal_has_paragraphs_and_tables(section):
    """In lines that fit."""
    shown = text(section)
    assert shown.startswith("17.0 A title\n\nFirst paragraph.\n\nSecond.\n\nWhat cells are\n")


def test_the_index_lists_what_is_there(section, tmp_path):
    """In the order given, with the first paragraph; sections that were not written are left out."""
    write_section(section, tmp_path)
    listed = write_index(tmp_path, ("17.9", "17.0")).read_text()
    assert listed.splitlines()[-1] == "- [17.0 A title](17.0.md) — First paragraph."


def test_no_figures_without_matplotlib(section, tmp_path, monkeypatch):
    """It is said what to install."""
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"pip install 'passband\[tinyagent\]'"):
        write_section(section, tmp_path)
