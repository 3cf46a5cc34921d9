"""Whether a run may go on in a store: ``run --resume``, and ``run`` without it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from passband.errors import StoreError, UsageError

if TYPE_CHECKING:
    from passband.records import RunHeader
    from passband.run import BaseStore

__all__ = ["check_resume"]

_NAMED = {"samples_per_case": "-n", "seed": "--seed"}
_SHOWN = 4  # differences


def check_resume(opened: BaseStore, header: RunHeader, *, resume: bool, retry_errored: bool) -> None:
    """Refuse to add to a run by accident, to resume one that is not there, and to write into a damaged file.

    Raises
    ------
    UsageError, StoreError
        With the reason, and what to do.
    """
    if retry_errored and not resume:
        raise UsageError("--retry-errored draws samples of a stored run again", fix="add --resume")
    there = opened.has_run(header.run_id)
    if there and not resume:
        done, scheduled = opened.count(header.run_id), len(header.case_ids) * header.samples_per_case
        state = "is complete" if done == scheduled else f"holds {done:,} of {scheduled:,} samples"
        fix = "show it, or take another --seed" if done == scheduled else "add --resume to finish it"
        raise UsageError(f"run {header.run_id} {state}", where=opened.location, fix=fix)
    if resume and not there:
        _refuse_another(opened, header)
    _refuse_damaged(opened, header.run_id if there else None)


def _refuse_another(opened: BaseStore, header: RunHeader) -> None:
    runs = [row.header for row in opened.runs()]
    if not runs:
        return  # the process was killed before it had written anything
    fix = "run it without --resume"
    # Mostly, something that defines the run has moved.
    near = [(_differences(run, header), run.run_id) for run in runs if run.subject == header.subject]
    if near:
        found, run_id = min(reversed(near), key=lambda pair: len(pair[0]))
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        fix += f"; {run_id} of this subject differs in {', '.join(found[:_SHOWN])}{more}"
    raise UsageError(f"there is no run {header.run_id} to resume", where=opened.location, fix=fix)


def _differences(there: RunHeader, here: RunHeader) -> list[str]:
    from passband.compare import harness_drift

    drift = harness_drift(there, here)
    return [
        f"{_NAMED.get(field.field, field.field)} ({_short(field.one)} there, {_short(field.two)} here)"
        for field in (*drift.run_fields, *drift.fields)
    ]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:12]}…"


def _refuse_damaged(opened: BaseStore, run_id: str | None) -> None:
    """Nothing is drawn into a damaged file: what it counts as done may be nothing that can be shown."""
    from passband.run.store import glance, is_url

    if not is_url(opened.location) and (found := glance(opened.location, run_id, thorough=run_id is not None)):
        fix = (
            f"save what is left with: passband store rescue {shlex.quote(opened.location)} -o NEW, "
            "then run with --store NEW and --resume: it draws what is lost"
        )
        raise StoreError(f"is damaged: {found}", where=opened.location, fix=fix)
