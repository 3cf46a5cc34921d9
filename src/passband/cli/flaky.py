"""``passband flaky``."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from passband.cli.common import echo, emit, format_option, store_option
from passband.cli.opening import open_run, warn_of_damage, warn_of_no_isolation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.records import Answer
    from passband.suite import EvalSuite

__all__ = ["flaky"]


@click.command(
    epilog="""\b
Exit code: 0 no case is flaky · 1 some are · 3 unknown: no answer was graded twice

\b
Examples:
  passband flaky latest
  passband flaky latest --suite my-suite --regrade 3 -o quarantine.toml
"""
)
@click.argument("run")
@click.option("--suite", "suite_spec", metavar="SUITE", help="The suite of the run, to grade its answers again.")
@click.option("--regrade", default=0, metavar="K", type=click.IntRange(0, 100), help="Grade every answer K times more.")
@click.option("--workers", type=click.IntRange(1, 256), help="Answers at once; the number of CPUs.")
@click.option("--unsafe", is_flag=True, help="Where no sandbox is to be had, run candidates without one.")
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write a quarantine of the flaky."
)
@click.option("--days", default=30, show_default=True, type=click.IntRange(1, 365), help="How long it holds.")
@store_option
@format_option
def flaky(
    run: str,
    suite_spec: str | None,
    regrade: int,
    workers: int | None,
    unsafe: bool,  # noqa: FBT001 - click passes by name
    output: Path | None,
    days: int,
    store: str,
    format_: str,
) -> int:
    """Tell RUN's mixed cases, whose subject varies, from flaky ones, whose verdicts vary on equal answers."""
    from passband.aggregate import QuarantinedCase, dump_quarantine, flakiness
    from passband.errors import DataError, UsageError
    from passband.report import render_flakiness, to_json
    from passband.suite import load_suite

    if regrade and suite_spec is None:
        raise UsageError("grading again needs the suite", fix="give --suite SUITE")
    opened, run_id = open_run(run, store)
    with opened:
        warn_of_damage(opened, run_id)
        table = opened.table(run_id)
        warn_of_no_isolation(table.header)
        again: Mapping[tuple[str, int], list[bool]] = {}
        if regrade and suite_spec is not None:
            suite = load_suite(suite_spec)
            if suite.version != table.header.harness.suite_version:
                version = table.header.harness.suite_version[:6]
                raise UsageError(f"is version {suite.version[:6]}, and the run is of {version}", where=suite_spec)
            answers: dict[tuple[str, int], Answer] = {}
            rows = zip(table.case, table.answer, opened.samples(run_id), strict=True)
            for case, answer, (_, sample) in rows:
                if sample.output is not None and sample.verdict is not None:
                    answers[table.header.case_ids[case], answer] = sample.output
            again = _graded_again(answers, suite, regrade, workers or os.cpu_count() or 1, unsafe=unsafe)
    found = flakiness(table, again)
    if output is not None:
        until = dt.datetime.now(tz=dt.UTC).date() + dt.timedelta(days=days)
        cases = [
            QuarantinedCase(id=case.id, until=until, reason=f"flaky: {case.flips} of {case.gradings} verdicts flipped")
            for case in found.cases
            if case.flaky
        ]
        try:
            output.write_text(dump_quarantine(cases), encoding="utf-8")
        except OSError as error:
            raise DataError(f"cannot be written: {error.strerror}", where=str(output)) from None
    if format_ == "json":
        emit(to_json(found))
    else:
        echo(render_flakiness(found))
    if found.flaky_only + found.both:
        return 1
    return 3 if found.flip_rate is None else 0


def _graded_again(
    answers: Mapping[tuple[str, int], Answer], suite: EvalSuite, repeats: int, workers: int, *, unsafe: bool
) -> dict[tuple[str, int], list[bool]]:
    """Grade every answer anew, each time with a grader that remembers nothing."""
    from concurrent.futures import ThreadPoolExecutor

    from passband.cli.progress import work_progress
    from passband.grade import Grading
    from passband.records import Verdict

    verdicts: dict[tuple[str, int], list[bool]] = {key: [] for key in answers}
    with work_progress(len(answers) * repeats) as advance:
        for _ in range(repeats):
            with Grading(unsafe=unsafe, workers=workers) as grading, ThreadPoolExecutor(workers) as pool:
                keys = list(answers)
                graded = pool.map(lambda key: grading.grade(suite.case(key[0]), answers[key]), keys)
                for key, verdict in zip(keys, graded, strict=True):
                    advance()
                    if isinstance(verdict, Verdict):
                        verdicts[key].append(verdict.passed)
    return verdicts
