"""What a section leaves behind: tables as text, CSV and JSON, figures as SVG and PNG, and a page that shows them.

Every file is a function of the section alone: no dates, no machine's name, numbers rounded to six digits after the
point, so that a sum that another processor rounds in its last bit writes the same bytes.
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passband.errors import InvalidInputError, UsageError
from passband.report.words import wrapped
from tinyagent.chapter.pages import heading, index, page, text_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure as Canvas

    from tinyagent.chapter.pages import Cell

__all__ = ["BLUE", "GREEN", "GREY", "RED", "STYLE", "Figure", "Published", "Section", "Table", "text", "write_index"]
__all__ += ["write_section"]

GREEN, BLUE, RED, GREY = "#1a7f37", "#0969da", "#cf222e", "#8c959f"
STYLE: Any = {  # a mapping whose keys matplotlib's types list one by one
    "svg.hashsalt": "passband",
    "svg.fonttype": "none",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e8eb",
    "axes.axisbelow": True,
    "legend.frameon": False,
}


@dataclass(frozen=True)
class Table:
    """Rows under names.

    Raises
    ------
    InvalidInputError
        Where a row is shorter or longer than the columns.
    """

    name: str
    """Of its files: ``counts`` gives ``counts.txt``, ``counts.csv``, ``counts.json``."""
    caption: str
    columns: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]
    digits: int = 3
    """After the point, where people read; CSV and JSON have six."""

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise InvalidInputError(
                    f"{len(row)} cells under {len(self.columns)} columns", where=f"table {self.name}"
                )


@dataclass(frozen=True)
class Figure:
    """A drawing."""

    name: str
    caption: str
    draw: Callable[[Canvas], None]
    """Given an empty matplotlib figure of `size`, draws on it. It must draw nothing at random."""
    size: tuple[float, float] = (6.5, 3.2)
    """Width and height in inches."""


@dataclass(frozen=True)
class Published:
    """A number of the chapter, and ours beside it."""

    what: str
    chapter: Cell
    here: Cell


@dataclass(frozen=True)
class Section:
    """What running a section gives."""

    number: str
    """``17.1``, ``exercise-3``: its name everywhere."""
    title: str
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    measured: str
    """What was measured, composed from the numbers; paragraphs are parted by an empty line."""
    published: tuple[Published, ...]
    differs: str
    """Where our numbers differ from the chapter's, and why."""

    @property
    def heading(self) -> str:
        """``17.1 What a pass rate estimates``; ``Exercise 3: …``."""
        return heading(self.number, self.title)


def _plain(cell: Any) -> Cell:
    """A cell as JSON and CSV hold it: Python's own numbers, floats rounded."""
    if hasattr(cell, "item"):
        cell = cell.item()
    return round(cell, 6) + 0.0 if isinstance(cell, float) else cell


def _record(section: Section) -> dict[str, Any]:
    """The section as its JSON holds it: all but the drawings."""
    return {
        "number": section.number,
        "title": section.title,
        "measured": section.measured,
        "published": [[one.what, _plain(one.chapter), _plain(one.here)] for one in section.published],
        "differs": section.differs,
        "tables": [_table_record(table) for table in section.tables],
        "figures": [{"name": figure.name, "caption": figure.caption} for figure in section.figures],
    }


def _table_record(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "caption": table.caption,
        "columns": list(table.columns),
        "rows": [[_plain(cell) for cell in row] for row in table.rows],
        "digits": table.digits,
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def text(section: Section) -> str:
    """Render a section for a terminal: what was measured, and its tables."""
    record = _record(section)
    parts = [section.heading, *("\n".join(wrapped(one)) for one in section.measured.split("\n\n"))]
    return "\n\n".join([*parts, *(text_table(table).rstrip("\n") for table in record["tables"])])


def write_section(section: Section, out: Path) -> Path:
    """Write a section's page, and beside it a folder of its name with tables, figures and ``section.json``.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        Where there is a figure to draw and matplotlib is not installed.
    """
    folder = out / section.number
    folder.mkdir(parents=True, exist_ok=True)
    record = _record(section)
    for table in record["tables"]:
        for suffix, content in (("txt", text_table(table)), ("csv", _csv(table)), ("json", _json(table))):
            (folder / f"{table['name']}.{suffix}").write_text(content, encoding="utf-8")
    for figure in section.figures:
        _draw(figure, folder)
    (folder / "section.json").write_text(_json(record), encoding="utf-8")
    written = out / f"{section.number}.md"
    written.write_text(page(record), encoding="utf-8")
    return written


def _draw(figure: Figure, folder: Path) -> None:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        fix = "pip install 'passband[tinyagent]'"
        raise UsageError("figures need matplotlib", where=f"figure {figure.name}", fix=fix) from None
    with mpl.rc_context(STYLE):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas)
        canvas.savefig(folder / f"{figure.name}.svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(folder / f"{figure.name}.png", dpi=150, metadata={"Software": None})


def _csv(table: Mapping[str, Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table["columns"], *table["rows"]])
    return out.getvalue()


def write_index(out: Path, numbers: Sequence[str]) -> Path:
    """Write ``index.md`` over those of the sections that lie in a folder.

    Parameters
    ----------
    out : Path
    numbers : sequence of str
        Sections in order; those not written yet are left out.
    """
    files = [out / number / "section.json" for number in numbers]
    written = out / "index.md"
    written.write_text(
        index([json.loads(file.read_text("utf-8")) for file in files if file.exists()]), encoding="utf-8"
    )
    return written
