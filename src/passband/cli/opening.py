"""Runs as a command names them: found, opened, read, and what is to be said of them."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.errors import StoreError, UnknownNameError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.records import RunHeader, SampleTable
    from passband.run import BaseStore

__all__ = ["load_table", "lone_numpy", "open_run", "warn_of_damage", "warn_of_no_isolation"]

_STORES = {".db", ".sqlite", ".sqlite3"}


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
