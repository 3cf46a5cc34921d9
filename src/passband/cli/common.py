"""What several commands share: options, stores, output."""

from __future__ import annotations

import datetime as dt
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from passband.errors import StoreError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from passband.records import RunHeader, SampleTable
    from passband.run import BaseStore

__all__ = [
    "DEFAULT_STORE",
    "at_store",
    "columns",
    "echo",
    "emit",
    "format_option",
    "is_terminal",
    "load_table",
    "lone_numpy",
    "open_run",
    "quarantine_option",
    "quarantined",
    "refuse_idle",
    "refuse_other_tasks",
    "refuse_twice",
    "store_option",
    "warn_of_damage",
    "warn_of_no_isolation",
]

DEFAULT_STORE = "passband.db"
_STORES = {".db", ".sqlite", ".sqlite3"}


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


def open_run(name: str, store_path: str) -> tuple[BaseStore, str]:
    """Open the store that holds a run and find the run's id.

    A run is named by its id, the id without its digest, an unambiguous beginning of it, ``latest``, or a store file
    (its newest run); a file and a run together are ``FILE#RUN``.
    """
    from passband.run import open_store

    path, hash_, run = name.partition("#")
    if hash_ and Path(path).is_file():
        store = open_store(path)
    elif Path(name).is_file():
        store, run = open_store(name), "latest"
    else:
        try:
            store, run = open_store(store_path), name
        except StoreError:
            _refuse_missing_file(path)
            raise
    try:
        return store, store.find(run).run_id
    except UnknownNameError:
        store.close()
        if run == name:
            _refuse_missing_file(path)
        raise
    except BaseException:
        store.close()
        raise


def _refuse_missing_file(path: str) -> None:
    """Say of a name that is a store file's, as no run's is, that there is no such file."""
    if Path(path).suffix in _STORES or os.sep in path:
        raise UsageError("there is no such file", where=path, fix="passband runs --store FILE lists the runs of one")


def lone_numpy() -> None:
    """Import numpy without the threads of its linear algebra, where nobody has imported it or said how many.

    Starting them takes a third of all the CPU of a small command, and nothing a report computes has work for two.
    """
    name = "OPENBLAS_NUM_THREADS"
    if "numpy" in sys.modules or name in os.environ:
        return
    os.environ[name] = "1"
    try:
        import numpy  # noqa: F401, ICN001 - for its effect
    finally:
        del os.environ[name]  # a subject's processes are not to inherit it


def warn_of_damage(store: BaseStore, run_id: str | None = None) -> None:
    """Say on standard error, in a line each, that a file is damaged, and that it is not one to write to; once a run."""
    from passband.run.store import glance, is_url

    if is_url(store.location):
        return
    lines = []
    if found := glance(store.location, run_id):
        fix = f"see passband store check {shlex.quote(store.location)}"
        lines.append(f"passband: warning: {store.location} is damaged: {found}; {fix}")
    if store.read_only:
        lines.append(f"passband: note: {store.location} cannot be written to: it is read as it stands")
    _say_once(lines)


def warn_of_no_isolation(header: RunHeader) -> None:
    """Say on standard error, once a run, that its candidates could reach the machine they were graded on."""
    from passband.aggregate import UNISOLATED

    if header.harness.sandbox_tier == UNISOLATED:
        note = f"candidates of {header.run_id} ran without isolation (--unsafe), in {UNISOLATED}"
        _say_once([f"passband: note: {note}"])


def _say_once(lines: Iterable[str]) -> None:
    said = click.get_current_context().find_root().meta.setdefault("passband.said", set())
    for line in lines:
        if line not in said:
            said.add(line)
            click.echo(line, err=True)


def load_table(name: str, store_path: str) -> SampleTable:
    """Read the narrow rows of a run named as for :func:`open_run`, or of ``FILE.csv#SYSTEM`` of a counts file."""
    lone_numpy()
    path, hash_, system = name.partition("#")
    if path.endswith(".csv"):
        from passband.aggregate import read_counts

        tables = read_counts(Path(path), system if hash_ else None)
        if len(tables) > 1:
            raise UsageError(f"holds {len(tables)} systems", where=path, fix=f"name one: {path}#SYSTEM")
        return next(iter(tables.values()))
    store, run_id = open_run(name, store_path)
    with store:
        warn_of_damage(store, run_id)
        table = store.table(run_id)
    warn_of_no_isolation(table.header)
    return table
