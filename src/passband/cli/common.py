"""What several commands share: options, what they refuse, output."""

from __future__ import annotations

import datetime as dt
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from passband.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passband.records import SampleTable

__all__ = [
    "DEFAULT_STORE",
    "at_store",
    "columns",
    "echo",
    "emit",
    "format_option",
    "is_terminal",
    "quarantine_option",
    "quarantined",
    "refuse_idle",
    "refuse_other_tasks",
    "refuse_twice",
    "store_option",
]

DEFAULT_STORE = "passband.db"


def store_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--store``."""
    return click.option(
        "--store",
        default=DEFAULT_STORE,
        show_default=True,
        envvar="PASSBAND_STORE",
        metavar="STORE",
        help="A file, or postgresql://USER@HOST/DATABASE; also PASSBAND_STORE.",
    )(function)


def at_store(store: str) -> str:
    """What a command must be told to find the store: nothing where it is the default."""
    return "" if store == DEFAULT_STORE else f"--store {shlex.quote(store)}"


def format_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--format``."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="json has every number; its names are stable.",
    )(function)


def quarantine_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--quarantine``."""
    return click.option(
        "--quarantine",
        "quarantine_path",
        metavar="FILE",
        type=click.Path(dir_okay=False, path_type=Path),
        help="Leave out the cases in FILE, and say what that does to the number.",
    )(function)


def quarantined(tables: list[SampleTable], path: Path | None) -> tuple[list[SampleTable], list[str]]:
    """Set the cases of a quarantine file aside in every run; return the runs that are left, and what to say of it."""
    if path is None:
        return tables, []
    from passband.aggregate import read_quarantine, set_aside
    from passband.report import quarantine_notes

    quarantine = read_quarantine(path)
    today = dt.datetime.now(tz=dt.UTC).date()
    left, notes = [], []
    for table in tables:
        kept, effect = set_aside(table, quarantine, today)
        left.append(kept)
        notes += quarantine_notes(table.header.run_id, effect)
    return left, notes


def emit(text: str) -> None:
    """Print what programs read, or what is somebody's own text, as it is."""
    click.echo(text)


def echo(text: str) -> None:
    """Print a report on standard output, folded to the terminal's columns, or to ``COLUMNS``.

    In colour on a terminal, unless ``NO_COLOR`` or ``CI`` say no.
    """
    terminal = is_terminal(sys.stdout)
    if os.environ.get("COLUMNS") or terminal:
        from passband.report.words import narrowed

        text = narrowed(text, columns())
    if terminal and not os.environ.get("NO_COLOR") and os.environ.get("CI") != "true":
        from passband.report.paint import paint

        text = paint(text)
    click.echo(text)


def refuse_idle(mode: str, **others: object) -> None:
    """Refuse options for which what is asked has no use, rather than to leave them without effect.

    Parameters
    ----------
    mode : str
        What is asked, as the message says it.
    **others : object
        Options by their names, with underscores, and what was given for each.

    Raises
    ------
    UsageError
        For the first that was given.
    """
    for name, given in others.items():
        if given:
            option = "--" + name.replace("_", "-")
            raise UsageError(f"{mode} has no use for {option}", fix=f"leave {option} out, or ask without {mode}")


def refuse_twice(tables: Sequence[SampleTable]) -> None:
    """Refuse to hold a run against itself, under one name or two: whatever came out would be no finding.

    Raises
    ------
    UsageError
        Where two of the runs are one: equal headers, and equal outcomes of every sample.
    """
    for place, one in enumerate(tables):
        if any(one.header == two.header and one.outcome == two.outcome for two in tables[:place]):
            raise UsageError(
                f"{one.header.run_id} is named twice: no run compares with itself", fix="name each run once"
            )


def refuse_other_tasks(tables: Sequence[SampleTable], allow: Iterable[str], *, fix: str) -> None:
    """Say which tasks two files of counts do not share, where that is not allowed: their suite's version tells nobody.

    Raises
    ------
    UsageError
        Where counts of one benchmark are of other tasks than the first, and `allow` does not name ``suite_version``.
    """
    from passband.aggregate import COUNTED
    from passband.report.words import listed, many

    counted = [table.header for table in tables if table.header.harness.grader == COUNTED]
    for two in counted[1:] if "suite_version" not in allow else ():
        one = counted[0]
        if one.harness.suite == two.harness.suite and one.harness.suite_version != two.harness.suite_version:
            alone = [
                f"{many(len(ids), 'task')} only in {mine.run_id}: {listed(ids, 40)}"
                for mine, other in ((one, two), (two, one))
                if (ids := sorted(set(mine.case_ids) - set(other.case_ids)))
            ]
            said = ", ".join(alone) or "other systems of theirs have more"
            raise UsageError(f"the files of counts hold other tasks: {said}", fix=fix)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody looks at a stream; one that was closed before the start is None."""
    return stream is not None and stream.isatty()


def columns() -> int:
    """Columns of the terminal or of ``COLUMNS``, 40 at least; those of a report where output is no terminal."""
    import shutil

    from passband.report.words import WIDTH

    if not (os.environ.get("COLUMNS") or is_terminal(sys.stdout)):
        return WIDTH
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, 40)
