"""``passband store``: check, rescue, merge."""

from __future__ import annotations

import shlex

import click

from passband.cli.common import echo, emit, format_option

__all__ = ["store"]

_SHOWN = 20


@click.group()
def store() -> None:
    """Check, rescue and merge stores."""


def _refuse_database(file: str, *, fix: str) -> None:
    """A server looks after the files of a database itself."""
    from passband.errors import UsageError
    from passband.run.store import is_url

    if is_url(file):
        raise UsageError("is a database, not a file", where=file, fix=fix)


@store.command()
@click.argument("file", type=click.Path(dir_okay=False))
@format_option
def check(file: str, format_: str) -> int:
    """Look for damage in FILE; nothing is written. Exits with 4 where there is any."""
    from passband.report import to_json
    from passband.report.words import many
    from passband.run.store import check_store

    _refuse_database(file, fix="copy its runs into a file with passband store merge, and check that")
    found = check_store(file)
    if format_ == "json":
        emit(to_json(found))
    else:
        word = "WHOLE" if found.ok else "DAMAGED"
        echo(f"{word}  {file}  {many(found.runs, 'run')}, {many(found.samples, 'sample')}")
        _list(found.problems)
        if not found.ok:
            echo(f"\nnext: passband store rescue {shlex.quote(str(file))} -o NEW")
    return 0 if found.ok else 4


@store.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False), help="The new store.")
@format_option
def rescue(file: str, output: str, format_: str) -> None:
    """Copy what can be read of a damaged FILE into a new store; FILE stays as it is."""
    from passband.report import to_json
    from passband.report.words import many
    from passband.run.store import rescue_store

    _refuse_database(file, fix="copy its runs into a file with passband store merge")
    found = rescue_store(file, output)
    if format_ == "json":
        emit(to_json(found))
        return
    echo(f"{output}  {many(found.runs, 'run')}, {many(found.samples, 'sample')} saved")
    for run_id, kept, scheduled in found.saved:
        echo(f"  {run_id}: {kept:,} of {many(scheduled, 'sample')}")
    if found.lost:
        echo("\nfound damaged")
    _list(found.lost)
    echo("\nnext: the same passband run … with --store and --resume draws what is missing")


@store.command()
@click.argument("sources", nargs=-1, required=True, metavar="STORE…")
@click.option("-o", "--output", required=True, metavar="STORE", help="Where to: a file or URL, made if need be.")
@format_option
def merge(sources: tuple[str, ...], output: str, format_: str) -> int:
    """Bring the runs of several stores together, as files or URLs.

    Parts of one run become one run. All stores are merged or, where one can't be, none. Exits with 4 where a sample has
    different outcomes in two stores.
    """
    from passband.report import to_json
    from passband.report.words import many
    from passband.run.store import merge_files

    reports = merge_files(sources, output)
    if format_ == "json":
        emit(to_json(reports))
    else:
        for name, found in reports.items():
            echo(
                f"{name}  {many(found.runs, 'run')}: {many(found.added, 'sample')} added, {found.same:,} there already"
            )
            if found.replaced:
                echo(f"  {many(found.replaced, 'errored sample')} replaced")
            _list([f"{text}: two different outcomes, the first is kept" for text in found.conflicts])
    return 4 if any(found.conflicts for found in reports.values()) else 0


def _list(lines: tuple[str, ...] | list[str]) -> None:
    for line in lines[:_SHOWN]:
        echo(f"  {line}")
    if len(lines) > _SHOWN:
        echo(f"  … {len(lines) - _SHOWN:,} more")
