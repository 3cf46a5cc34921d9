"""``passband run``."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.cli.amounts import DURATION, MONEY, TOKENS, Share
from passband.cli.asked import read_executor, read_rule, read_settings, read_traffic
from passband.cli.common import at_store, echo, emit, format_option, store_option
from passband.cli.opening import lone_numpy
from passband.cli.resuming import check_resume

if TYPE_CHECKING:
    from passband.cli.stopping import UntilDecided, UntilWidth
    from passband.records import Usage
    from passband.run import Budget, Progress

__all__ = ["run"]

_LATE_S = 0.5  # past a budget of time: worth a word


@click.command(
    epilog="""\b
Suites:    builtin · a folder with suite.toml · a .jsonl file · python:module:function
Subjects:  mutator · mutator-focus · python:module:function · command:PROGRAM ARGUMENT… · chat:MODEL@BASE_URL

\b
Examples:
  passband run builtin --subject mutator -n 8 --seed 7
  passband run my-suite --subject 'command:my-agent --quiet' -n 4 --budget-time 30m
  passband run builtin --subject chat:qwen3-4b@http://localhost:8000/v1 --set temperature=0.8 --workers 32
  passband run builtin --subject mutator -n 8 --seed 7 --resume
"""
)
@click.argument("suite")
@click.option("--subject", required=True, metavar="SPEC", help="Who is asked.")
@click.option("-n", "--samples", default=4, show_default=True, metavar="N", type=int, help="Samples a case.")
@click.option("--seed", default=0, show_default=True, type=int, help="Same seed, same samples, for any --workers.")
@store_option
@click.option("--workers", type=click.IntRange(1, 1024), help="Samples in flight at once; the number of CPUs.")
@click.option("--set", "settings", multiple=True, metavar="NAME=VALUE", help="A setting of the subject; repeatable.")
@click.option("--record", type=click.Path(dir_okay=False), metavar="FILE", help="Keep the model's responses in FILE.")
@click.option("--replay", type=click.Path(dir_okay=False), metavar="FILE", help="Take them from FILE; no network.")
@click.option("--executor", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="Where.")
@click.option("--address", metavar="HOST:PORT", help="Of a running Ray cluster; without it, one is started here.")
@click.option("--budget-time", type=DURATION, metavar="TIME", help="Start no sample after that: 90s, 30m, 2h.")
@click.option("--budget-tokens", type=TOKENS, metavar="TOKENS", help="Over the whole run: 500k, 2M.")
@click.option("--budget-usd", type=MONEY, metavar="DOLLARS", help="Over the whole run.")
@click.option("--until-width", type=Share(1e-6, 1), metavar="W", help="Stop at that width.")
@click.option("--until-decided", type=Share(0, 1), metavar="MARGIN", help="Stop when it is clear.")
@click.option("--baseline", metavar="RUN", help="For --until-decided: the run to be no worse than.")
@click.option(
    "--attempts", default=3, show_default=True, type=click.IntRange(1), help="Tries before a sample is errored."
)
@click.option("--resume", is_flag=True, help="Finish a run that was interrupted; redraws nothing.")
@click.option("--retry-errored", is_flag=True, help="With --resume: draw the errored samples again.")
@click.option("--dry-run", is_flag=True, help="Say what would be done and stop.")
@click.option(
    "--unsafe", is_flag=True, help="Where no sandbox is to be had, run candidates without one; reports say so."
)
@format_option
def run(
    suite: str,
    subject: str,
    samples: int,
    seed: int,
    store: str,
    workers: int | None,
    settings: tuple[str, ...],
    record: str | None,
    replay: str | None,
    executor: str,
    address: str | None,
    budget_time: float | None,
    budget_tokens: int | None,
    budget_usd: float | None,
    until_width: float | None,
    until_decided: float | None,
    baseline: str | None,
    attempts: int,
    resume: bool,  # noqa: FBT001 - click passes by name
    retry_errored: bool,  # noqa: FBT001
    dry_run: bool,  # noqa: FBT001
    unsafe: bool,  # noqa: FBT001
    format_: str,
) -> int:
    """Draw n samples of SUITE's every case from a subject, grade and store each.

    A sample is safe in the store as soon as it is counted. Ctrl-C lets what is in flight finish and says how to go on
    (twice, it leaves at once); after a crash, the same command with --resume goes on where the store ends. A run that a
    budget ends exits with 4: it is incomplete.
    """
    from passband.cli.aside import aside
    from passband.cli.progress import run_progress
    from passband.cli.stopping import UntilDecided
    from passband.grade import Grading
    from passband.report.words import many
    from passband.run import Budget, RetryPolicy, execute, make_header, most_of_run, open_store
    from passband.run.ray_pool import Recipe
    from passband.subject import load_subject
    from passband.suite import load_suite

    cpus = os.cpu_count() or 1
    with aside():
        loaded = load_suite(suite)
        traffic = read_traffic(record, replay, subject=subject, executor=executor)
        asked = load_subject(subject, settings=read_settings(settings), traffic=traffic, unsafe=unsafe)
    retry = RetryPolicy(attempts=attempts)
    where = read_executor(
        executor, address, Recipe(seed, subject, read_settings(settings), unsafe, retry, folder=str(Path.cwd()))
    )
    rule = read_rule(until_width, until_decided, baseline, store, len(loaded))
    budget = Budget(wall_s=budget_time, tokens=budget_tokens, cost_usd=budget_usd)
    with Grading(unsafe=unsafe, workers=cpus) as grading:
        with aside():
            header = make_header(loaded, asked, grading, samples_per_case=samples, seed=seed, created_at=time.time())
            if isinstance(rule, UntilDecided):
                rule.check(header)
            most = most_of_run(asked, loaded, samples)
            budget.check(asked, most)
        scheduled = len(loaded) * samples
        drawn = f"{many(len(loaded), 'task')} × {samples} = {many(scheduled, 'sample')}"
        plan = f"{loaded.label}  {drawn} of {subject}, seed {seed}"
        plan += _price(most, budget)
        if dry_run:
            echo(
                f"{plan}\nrun {header.run_id} · {header.harness.grader} in {header.harness.sandbox_tier}\nnothing done"
            )
            return 0
        click.echo(plan, err=True)
        with open_store(store, create=True) as opened:
            check_resume(opened, header, resume=resume, retry_errored=retry_errored)
            opened.add_run(header)
            if retry_errored:
                opened.drop_errored(header.run_id)
            begun = time.perf_counter()
            try:
                with run_progress() as on_progress, aside():
                    progress = execute(
                        header,
                        loaded,
                        asked,
                        grading,
                        opened,
                        workers=workers or cpus,
                        on_progress=on_progress,
                        retry=retry,
                        budget=budget,
                        rule=rule,
                        executor=where,
                    )
            except KeyboardInterrupt:
                done = opened.count(header.run_id)
                click.echo(
                    f"passband: interrupted; {done:,} of {scheduled:,} samples are safe in {opened.location}; "
                    "go on with the same command and --resume",
                    err=True,
                )
                raise click.exceptions.Exit(130) from None
            wall_s = time.perf_counter() - begun
            lone_numpy()
            from passband.aggregate import summarize

            summary = summarize(opened.pieces(header.run_id), causes=opened.causes(header.run_id))
    from passband.report import render_summary, to_json

    if ending := _ending(progress, rule, budget, wall_s):
        click.echo(f"passband: {ending}", err=True)
    if format_ == "json":
        emit(to_json(summary))
    else:
        echo(render_summary(summary, wall_s=wall_s, at=at_store(store)))
    # A run of which less than half could be graded is no result, whatever its word.
    return 4 if summary.errors.too_many or (progress.stopped and not progress.enough) else 0


def _ending(progress: Progress, rule: UntilWidth | UntilDecided | None, budget: Budget, wall_s: float) -> str:
    """Say why the run ended where it did, if that is not plain."""
    from passband.report.words import duration

    if progress.enough:
        return f"enough: {progress.enough}"
    if progress.stopped:
        late = budget.wall_s is not None and wall_s - budget.wall_s >= _LATE_S
        over = f"; what was in flight then took until {duration(wall_s)}" if late else ""
        return f"stopped: {progress.stopped}{over}; go on with the same command and --resume"
    return f"all samples are drawn, and {rule.unmet()}" if rule is not None else ""


def _price(most: Usage | None, budget: Budget) -> str:
    """Say what the run can cost at most, and where it would be stopped."""
    from passband.run.budget import dollars

    parts = []
    if most is not None:
        tokens = most.input_tokens + most.output_tokens
        price = f" = {dollars(most.cost_usd)}" if most.cost_usd is not None else ", price not known"
        parts.append(f"at most {tokens:,} tokens{price}")
    known = "" if most is not None else ", as far as the subject reports them"
    bounds = [
        f"{budget.wall_s:g} s" if budget.wall_s is not None else "",
        f"{budget.tokens:,} tokens{known}" if budget.tokens is not None else "",
        dollars(budget.cost_usd) if budget.cost_usd is not None else "",
    ]
    if any(bounds):
        parts.append(f"budget {' · '.join(filter(None, bounds))}")
    return "".join(f"\n{part}" for part in parts)
