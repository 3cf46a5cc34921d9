"""``passband compare``."""

from __future__ import annotations

import click

from passband.cli.common import echo, format_option, load_table, store_option

__all__ = ["compare"]

_EXIT = {"better": 0, "same": 0, "worse": 1, "unclear": 3}


@click.command(
    epilog="""\b
Exit code: 0 better, or the same within the margin · 1 worse · 3 unclear

\b
Examples:
  passband compare mutator-1f2e3d4c mutator-focus-5a6b7c8d
  passband compare base.db cand.db --margin 2
"""
)
@click.argument("baseline")
@click.argument("candidate")
@click.option("--margin", default=0.0, show_default=True, metavar="POINTS", help="Differences up to it do not matter.")
@click.option("--allow", multiple=True, metavar="FIELD", help="Let the harnesses differ in FIELD; may be repeated.")
@click.option("--level", default=95.0, show_default=True, metavar="PERCENT", help="Confidence of the interval.")
@store_option
@format_option
def compare(
    baseline: str, candidate: str, margin: float, allow: tuple[str, ...], level: float, store: str, format_: str
) -> int:
    """Compare CANDIDATE with BASELINE, case by case.

    The verdict, its interval, its p and the exit code come from one paired interval over tasks, so they never disagree.
    """
    from passband.compare import compare_runs
    from passband.report import render_comparison, to_json

    tables = load_table(baseline, store), load_table(candidate, store)
    comparison = compare_runs(*tables, margin=margin / 100, level=level / 100, allow=allow)
    echo(to_json(comparison) if format_ == "json" else render_comparison(comparison))
    return _EXIT[comparison.verdict]
