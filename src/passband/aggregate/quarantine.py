"""Cases set aside for a while because their verdicts can't be trusted; never in silence, never for good."""

from __future__ import annotations

import datetime as dt
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from passband.aggregate.restrict import restrict
from passband.aggregate.summary import summarize
from passband.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from passband.records import SampleTable
    from passband.stats import Estimate

__all__ = ["Quarantine", "QuarantineEffect", "QuarantinedCase", "dump_quarantine", "read_quarantine", "set_aside"]


class QuarantinedCase(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case that is set aside."""

    id: str
    until: dt.date
    """The last day it is set aside; from the next on it counts again."""
    reason: str


class Quarantine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A quarantine file."""

    case: tuple[QuarantinedCase, ...] = ()


@dataclass(frozen=True)
class QuarantineEffect:
    """What setting cases aside did to a run's number."""

    set_aside: tuple[str, ...]
    expired: tuple[str, ...]
    """In the file, and counting again."""
    unknown: tuple[str, ...]
    """In the file, and not in the run."""
    with_all: Estimate | None
    """Pass@1 over all cases."""
    without: Estimate | None
    """Pass@1 over those that are left."""


def read_quarantine(path: Path) -> Quarantine:
    """Read a quarantine file: a ``[[case]]`` table a case, with ``id``, ``until`` and ``reason``.

    Raises
    ------
    UsageError
        Where it can't be read, a case has no expiry or no reason, or stands twice.
    """
    try:
        found = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Quarantine)
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(
            str(error), where=str(path), fix="each [[case]] has an id, an until date and a reason"
        ) from None
    ids = [case.id for case in found.case]
    twice = next((case for case in ids if ids.count(case) > 1), None)
    if twice is not None:
        raise UsageError(f"case {twice!r} stands twice", where=str(path))
    return found


def dump_quarantine(cases: Iterable[QuarantinedCase]) -> str:
    """Write a quarantine file."""
    import json

    tables = [
        f"[[case]]\nid = {json.dumps(case.id)}\nuntil = {case.until.isoformat()}\nreason = {json.dumps(case.reason)}\n"
        for case in cases
    ]
    return "# Cases whose verdicts can't be trusted yet; each counts again after its last day.\n\n" + "\n".join(tables)


def set_aside(table: SampleTable, quarantine: Quarantine, today: dt.date) -> tuple[SampleTable, QuarantineEffect]:
    """Leave out the cases in quarantine, and say what that does to the number.

    Parameters
    ----------
    table : SampleTable
        A run.
    quarantine : Quarantine
        What is to be left out.
    today : date
        Cases whose last day is before it count again.

    Returns
    -------
    tuple of (SampleTable, QuarantineEffect)
        The run without them, and the effect.

    Raises
    ------
    DataError
        Where nothing would be left.
    """
    ids = table.header.case_ids
    known = set(ids)
    active = {case.id for case in quarantine.case if case.until >= today}
    kept = [case for case in ids if case not in active]
    if not kept:
        raise DataError("every case of the run is in quarantine", where=table.header.run_id)
    left = restrict(table, kept)
    effect = QuarantineEffect(
        set_aside=tuple(case for case in ids if case in active),
        expired=tuple(case.id for case in quarantine.case if case.until < today),
        unknown=tuple(case.id for case in quarantine.case if case.id not in known),
        with_all=summarize(table).pass_at_1,
        without=summarize(left).pass_at_1,
    )
    return left, effect
