"""The work behind ``passband suite audit --subject``: cases with what they give away, and without."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from passband.compare import RemovalEffect
    from passband.suite import EvalSuite
    from passband.suite.audit import Audit

__all__ = ["measure_removal"]


def measure_removal(
    suite: EvalSuite, audit: Audit, subject: str, *, samples: int, seed: int, store: str, unsafe: bool
) -> tuple[dict[str, RemovalEffect], tuple[str, ...]]:
    """Ask a subject the cases that give something away, as they are and without it.

    Returns
    -------
    tuple of (dict of str to RemovalEffect, tuple of str)
        What each channel does, and what could not be removed.
    """
    from passband.cli.aside import aside
    from passband.cli.progress import run_progress
    from passband.compare import removal_effect
    from passband.errors import DataError
    from passband.grade import Grading
    from passband.run import execute, make_header, open_store
    from passband.subject import load_subject
    from passband.suite.audit import scrub_suite

    scrubbed = scrub_suite(suite, audit)
    if scrubbed.clean is None or scrubbed.leaking is None:
        return {}, scrubbed.left
    workers = os.cpu_count() or 1
    with aside():
        asked = load_subject(subject, unsafe=unsafe)
    tables = []
    with Grading(unsafe=unsafe, workers=workers) as grading, open_store(store, create=True) as opened:
        for part in (scrubbed.clean, scrubbed.leaking):
            with aside():
                header = make_header(part, asked, grading, samples_per_case=samples, seed=seed, created_at=time.time())
            click.echo(f"{part.label}  {len(part)} cases × {samples} samples of {subject} …", err=True)
            opened.add_run(header)  # what an earlier audit has drawn is not drawn again
            with run_progress() as on_progress, aside():
                execute(header, part, asked, grading, opened, workers=workers, on_progress=on_progress)
            tables.append(opened.table(header.run_id))
    effects, left = {}, [*scrubbed.left]
    for name, cases in scrubbed.channels.items():
        try:
            effects[name] = removal_effect(tables[0], tables[1], cases)
        except DataError:
            left.append(f"{name} can't be measured: no case has verdicts with it and without")
    return effects, tuple(left)
