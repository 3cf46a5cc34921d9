"""The ``tinyagent`` command."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Protocol

import click

from passband.cli.common import echo, format_option, is_terminal, store_option
from passband.cli.unread import ReadGroup, UnreadError, end_unread, unread_told
from passband.errors import PassbandError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tinyagent.metrics import StepMetrics

__all__ = ["cli", "main"]


@click.group(
    cls=ReadGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Examples:
  tinyagent train --out runs/seed-0
  tinyagent eval runs/seed-0 --step 40 --split held-out -n 64
  tinyagent chapter 17.1
  passband run python:tinyagent.suite:held_out --subject tinyagent:runs/seed-0@40 -n 64
""",
)
def cli() -> None:
    """Train and evaluate TinyAgent, a laboratory of 161 thousand weights."""


@cli.command()
@click.option("--steps", default=80, show_default=True, type=click.IntRange(1), help="Updates of the whole run.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Of weights and episodes.")
@click.option("--split", default="train", show_default=True, help="Tasks to train on: train, train-without:FAMILY.")
@click.option("--device", default="cpu", show_default=True, type=click.Choice(["cpu", "cuda"]))
@click.option("--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Folder of the run.")
def train(steps: int, seed: int, split: str, device: str, out: Path) -> None:
    """Clone the base agent and train it, with a checkpoint every ten steps.

    The folder keeps step-0000.safetensors (the base agent), one file for every tenth step, metrics.jsonl, and the
    events that TensorBoard reads. A run that was interrupted goes on from its last checkpoint, with the same result.
    """
    from tinyagent.checkpoint import load_checkpoint
    from tinyagent.cloning import CloningConfig, base_agent
    from tinyagent.config import RLConfig
    from tinyagent.gym import make_tasks
    from tinyagent.metrics import MetricsWriter
    from tinyagent.train import STATE, check_same_run, train_rl

    begun = time.process_time()
    cfg = RLConfig(seed=seed, steps=steps)
    tasks = make_tasks(split)
    done = 0
    if (out / STATE).exists():
        saved = load_checkpoint(out / STATE, device=device)
        check_same_run(saved, cfg, tasks, str(out / STATE))
        agent, done = saved.agent, saved.step
    else:
        cloning = CloningConfig(seed=seed)
        with _bar("base agent", cloning.steps) as tick:
            agent = base_agent(cloning, tasks=tasks, device=device, on_step=lambda loss: tick(f"loss {loss:.2f}"))
    out.mkdir(parents=True, exist_ok=True)
    held_out = make_tasks(split.replace("train", "held-out")) if split.startswith("train") else make_tasks("held-out")
    with MetricsWriter(out, done) as metrics, _bar("GRPO", steps, done) as tick:
        seen = ""

        def on_step(step: StepMetrics) -> None:
            nonlocal seen
            metrics.write(step)
            if step.held_out is not None:
                seen = f"held-out {step.held_out.value:.2f} [{step.held_out.low:.2f}, {step.held_out.high:.2f}]"
            tick(f"train {step.success:.2f}  {seen}")

        train_rl(agent, tasks, cfg, held_out=held_out, folder=out, on_step=on_step)
    echo(f"{out}: {steps} steps, {time.process_time() - begun:.0f} s of CPU{seen and f', {seen} at the last look'}")
    echo(f"next: tinyagent eval {out} --split held-out -n 64")


