"""``passband drift``."""

from __future__ import annotations

import click

from passband.cli.common import echo, emit, format_option, refuse_twice, store_option
from passband.cli.opening import load_table

__all__ = ["drift"]


@click.command(
    epilog="""\b
Exit code: 0 the harnesses are one · 1 they differ

\b
Example:
  passband drift base.db cand.db
"""
)
@click.argument("one")
@click.argument("two")
@store_option
@format_option
def drift(one: str, two: str, store: str, format_: str) -> int:
    """Show what differs between the harnesses of runs ONE and TWO, ranked by what can move a number."""
    from passband.compare import harness_drift
    from passband.report import render_drift, to_json

    tables = [load_table(name, store) for name in (one, two)]
    refuse_twice(tables)
    found = harness_drift(*(table.header for table in tables))
    if format_ == "json":
        emit(to_json(found))
    else:
        echo(render_drift(found))
    return 1 if found.fields else 0
