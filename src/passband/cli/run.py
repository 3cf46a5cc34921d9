"""``passband run``."""

from __future__ import annotations

import os
import time

import click

from passband.cli.common import echo, format_option, store_option

__all__ = ["run"]


@click.command(
    epilog="""\b
Suites:    builtin · a folder with suite.toml · a .jsonl file · python:module:function
Subjects:  mutator · mutator-focus · python:module:function · command:PROGRAM ARGUMENT…

\b
Examples:
  passband run builtin --subject mutator -n 8 --seed 7
  passband run my-suite --subject 'command:my-agent --quiet' -n 4
  passband run builtin --subject mutator -n 8 --seed 7 --resume
"""
)
@click.argument("suite")
@click.option("--subject", required=True, metavar="SPEC", help="Who is asked.")
@click.option("-n", "--samples", default=4, show_default=True, metavar="N", type=int, help="Samples a case.")
@click.option("--seed", default=0, show_default=True, type=int, help="Same seed, same samples, for any --workers.")
@store_option
@click.option("--workers", type=click.IntRange(1, 256), help="Samples in flight at once; the number of CPUs.")
@click.option("--resume", is_flag=True, help="Finish a run that was interrupted; redraws nothing.")
@click.option("--dry-run", is_flag=True, help="Say what would be done and stop.")
@click.option("--unsafe", is_flag=True, help="Run candidates without isolation; every report will say so.")
@format_option
def run(
    suite: str,
    subject: str,
    samples: int,
    seed: int,
    store: str,
    workers: int | None,
    resume: bool,  # noqa: FBT001 - click passes by name
    dry_run: bool,  # noqa: FBT001
    unsafe: bool,  # noqa: FBT001
    format_: str,
) -> None:
    """Draw n samples of SUITE's every case from a subject, grade and store each.

    A sample is safe in the store as soon as it is counted. Ctrl-C lets what is in flight finish and says how to go on;
    after a crash, the same command with --resume goes on where the store ends.
    """
    from passband.cli.progress import run_progress
    from passband.errors import UsageError
    from passband.grade import Grading
    from passband.run import Store, execute, make_header
    from passband.subject import load_subject
    from passband.suite import load_suite

    workers = workers or os.cpu_count() or 1
    loaded = load_suite(suite)
    asked = load_subject(subject, unsafe=unsafe)
    with Grading(unsafe=unsafe, workers=workers) as grading:
        header = make_header(loaded, asked, grading, samples_per_case=samples, seed=seed, created_at=time.time())
        scheduled = len(loaded) * samples
        plan = f"{loaded.label}  {len(loaded)} tasks × {samples} = {scheduled:,} samples of {subject}, seed {seed}"
        if dry_run:
            echo(
                f"{plan}\nrun {header.run_id} · {header.harness.grader} in {header.harness.sandbox_tier}\nnothing done"
            )
            return
        click.echo(plan, err=True)
        with Store(store, create=True) as opened:
            if opened.has_run(header.run_id):
                if not resume:
                    done = len(opened.done(header.run_id))
                    state = "is complete" if done == scheduled else f"holds {done:,} of {scheduled:,} samples"
                    fix = "show it, or take another --seed" if done == scheduled else "add --resume to finish it"
                    raise UsageError(f"run {header.run_id} {state}", where=store, fix=fix)
            elif resume:
                raise _nothing_to_resume(opened, header.run_id, subject, store)
            opened.add_run(header)
            begun = time.perf_counter()
            try:
                with run_progress() as on_progress:
                    execute(header, loaded, asked, grading, opened, workers=workers, on_progress=on_progress)
            except KeyboardInterrupt:
                done = len(opened.done(header.run_id))
                click.echo(
                    f"passband: interrupted; {done:,} of {scheduled:,} samples are safe in {store}; "
                    "go on with the same command and --resume",
                    err=True,
                )
                raise click.exceptions.Exit(130) from None
            wall_s = time.perf_counter() - begun
            table = opened.table(header.run_id)
    from passband.aggregate import summarize
    from passband.report import render_summary, to_json

    summary = summarize(table)
    if format_ == "json":
        echo(to_json(summary))
        return
    echo(render_summary(summary, wall_s=wall_s))
    at = "" if store == "passband.db" else f" --store {store}"
    echo(f"\nnext: passband show {header.run_id}{at}    passband show {header.run_id} CASE{at}")


def _nothing_to_resume(opened: object, run_id: str, subject: str, store: str) -> Exception:
    """Explain why a run that was to be resumed is not there: mostly, something that defines it has moved."""
    from passband.errors import UsageError
    from passband.run import Store

    assert isinstance(opened, Store)
    near = [row.header.run_id for row in opened.runs() if row.header.subject == subject]
    fix = "run it without --resume"
    if near:
        fix += f"; {', '.join(near[-3:])} of this subject differ in suite, seed, n or harness (see: passband runs)"
    return UsageError(f"there is no run {run_id} to resume", where=store, fix=fix)
