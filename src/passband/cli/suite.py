"""``passband suite``: hash, check, import."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.cli.common import echo, emit, format_option, refuse_twice, store_option

if TYPE_CHECKING:
    from passband.compare import LeakEffect, RemovalEffect

__all__ = ["suite"]


@click.group()
def suite() -> None:
    """Hash, check and import suites."""


@suite.command("hash")
@click.argument("suite_spec", metavar="SUITE")
@click.option("--cases", is_flag=True, help="The digest of every case too.")
@format_option
def hash_(suite_spec: str, cases: bool, format_: str) -> None:  # noqa: FBT001 - click passes by name
    """Print SUITE's version: a hash over the content of every case, every byte of its files included."""
    from passband.report import to_json
    from passband.report.words import many
    from passband.suite import case_digest, load_suite

    loaded = load_suite(suite_spec)
    digests = {case.id: case_digest(case) for case in loaded} if cases else {}
    if format_ == "json":
        emit(to_json({"name": loaded.name, "version": loaded.version, "cases": len(loaded), "digests": digests}))
        return
    echo(f"{loaded.version}  {loaded.name}  {many(len(loaded), 'case')}")
    for case_id, digest in digests.items():
        echo(f"{digest}  {case_id}")


@suite.command("import")
@click.argument("kind", metavar="FORMAT", type=click.Choice(["humanevalpack"]))
@click.argument("source", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Where to; FORMAT.jsonl here.")
@click.option("--force", is_flag=True, help="Overwrite.")
def import_(kind: str, source: Path, output: Path | None, force: bool) -> None:  # noqa: FBT001
    """Turn FILE into a suite.

    humanevalpack: HumanEvalFix-style JSONL, one buggy function a line.
    """
    from passband.errors import DataError, UsageError
    from passband.report.words import many
    from passband.suite import EvalSuite, dump_jsonl
    from passband.suite.humanevalpack import load_humanevalpack

    target = output or Path(f"{kind}.jsonl")
    if target.exists() and not force:
        raise UsageError("is there already", where=str(target), fix="choose another -o, or --force")
    made = EvalSuite(target.name.removesuffix(".jsonl"), load_humanevalpack(source))
    try:
        target.write_bytes(dump_jsonl(made))
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", where=str(target)) from None
    echo(f"{target}  {made.label}  {many(len(made), 'case')}\n\nnext: passband suite check {shlex.quote(str(target))}")


@suite.command(
    epilog="""\b
TRAIN is a suite; a .jsonl file of {"text": …} lines; a folder of text files; or - for what SUITE itself gives away.

\b
Exit code: 0 no answer and no whole task leaks · 1 some do

\b
Examples:
  passband suite audit training.jsonl my-suite
  passband suite audit - my-suite
  passband suite audit training.jsonl my-suite --measure cand.db --baseline base.db
  passband suite audit - my-suite --subject mutator -n 16
"""
)
@click.argument("train")
@click.argument("suite_spec", metavar="SUITE")
@click.option("--measure", "run", metavar="RUN", help="Measure whether each channel moves this run's number.")
@click.option("--baseline", metavar="RUN", help="A run that can't have profited, so that difficulty drops out.")
@click.option("--subject", metavar="SPEC", help="Measure what cases give away: ask it with that, and with it removed.")
@click.option("-n", "--samples", default=8, show_default=True, type=click.IntRange(1), help="For --subject: a case.")
@click.option("--seed", default=0, show_default=True, type=int, help="For --subject.")
@click.option("--unsafe", is_flag=True, help="Where no sandbox is to be had, run answers without one.")
@store_option
@format_option
def audit(
    train: str,
    suite_spec: str,
    run: str | None,
    baseline: str | None,
    subject: str | None,
    samples: int,
    seed: int,
    unsafe: bool,  # noqa: FBT001 - click passes by name
    store: str,
    format_: str,
) -> int:
    """List the channels by which answers of SUITE may have reached a subject that has seen TRAIN.

    Exact and near duplicates, shared solutions, names; the fix quoted in the issue, hidden tests and expected values in
    the workspace, the reference in git objects and caches. --subject draws samples of the cases that give something
    away, as they are and without it, with the same seeds: both runs are kept in the store.
    """
    from passband.cli.measuring import measure_removal
    from passband.cli.opening import load_table
    from passband.compare import leak_effect
    from passband.errors import DataError, UsageError
    from passband.report import render_audit, to_json
    from passband.suite import load_suite
    from passband.suite.audit import audit_suite, documents

    if baseline is not None and run is None:
        raise UsageError("--baseline is what --measure holds a run against", fix="add --measure RUN")
    loaded = load_suite(suite_spec)
    found = audit_suite(loaded, documents(train) if train != "-" else (), train_name=train)
    effects: dict[str, LeakEffect] = {}
    if run is not None:
        tables = [load_table(name, store) for name in (run, baseline) if name is not None]
        refuse_twice(tables)
        for table in tables:
            if not {case.id for case in loaded} & set(table.header.case_ids):
                raise UsageError(
                    f"is a run of {table.header.harness.suite}, and has no case of {loaded.label}",
                    where=table.header.run_id,
                )
        for channel in found.channels:
            try:
                effects[channel.name] = leak_effect(tables[0], channel.cases, *tables[1:])
            except DataError:  # a channel without hits, or with nothing else
                continue
    removed: dict[str, RemovalEffect] = {}
    left: tuple[str, ...] = ()
    if subject is not None:
        removed, left = measure_removal(loaded, found, subject, samples=samples, seed=seed, store=store, unsafe=unsafe)
    if format_ == "json":
        emit(to_json({"audit": found, "effects": effects, "removed": removed, "left": left}))
    else:
        echo(render_audit(found, effects, removed, left=left))
    return 1 if any(channel.hits and channel.carries != "names" for channel in found.channels) else 0


@suite.command(
    epilog="""\b
Examples:
  passband suite split builtin --share test=0.3 --share validation=0.2 --stratify difficulty -o split.json
  passband suite split my-suite --by group:repository --share test=0.25
  passband suite split my-suite --by time:date --cutoff test=2024-01-01
  passband suite split grown-suite --like split.json -o split.json
"""
)
@click.argument("suite_spec", metavar="SUITE")
@click.option(
    "--by", default="variant", show_default=True, help="variant, group:SLICE or time:SLICE: what is held out."
)
@click.option("--share", multiple=True, metavar="PART=FRACTION", help="A part's share; the rest is train.")
@click.option("--cutoff", multiple=True, metavar="PART=DATE", help="The first day of a part.")
@click.option("--stratify", metavar="SLICE", help="Split each value of SLICE in these shares.")
@click.option("--like", type=click.Path(dir_okay=False, path_type=Path), help="Grow this split: no old case moves.")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the split here.")
@click.option(
    "--parts", type=click.Path(file_okay=False, path_type=Path), help="Write each part as a suite, PART.jsonl, here."
)
@format_option
def split(
    suite_spec: str,
    by: str,
    share: tuple[str, ...],
    cutoff: tuple[str, ...],
    stratify: str | None,
    like: Path | None,
    output: Path | None,
    parts: Path | None,
    format_: str,
) -> None:
    """Split SUITE into parts, for select and for training.

    A case's part follows from what it shows a subject: adding a case moves no other, and equal inputs stay together.
    """
    from passband.cli.splitting import make_split, read_split, render_split, write_parts
    from passband.errors import DataError
    from passband.records import encode
    from passband.report import to_json
    from passband.suite import load_suite

    loaded = load_suite(suite_spec)
    old = read_split(like) if like is not None else None
    made = make_split(
        loaded, by=old.by if old is not None and by == "variant" else by, shares=share, cutoffs=cutoff,
        stratify=stratify or (old.stratify if old is not None else None), like=old,
    )  # fmt: skip
    if output is not None:
        try:
            output.write_bytes(encode(made))
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}", where=str(output)) from None
    if parts is not None:
        write_parts(made, loaded, parts)
    if format_ == "json":
        emit(to_json(made))
    else:
        echo(render_split(made, loaded))


@suite.command()
@click.argument("suite_spec", metavar="SUITE")
@click.option("-k", "--repeats", default=2, show_default=True, type=click.IntRange(1), help="Runs of every test.")
@click.option("--workers", type=click.IntRange(1, 256), help="Cases at once; the number of CPUs.")
@click.option("--unsafe", is_flag=True, help="Where no sandbox is to be had, run the suite's code without one.")
@format_option
def check(suite_spec: str, repeats: int, workers: int | None, unsafe: bool, format_: str) -> int:  # noqa: FBT001
    """Check that SUITE measures what it says.

    For every case: the reference passes; the unmodified repo fails every FAIL_TO_PASS test and passes every
    PASS_TO_PASS test; an empty answer is not applied. Tests that do not always agree with themselves are named.
    """
    from passband.cli.checking import check_suite
    from passband.suite import load_suite

    return check_suite(
        load_suite(suite_spec), repeats=repeats, workers=workers or os.cpu_count() or 1, unsafe=unsafe, format_=format_
    )
