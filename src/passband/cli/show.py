"""``passband show`` and ``passband runs``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from passband.cli.common import at_store, echo, emit, format_option, store_option
from passband.cli.opening import lone_numpy, open_run, warn_of_damage, warn_of_no_isolation

if TYPE_CHECKING:
    from passband.errors import StoreError

__all__ = ["runs", "show"]


@click.command(
    epilog="""\b
RUN is an id, the beginning of one, 'latest', a store file (its newest run), or FILE#RUN.

\b
Examples:
  passband show latest
  passband show latest clamp-trap
  passband show latest clamp-trap 3
"""
)
@click.argument("run")
@click.argument("case", required=False)
@click.argument("sample", required=False, type=int)
@store_option
@format_option
def show(run: str, case: str | None, sample: int | None, store: str, format_: str) -> None:
    """Show a run's summary; one CASE of it; or one SAMPLE with its answer, verdict and trace."""
    lone_numpy()
    from passband.aggregate import count_causes, summarize
    from passband.cli.ledger import test_set_notes
    from passband.errors import UnknownNameError
    from passband.report import render_case, render_sample, render_summary, to_json

    opened, run_id = open_run(run, store)
    damaged: dict[int, StoreError] = {}
    with opened:
        warn_of_damage(opened, run_id)
        if case is None:
            summary = summarize(opened.pieces(run_id), causes=opened.causes(run_id))
            seen = [f"ledger: this run {note}" for note in test_set_notes(opened, opened.find(run_id))]
            if format_ == "json":
                emit(to_json(summary))
            else:
                text = "\n".join([render_summary(summary, name=run, at=at_store(store)), *seen])
                echo(text)
            return
        table = opened.table(run_id)
        warn_of_no_isolation(table.header)
        ids = table.header.case_ids
        if case not in ids:
            raise UnknownNameError("case", case, ids, where=run_id)
        samples = [found for _, found in opened.samples(run_id, ids.index(case), damaged=damaged.__setitem__)]
    if sample in damaged:
        raise damaged[sample]
    if sample is None:
        if damaged:
            one = f"sample {next(iter(damaged))}" if len(damaged) == 1 else f"{len(damaged)} samples"
            click.echo(f"passband: warning: {one} of {case} cannot be read", err=True)
        if format_ == "json":
            emit(to_json(samples))
        else:
            causes = count_causes(found.cause for found in samples if found.verdict is None)
            echo(render_case(summarize(table), case, samples, causes))
        return
    chosen = next((found for found in samples if found.index == sample), None)
    if chosen is None:
        raise UnknownNameError("sample", str(sample), (str(found.index) for found in samples), where=f"{run_id} {case}")
    if format_ == "json":
        emit(to_json(chosen))
    else:
        emit(render_sample(case, chosen))


@click.command()
@store_option
@format_option
def runs(store: str, format_: str) -> None:
    """List the runs in a store, oldest first."""
    from passband.report import render_runs, to_json
    from passband.run import open_store

    with open_store(store) as opened:
        warn_of_damage(opened)
        rows = opened.runs()
    if format_ == "json":
        emit(
            to_json(
                [
                    {"run_id": row.header.run_id, "samples": row.done, "enough": row.enough, "header": row.header}
                    for row in rows
                ]
            )
        )
    else:
        echo(render_runs([(row.header, row.done, row.scheduled) for row in rows]))
