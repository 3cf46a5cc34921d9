"""``passband select`` and ``passband ledger``."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.cli.common import echo, emit, format_option, refuse_idle, refuse_twice, store_option
from passband.cli.opening import load_table

if TYPE_CHECKING:
    from passband.compare import Selection

__all__ = ["ledger", "select"]


@click.command(
    epilog="""\b
The rule, written before anything is looked at (selection.toml):
  split = "split.json"          # of passband suite split
  choose = "best"               # or "earliest-of-best": the first that can't be told apart from the best

\b
Exit code: 0 chosen, with its test number or before it is evaluated there · 2 usage or rule
3 samples without a verdict could turn the choice · 4 bad or incomplete data

\b
Examples:
  passband suite split my-suite --share test=0.3 --share validation=0.3 -o split.json --parts parts
  passband select step-100 step-200 step-300 --rule selection.toml
  passband select step-100 step-200 step-300 --rule selection.toml --test step-200-on-test
"""
)
@click.argument("runs", nargs=-1, required=True, metavar="RUN…")
@click.option("--rule", "rule_path", default="selection.toml", show_default=True, metavar="FILE", help="The rule.")
@click.option("--test", "test_run", metavar="RUN", help="The chosen subject's run on the test part.")
@click.option("--on-test", is_flag=True, help="Choose on test; refused without --i-know.")
@click.option("--i-know", is_flag=True, help="With --on-test: report the inflation and a corrected interval.")
@store_option
@format_option
def select(
    runs: tuple[str, ...],
    rule_path: str,
    test_run: str | None,
    on_test: bool,  # noqa: FBT001 - click passes by name
    i_know: bool,  # noqa: FBT001
    store: str,
    format_: str,
) -> int:
    """Choose one of RUNs by a written rule on validation, and report its test number, once.

    The test-set ledger in each store that holds one of the runs keeps who evaluated what on test, and every report says
    how many models the test set has seen in any of them.
    """
    from passband.cli.ledger import models_seen, open_ledgers
    from passband.cli.splitting import read_split
    from passband.compare import read_selection_rule, select_run
    from passband.errors import UsageError
    from passband.report import render_selection, to_json

    if on_test and not i_know:
        raise UsageError(
            "choosing on test turns its number into a training signal",
            fix="choose on validation; or --i-know, and the report carries the inflation and a corrected interval",
        )
    if on_test:
        refuse_idle("--on-test", test=test_run)
    rule = read_selection_rule(Path(rule_path))
    split = read_split(Path(rule_path).parent / rule.split)
    tables = [load_table(name, store) for name in runs]
    refuse_twice(tables)
    tested = load_table(test_run, store) if test_run is not None else None
    found = select_run(tables, rule, split, test_run=tested, on_test=on_test)
    shown = found.test is not None or found.inflation is not None
    named = [*runs, *([test_run] if test_run is not None else [])]
    with open_ledgers(named, store) as ledgers:
        digest = ledgers.register(split, rule.test)
        before = [entry for entry in ledgers.entries(digest) if entry.event == "reported"]
        if shown:
            source = next(
                t.header for t in [*tables, *([tested] if tested else [])] if t.header.run_id in _named(found)
            )
            ledgers.record_report(digest, source, f"rule {found.rule_digest[:8]}{' ON TEST' if on_test else ''}")
        seen = models_seen(ledgers.entries(digest))
    if format_ == "json":
        emit(to_json({"selection": found, "models_seen": seen, "reported_before": before}))
    else:
        lines = [f"{_day(entry.at)}  {entry.who}  {entry.run_id}  {entry.note}" for entry in before]
        echo(render_selection(found, seen=seen, reports=lines))
    return 0 if found.settled else 3


def _named(found: Selection) -> set[str]:
    return {found.test_run or found.chosen}


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))


@click.command()
@store_option
@format_option
def ledger(store: str, format_: str) -> None:
    """Show what each test set in the store has seen: which model, under which harness, when, by whom."""
    from passband.cli.ledger import models_seen
    from passband.report import to_json
    from passband.report.words import many, table
    from passband.run import open_store

    with open_store(store) as opened:
        found = opened.ledger.entries()
    if format_ == "json":
        emit(to_json(found))
        return
    for digest in dict.fromkeys(entry.digest for entry in found):
        mine = [entry for entry in found if entry.digest == digest]
        echo(f"test set {digest[:8]} has seen {many(models_seen(mine), 'model')}")
        rows = [("day", "what", "run", "harness", "by", "")]
        rows += [(_day(e.at), e.event, e.run_id, e.harness[:8], e.who, e.note) for e in mine]
        echo("\n".join(f"  {line}" for line in table(rows, "<<<<<<")))
    if not found:
        echo("no test set is known here: passband select makes one known")
