"""``passband demo``."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import click

from passband.cli.common import columns, echo

__all__ = ["demo"]

_SUBJECTS = ("mutator", "mutator-focus")
_SAMPLES = 8
_SEED = 7
_NEXT = ("passband run builtin --subject mutator -n 8", "passband show latest")


@click.command()
@click.option("--store", metavar="FILE", help="Keep the two runs in FILE; a temporary one where left out.")
@click.option(
    "--unsafe", is_flag=True, help="Where no sandbox is to be had, run candidates without one; reports say so."
)
def demo(store: str | None, unsafe: bool) -> None:  # noqa: FBT001 - click passes by name
    """Evaluate two built-in subjects on the built-in suite and compare them, offline.

    mutator proposes one random plausible edit a sample; mutator-focus weighs the same edits by how common such
    repairs are and by what the issue says. Neither sees the hidden tests.
    """
    if store is not None:
        _demo(Path(store), unsafe=unsafe)
        return
    with tempfile.TemporaryDirectory(prefix="passband-demo-") as folder:
        _demo(Path(folder, "demo.db"), unsafe=unsafe)


def _demo(store: Path, *, unsafe: bool) -> None:
    from passband.aggregate import summarize
    from passband.cli.progress import run_progress
    from passband.compare import compare_runs
    from passband.grade import Grading
    from passband.report import render_comparison, render_summary
    from passband.run import execute, make_header, open_store
    from passband.subject import load_subject
    from passband.suite import BUILTIN, load_suite

    suite = load_suite(BUILTIN)
    workers = os.cpu_count() or 1
    with open_store(str(store), create=True) as opened, Grading(unsafe=unsafe, workers=workers) as grading:
        tables = []
        for name in _SUBJECTS:
            subject = load_subject(name)
            header = make_header(suite, subject, grading, samples_per_case=_SAMPLES, seed=_SEED, created_at=time.time())
            click.echo(f"{suite.label}  {len(suite)} tasks × {_SAMPLES} samples of {name} …", err=True)
            opened.add_run(header)
            begun = time.perf_counter()
            with run_progress() as on_progress:
                execute(header, suite, subject, grading, opened, workers=workers, on_progress=on_progress)
            tables.append(opened.table(header.run_id))
            summary = summarize(tables[-1])
            echo(render_summary(summary, wall_s=time.perf_counter() - begun, next_steps=[]) + "\n")
    echo(render_comparison(compare_runs(*tables), next_steps=_NEXT, columns=columns()))
