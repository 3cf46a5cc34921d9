"""``passband canary``."""

from __future__ import annotations

import os
import shlex
import tempfile
import time
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click
import msgspec

from passband.cli.common import echo, emit, format_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passband.records import SampleTable

__all__ = ["canary"]


class _Subject(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    spec: str
    n: Annotated[int, msgspec.Meta(ge=1)] = 2
    seed: int = 0
    deterministic: bool = True
    tolerance: Annotated[float, msgspec.Meta(ge=0, lt=100)] = 0.0


class _Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    suite: str
    subject: Annotated[tuple[_Subject, ...], msgspec.Meta(min_length=1)]


@click.group()
def canary() -> None:
    """Run reference subjects with known scores through a harness, and require the scores to stay put."""


@canary.command(
    epilog="""\b
The plan (canary.toml):
  suite = "builtin"
  [[subject]]
  spec = "mutator"          # scripted subjects, replayed responses, frozen checkpoints
  n = 2
  [[subject]]
  spec = "command:my-agent"
  n = 8
  deterministic = false     # then an equivalence test, within the tolerance
  tolerance = 5             # points

\b
Example:
  passband canary record canary.toml -o canary.json
"""
)
@click.argument("plan", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    default="canary.json",
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where to write the scores that are to stay.",
)
@click.option("--workers", type=click.IntRange(1, 256), help="Samples at once; the number of CPUs.")
@click.option("--unsafe", is_flag=True, help="Where no sandbox is to be had, run candidates without one.")
def record(plan: Path, output: Path, workers: int | None, unsafe: bool) -> None:  # noqa: FBT001 - click passes by name
    """Run the subjects of PLAN and write down what they score."""
    from passband.compare import Canary, record_perch
    from passband.errors import DataError, UsageError
    from passband.records import encode
    from passband.report.words import many

    try:
        read = msgspec.convert(tomllib.loads(plan.read_text(encoding="utf-8")), _Plan)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(plan)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(str(error), where=str(plan)) from None
    wanted = [(subject.spec, subject.seed, subject.n) for subject in read.subject]
    tables = _run(read.suite, wanted, workers=workers, unsafe=unsafe)
    perches = [
        record_perch(table, deterministic=subject.deterministic, tolerance=subject.tolerance / 100)
        for subject, table in zip(read.subject, tables, strict=True)
    ]
    made = Canary(suite=read.suite, perches=tuple(perches))
    try:
        output.write_bytes(encode(made))
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror}", where=str(output)) from None
    recorded = f"recorded {many(len(perches), 'reference subject')} in {output}"
    echo(f"{recorded}\n\nnext: passband canary check {shlex.quote(str(output))}")


@canary.command(
    epilog="""\b
Exit code: 0 all scores held · 1 some moved · 3 some can't be told

\b
Example:
  passband canary check canary.json
"""
)
@click.argument("recorded", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--suite", "suite_spec", metavar="SUITE", help="Instead of the recorded one: a harness on another path.")
@click.option("--workers", type=click.IntRange(1, 256), help="Samples at once; the number of CPUs.")
@click.option("--unsafe", is_flag=True, help="Where no sandbox is to be had, run candidates without one.")
@format_option
def check(recorded: Path, suite_spec: str | None, workers: int | None, unsafe: bool, format_: str) -> int:  # noqa: FBT001
    """Run the subjects of RECORDED again, and compare with what they scored."""
    from passband.compare import Canary, check_canary
    from passband.errors import DataError
    from passband.records import decode
    from passband.report import render_canary, to_json

    try:
        made = decode(recorded.read_bytes(), Canary, where=str(recorded))
    except OSError as error:
        fix = "make one with: passband canary record"
        raise DataError(f"cannot be read: {error.strerror}", where=str(recorded), fix=fix) from None
    wanted = [(perch.subject, perch.seed, perch.samples_per_case) for perch in made.perches]
    report = check_canary(made, _run(suite_spec or made.suite, wanted, workers=workers, unsafe=unsafe))
    if format_ == "json":
        emit(to_json(report))
    else:
        echo(render_canary(report))
    return {"held": 0, "moved": 1, "unclear": 3}[report.outcome]


def _run(
    suite_spec: str, wanted: Sequence[tuple[str, int, int]], *, workers: int | None, unsafe: bool
) -> list[SampleTable]:
    """Draw the samples of every reference subject, in a store that is thrown away."""
    from passband.cli.aside import aside
    from passband.cli.progress import run_progress
    from passband.grade import Grading
    from passband.run import execute, make_header, open_store
    from passband.subject import load_subject
    from passband.suite import load_suite

    with aside():
        suite = load_suite(suite_spec)
    cpus = workers or os.cpu_count() or 1
    tables = []
    with (
        tempfile.TemporaryDirectory(prefix="passband-canary-") as folder,
        open_store(str(Path(folder, "canary.db")), create=True) as store,
        Grading(unsafe=unsafe, workers=cpus) as grading,
    ):
        for spec, seed, n in wanted:
            with aside():
                subject = load_subject(spec)
                header = make_header(suite, subject, grading, samples_per_case=n, seed=seed, created_at=time.time())
            store.add_run(header)
            with run_progress() as on_progress, aside():
                execute(header, suite, subject, grading, store, workers=cpus, on_progress=on_progress)
            tables.append(store.table(header.run_id))
    return tables
