"""Sections as people read them: pages in markdown, and tables as text; each from what a section's JSON holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.report.words import table as columns_of_text
from passband.report.words import wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    Cell: TypeAlias = str | int | float | None

__all__ = ["heading", "index", "page", "text_table"]

_INTRODUCTION = (
    "A chapter on the evaluation of agents as a measurement, repeated on our own gym. Every page has what was "
    "measured, its tables and figures, and the chapter's published numbers beside ours. The gym, the recipe and the "
    "seeds are our own: the phenomena must be there, the digits need not. What hangs on the training seed is shown "
    "over ten of them. `tinyagent chapter --out DIR` makes all of it; `tinyagent chapter 17.1` makes one section."
)


def heading(number: str, title: str) -> str:
    """``17.1 What a pass rate estimates``; ``Exercise 3: …``."""
    return f"{number.replace('-', ' ').capitalize()}: {title}" if number.startswith("exercise") else f"{number} {title}"


def _shown(cell: Cell, digits: int) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        said = f"{cell:.{digits}f}"
        return said.removeprefix("-") if float(said) == 0 else said
    return str(cell)


def _numeric(table: Mapping[str, Any]) -> list[bool]:
    """Which columns hold numbers, and so stand to the right."""
    return [
        all(not isinstance(row[place], str) for row in table["rows"]) and bool(table["rows"])
        for place in range(len(table["columns"]))
    ]


def _cells(table: Mapping[str, Any]) -> list[list[str]]:
    return [[_shown(cell, table["digits"]) for cell in row] for row in table["rows"]]


def text_table(table: Mapping[str, Any]) -> str:
    """Render a table for a terminal, its caption above it."""
    align = "".join(">" if right else "<" for right in _numeric(table))
    return (
        "\n".join([*wrapped(table["caption"]), "", *columns_of_text([table["columns"], *_cells(table)], align)]) + "\n"
    )


def _markdown_table(columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]) -> str:
    lines = [columns, ["--:" if one else "---" for one in right], *rows]
    return "".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |\n" for line in lines)


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
    parts = [f"# {heading(number, record['title'])}\n", record["measured"] + "\n"]
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


def index(records: Sequence[Mapping[str, Any]]) -> str:
    """Make the page that lists sections, from what their JSON holds."""
    lines = ["# The chapter, run\n", f"{_INTRODUCTION}\n"]
    for record in records:
        said = record["measured"].split("\n\n")[0]
        lines.append(f"- [{heading(record['number'], record['title'])}]({record['number']}.md) — {said}")
    return "\n".join(lines) + "\n"
