"""``passband compare``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.cli.common import (
    at_store,
    columns,
    echo,
    emit,
    format_option,
    quarantine_option,
    quarantined,
    refuse_idle,
    refuse_other_tasks,
    refuse_twice,
    store_option,
)
from passband.cli.opening import load_table, open_run

if TYPE_CHECKING:
    from passband.compare import Narrowing
    from passband.records import SampleTable

__all__ = ["compare"]

_ASKED = 5
"""Cases whose answers are read: those that text shows."""


@click.command(
    epilog="""\b
RUN is named as for show; a system of a counts file is FILE.csv#SYSTEM, and FILE.csv all of its systems.

\b
Exit code: 0 better, or the same within the margin; a ranking · 1 worse · 3 unclear

\b
Examples:
  passband compare mutator-1f2e3d4c mutator-focus-5a6b7c8d
  passband compare base.db cand.db --margin 2
  passband compare results.csv
  passband compare base.db cand.db --narrowing --action 'edit (\\w+)'
  passband compare --recipe base-s1,base-s2,base-s3 cand-s1,cand-s2,cand-s3
"""
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--margin", default=0.0, show_default=True, metavar="POINTS", help="Differences up to it do not matter.")
@click.option("--by", metavar="SLICE", help="Show this slice only.")
@click.option("--recipe", is_flag=True, help="Two arguments, each the runs of a recipe's seeds, parted by commas.")
@click.option("--narrowing", is_flag=True, help="pass@k of both over all k: does the candidate cover less?")
@click.option(
    "--action",
    metavar="REGEX",
    help="With --narrowing: what of an answer is the action, its first match or the group in it; all of it by default.",
)
@click.option("--allow", multiple=True, metavar="FIELD", help="Let the harnesses differ in FIELD; may be repeated.")
@click.option("--level", default=95.0, show_default=True, metavar="PERCENT", help="Confidence of the interval.")
@click.option(
    "--headline", multiple=True, metavar="RUN=PERCENT", help="A published pass@1: said where the samples differ."
)
@quarantine_option
@store_option
@format_option
def compare(
    runs: tuple[str, ...],
    margin: float,
    by: str | None,
    recipe: bool,  # noqa: FBT001 - click passes by name
    narrowing: bool,  # noqa: FBT001
    action: str | None,
    allow: tuple[str, ...],
    level: float,
    headline: tuple[str, ...],
    quarantine_path: Path | None,
    store: str,
    format_: str,
) -> int:
    """Compare a candidate with a baseline, case by case; or rank more than two runs.

    The baseline comes first. The verdict, its interval, its p and the exit code come from one paired interval over
    tasks, so they never disagree.
    """
    from passband.compare import compare_coverage, compare_recipes, compare_runs, exit_code, rank_runs
    from passband.errors import UsageError
    from passband.report import render_comparison, render_narrowing, render_ranking, render_recipes, to_json

    if not 0 <= margin < 100:
        raise UsageError(f"--margin {margin:g} is not from 0 up to 100 points", fix="for example --margin 2")
    if not 50 <= level < 100:
        raise UsageError(f"--level {level:g} is not from 50 up to 100", fix="95 is usual")
    if action is not None and not narrowing:
        raise UsageError("--action tells actions apart for --narrowing", fix="add --narrowing")
    if recipe:
        refuse_idle("--recipe", narrowing=narrowing, by=by, headline=headline, quarantine=quarantine_path)
        if len(runs) != 2:
            raise UsageError(
                f"--recipe takes two lists of runs, not {len(runs)}", fix="part the runs of a recipe by commas"
            )
        arms = [[load_table(name.strip(), store) for name in arm.split(",") if name.strip()] for arm in runs]
        found = compare_recipes(*arms, margin=margin / 100, level=level / 100, allow=allow)
        if format_ == "json":
            emit(to_json(found))
        else:
            echo(render_recipes(found))
        return exit_code(found.verdict)
    from passband.cli.ledger import seen_notes

    tables = [table for name in runs for table in _tables(name, store)]
    if len(tables) < 2:
        raise UsageError("one run compares with nothing", fix="name a baseline and a candidate")
    refuse_twice(tables)
    refuse_other_tasks(tables, allow, fix="compare those that all have with --allow suite_version")
    remarks = _headlines(tables, headline)
    tables, aside = quarantined(tables, quarantine_path)
    seen = [*aside, *(f"ledger: {note}" for note in seen_notes(runs, store))]
    if len(tables) > 2:
        refuse_idle(f"a ranking of {len(tables)} runs", margin=margin, by=by, narrowing=narrowing)
        ranking = rank_runs(tables, level=level / 100, allow=allow)
        if format_ == "json":
            emit(to_json(ranking))
        else:
            echo("\n".join([render_ranking(ranking), *seen]))
        for remark in remarks:
            click.echo(f"! {remark}", err=True)
        return 0
    if narrowing:
        refuse_idle("--narrowing", margin=margin, by=by, headline=headline)
        coverage = compare_coverage(*tables, level=level / 100, allow=allow)
        if not any(".csv" in name for name in runs):
            coverage = _with_actions(coverage, runs, store, action)
        if format_ == "json":
            emit(to_json(coverage))
        else:
            echo("\n".join([render_narrowing(coverage), *seen]))
        return {"narrows": 1, "shifts down": 1, "unclear": 3}.get(coverage.verdict, 0)
    comparison = compare_runs(*tables, margin=margin / 100, level=level / 100, allow=allow, by=by)
    counted = any(".csv" in name for name in runs)
    steps: list[str] | None = [] if counted else None
    if format_ == "json":
        emit(to_json(comparison))
    else:
        text = render_comparison(
            comparison, next_steps=steps, names=(runs[0], runs[-1]), at=at_store(store), columns=columns()
        )
        echo("\n".join([text, *seen]))
    for remark in remarks:
        click.echo(f"! {remark}", err=True)
    return exit_code(comparison.verdict)


def _with_actions(coverage: Narrowing, runs: tuple[str, ...], store: str, action: str | None) -> Narrowing:
    """Read the answers to the cases that lost most, and say which replaced which."""
    import re

    from passband.compare import name_actions
    from passband.errors import UsageError

    try:
        pattern = None if action is None else re.compile(action)
    except re.error as error:
        raise UsageError(
            f"--action {action} is no pattern: {error}", fix=r"for example --action 'edit (\w+)'"
        ) from None
    cases = [entry.case.id for entry in coverage.lost[:_ASKED]]
    sides = []
    for name in runs:
        opened, run_id = open_run(name, store)
        with opened:
            ids = opened.table(run_id).header.case_ids
            sides.append({case: [found for _, found in opened.samples(run_id, ids.index(case))] for case in cases})
    return name_actions(coverage, *sides, pattern=pattern)


def _tables(name: str, store: str) -> list[SampleTable]:
    from passband.aggregate import read_counts

    if name.endswith(".csv"):
        return list(read_counts(Path(name)).values())
    return [load_table(name, store)]


def _headlines(tables: list[SampleTable], headlines: tuple[str, ...]) -> list[str]:
    from passband.compare import headline_suspicions
    from passband.errors import UnknownNameError, UsageError

    by_name = {table.header.run_id: table for table in tables}
    out = []
    for entry in headlines:
        name, equals, text = entry.rpartition("=")
        try:
            value = float(text)
        except ValueError:
            equals = ""
            value = 0.0
        if not equals or not 0 <= value <= 100:
            raise UsageError(f"--headline {entry} is not RUN=PERCENT", fix="for example base=88.9")
        if name not in by_name:
            raise UnknownNameError("run", name, by_name, where="--headline")
        digits = len(text.partition(".")[2])
        out += [f"{name}: {found.message}" for found in headline_suspicions(by_name[name], value / 100, digits=digits)]
    return out
