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
from passband.report.words import table as columns_of_text
from passband.report.words import wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path
    from typing import TypeAlias

    from matplotlib.figure import Figure as Canvas

    Cell: TypeAlias = str | int | float | None

__all__ = ["BLUE", "GREEN", "GREY", "RED", "Figure", "Published", "Section", "Table", "page", "text", "write_index"]
__all__ += ["write_section"]

GREEN, BLUE, RED, GREY = "#1a7f37", "#0969da", "#cf222e", "#8c959f"
_STYLE: Any = {  # a mapping whose keys matplotlib's types list one by one
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
        return _heading(self.number, self.title)


def _heading(number: str, title: str) -> str:
    return f"{number.replace('-', ' ').capitalize()}: {title}" if number.startswith("exercise") else f"{number} {title}"


def _plain(cell: Any) -> Cell:
    """A cell as JSON and CSV hold it: Python's own numbers, floats rounded."""
    if hasattr(cell, "item"):
        cell = cell.item()
    return round(cell, 6) + 0.0 if isinstance(cell, float) else cell


def _shown(cell: Cell, digits: int) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        said = f"{cell:.{digits}f}"
        return said.removeprefix("-") if float(said) == 0 else said
    return str(cell)


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


def _csv(table: Mapping[str, Any]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([table["columns"], *table["rows"]])
    return out.getvalue()


def _numeric(table: Mapping[str, Any]) -> list[bool]:
    """Which columns hold numbers, and so stand to the right."""
    return [
        all(not isinstance(row[place], str) for row in table["rows"]) and bool(table["rows"])
        for place in range(len(table["columns"]))
    ]


def _cells(table: Mapping[str, Any]) -> list[list[str]]:
    return [[_shown(cell, table["digits"]) for cell in row] for row in table["rows"]]


def _text_table(table: Mapping[str, Any]) -> str:
    align = "".join(">" if right else "<" for right in _numeric(table))
    return (
        "\n".join([*wrapped(table["caption"]), "", *columns_of_text([table["columns"], *_cells(table)], align)]) + "\n"
    )


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    lines = [columns, ["--:" if one else "---" for one in right], *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def text(section: Section) -> str:
    """Render a section for a terminal: what was measured, and its tables."""
    record = _record(section)
    parts = [section.heading, *("\n".join(wrapped(one)) for one in section.measured.split("\n\n"))]
    return "\n\n".join([*parts, *(_text_table(table).rstrip("\n") for table in record["tables"])])


def page(record: Mapping[str, Any]) -> str:
    """Make a section's page from its JSON.

    Parameters
    ----------
    record : mapping
        What ``section.json`` holds.

    Returns
    -------
    str
        Markdown; pictures lie in the folder named like the section, beside the page.
    """
    number = record["number"]
    parts = [f"# {_heading(number, record['title'])}\n", record["measured"] + "\n"]
    for figure in record["figures"]:
        parts += [f"![{figure['caption']}]({number}/{figure['name']}.svg)\n", f"*{figure['caption']}*\n"]
    for table in record["tables"]:
        parts += [f"**{table['caption']}**\n", _markdown_table(table["columns"], _cells(table), _numeric(table))]
    if record["published"]:
        rows = [[what, _shown(theirs, 3), _shown(ours, 3)] for what, theirs, ours in record["published"]]
        parts += ["## Beside the chapter\n", _markdown_table(["", "chapter", "here"], rows, [False, True, True])]
    parts += [record["differs"] + "\n"]
    parts += [f"Made by `tinyagent chapter {number}`. [All sections](index.md)\n"]
    return "\n".join(parts)


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
        for suffix, content in (("txt", _text_table(table)), ("csv", _csv(table)), ("json", _json(table))):
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
    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas)
        canvas.savefig(folder / f"{figure.name}.svg", metadata={"Date": None, "Creator": None})
        canvas.savefig(folder / f"{figure.name}.png", dpi=150, metadata={"Software": None})


def index(records: Sequence[Mapping[str, Any]]) -> str:
    """Make the page that lists sections, from what their JSON holds."""
    lines = ["# The chapter, run\n", f"{INTRODUCTION}\n"]
    for record in records:
        said = record["measured"].split("\n\n")[0]
        lines.append(f"- [{_heading(record['number'], record['title'])}]({record['number']}.md) — {said}")
    return "\n".join(lines) + "\n"


INTRODUCTION = (
    "A chapter on the evaluation of agents as a measurement, repeated on our own gym. Every page has what was "
    "measured, its tables and figures, and the chapter's published numbers beside ours. The gym, the recipe and the "
    "seeds are our own: the phenomena must be there, the digits need not. What hangs on the training seed is shown "
    "over ten of them. `tinyagent chapter --out DIR` makes all of it; `tinyagent chapter 17.1` makes one section."
)


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
