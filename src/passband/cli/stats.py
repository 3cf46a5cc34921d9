"""``passband stats``: the same numbers for anyone's counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from passband.cli.common import columns, echo, emit, format_option, refuse_idle, refuse_twice

__all__ = ["stats"]


@click.command(
    epilog="""\b
COUNTS.csv has the columns task_id, n (samples), c (of them passed), and system where there are several; or a row a
sample, with a column success of 0 and 1 in place of n and c. Two benchmarks in one file are kept apart.

\b
Examples:
  passband stats counts.csv --plot
  passband stats counts.csv --compare base cand --power 2
"""
)
@click.argument("counts", type=click.Path(path_type=Path, dir_okay=False), metavar="COUNTS.csv")
@click.option("--system", multiple=True, metavar="NAME", help="Show this system only; may be repeated.")
@click.option("--compare", "pair", nargs=2, metavar="A B", help="Compare system B with A, paired by task.")
@click.option("--power", type=float, metavar="POINTS", help="With --compare: how many tasks find such a difference.")
@click.option("--plot", is_flag=True, help="Draw the intervals.")
@format_option
def stats(
    counts: Path,
    system: tuple[str, ...],
    pair: tuple[str, str] | None,
    power: float | None,
    plot: bool,  # noqa: FBT001 - click passes by name
    format_: str,
) -> int:
    """Print pass@1, pass@k, pass^k, their intervals and the design effect for every system of COUNTS.csv."""
    from passband.aggregate import read_counts, summarize
    from passband.compare import compare_runs, exit_code, pilot_power
    from passband.errors import UnknownNameError, UsageError
    from passband.report import render_comparison, render_counts, render_pilot, to_json

    if power is not None and not pair:
        raise UsageError("--power plans from a comparison", fix="add --compare A B")
    if pair:
        refuse_idle("--compare", plot=plot, system=system)
    tables = read_counts(counts)
    for name in (*system, *(pair or ())):
        if name not in tables:
            raise UnknownNameError("system", name, tables, where=str(counts))
    if pair:
        baseline, candidate = tables[pair[0]], tables[pair[1]]
        refuse_twice([baseline, candidate])
        comparison = compare_runs(baseline, candidate)
        pilot = pilot_power(baseline, candidate, power / 100) if power is not None else None
        if format_ == "json":
            emit(to_json({"comparison": comparison, "power": pilot}))
            return exit_code(comparison.verdict)
        echo(render_comparison(comparison, next_steps=[], columns=columns()))
        if pilot is not None:
            echo("\n" + render_pilot(pilot))
        return exit_code(comparison.verdict)
    made: dict[str, Any] = {name: summarize(tables[name]) for name in system or tables}
    if format_ == "json":
        emit(to_json(made))
    else:
        echo(render_counts(made, plot=plot))
    return 0