@cli.command("eval")
@click.argument("checkpoint")
@click.option("--step", type=click.IntRange(0), help="Which checkpoint of a folder; the last by default.")
@click.option("--split", default="held-out", show_default=True, help="held-out, train, all, validation, family:NAME.")
@click.option("-n", "--samples", default=64, show_default=True, type=click.IntRange(1), help="Episodes a task.")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Same seed, same episodes.")
@store_option
@format_option
def evaluate(checkpoint: str, step: int | None, split: str, samples: int, seed: int, store: str, format_: str) -> None:
    """Evaluate a CHECKPOINT: a file, a folder of "tinyagent train", or the name of a shipped one.

    The harness is that of the training; success is submitting a program that passes every hidden test. The run goes
    into the store like any other, for "passband show" and "passband compare"; one that is there already is shown.
    """
    from passband.aggregate import summarize
    from passband.grade import Grading
    from passband.report import render_summary, to_json
    from passband.run import execute, make_header, open_store
    from tinyagent.checkpoint import find_checkpoint, load_checkpoint
    from tinyagent.subject import CheckpointSubject
    from tinyagent.suite import gym_suite

    path = find_checkpoint(checkpoint, step)
    name = f"tinyagent:{checkpoint}" if step is None else f"tinyagent:{checkpoint}@{step}"
    suite = gym_suite(split, load_checkpoint(path).cfg.harness)
    subject = CheckpointSubject(name, path)
    with Grading() as grading, open_store(store, create=True) as opened:
        header = make_header(suite, subject, grading, samples_per_case=samples, seed=seed, created_at=time.time())
        if not opened.has_run(header.run_id):
            opened.add_run(header)
        execute(header, suite, subject, grading, opened, workers=1, on_progress=lambda _: None)
        summary = summarize(opened.table(header.run_id))
    echo(to_json(summary) if format_ == "json" else render_summary(summary))


@cli.command(
    epilog="""\b
Examples:
  tinyagent chapter                    all sections, into the folder chapter
  tinyagent chapter 17.1               one section: its tables are printed too
  tinyagent chapter 17.7 exercise-2    several
"""
)
@click.argument("sections", nargs=-1, metavar="[SECTION]…")
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0), help="Same seed, same bytes.")
@click.option(
    "--out",
    default="chapter",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the pages, tables and figures.",
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of snapshots and evaluations; passband/tinyagent in the user's cache by default.",
)
def chapter(sections: tuple[str, ...], seed: int, out: Path, cache: Path | None) -> None:
    """Run the experiments of the chapter: all sections, or each SECTION named.

    Writes a page for each, its tables (text, CSV, JSON) and its figures (SVG, PNG), and index.md. Agents that a section
    needs and the cache does not hold are trained first, two at a time; of seed 0 five checkpoints are shipped. SECTION
    is a number, as 17.1, or as exercise-3; a name that does not exist is answered with those that do.
    """
    from tinyagent.chapter.cli import run_chapter

    @contextmanager
    def bar(what: str, total: int) -> Iterator[Callable[[int], None]]:
        done = 0
        with _bar(what, total) as tick:

            def move(to: int) -> None:
                nonlocal done
                for _ in range(done, to):
                    tick("")
                done = max(done, to)

            yield move

    def progress(name: str) -> None:
        click.echo(f"{name} …", err=True)

    run_chapter(sections, out, seed=seed, cache=cache, bar=bar, progress=progress, say=click.echo)


class _Tick(Protocol):
    def __call__(self, line: str) -> None: ...


@contextmanager
def _bar(what: str, total: int, done: int = 0) -> Iterator[_Tick]:
    """Draw a progress bar on standard error, if that is a terminal; the callback moves it by one."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[line]}"))
    quiet = not is_terminal(sys.stderr) or os.environ.get("CI") == "true"
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=quiet) as bar:
        task = bar.add_task(what, total=total, completed=done, line="")
        yield lambda line: bar.update(task, advance=1, line=line)


def main() -> NoReturn:
    """Run the command line and exit, with the exit codes of ``passband``."""
    try:
        cli.main(prog_name="tinyagent", standalone_mode=False)
        with unread_told():
            sys.stdout.flush()
        sys.exit(0)
    except click.exceptions.Exit as leave:
        sys.exit(leave.exit_code)
    except click.ClickException as error:
        click.echo(f"tinyagent: error: {error.format_message()}", err=True)
        sys.exit(2)
    except PassbandError as error:
        click.echo(f"tinyagent: error: {error}", err=True)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        click.echo("tinyagent: interrupted; the same command goes on from the last checkpoint", err=True)
        sys.exit(130)
    except UnreadError:
        sys.exit(end_unread())
