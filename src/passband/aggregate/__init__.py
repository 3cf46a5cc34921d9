"""Records → arrays and the structured aggregate; the account of errors."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from passband.aggregate.arrays import COUNTED, UNISOLATED, RunArrays, run_arrays, scheduled_samples
from passband.aggregate.flakiness import CaseFlakiness, Flakiness, flakiness
from passband.aggregate.restrict import restrict
from passband.aggregate.summary import (
    CaseSummary,
    ErrorAccount,
    RunSummary,
    RunTiming,
    SafetyVerdict,
    SliceSummary,
    summarize,
)

if TYPE_CHECKING:
    from passband.aggregate.causes import ErrorCause, count_causes
    from passband.aggregate.counts import read_counts
    from passband.aggregate.quarantine import (
        Quarantine,
        QuarantinedCase,
        QuarantineEffect,
        dump_quarantine,
        read_quarantine,
        set_aside,
    )

__all__ = [
    "COUNTED",
    "UNISOLATED",
    "CaseFlakiness",
    "CaseSummary",
    "ErrorAccount",
    "ErrorCause",
    "Flakiness",
    "Quarantine",
    "QuarantineEffect",
    "QuarantinedCase",
    "RunArrays",
    "RunSummary",
    "RunTiming",
    "SafetyVerdict",
    "SliceSummary",
    "count_causes",
    "dump_quarantine",
    "flakiness",
    "read_counts",
    "read_quarantine",
    "restrict",
    "run_arrays",
    "scheduled_samples",
    "set_aside",
    "summarize",
]

# Imported when they are asked for: a summary needs none of them. A function that bears its module's name cannot be, or
# the module would take its place.
_HOMES = {
    "ErrorCause": "causes",
    "Quarantine": "quarantine",
    "QuarantineEffect": "quarantine",
    "QuarantinedCase": "quarantine",
    "count_causes": "causes",
    "dump_quarantine": "quarantine",
    "read_counts": "counts",
    "read_quarantine": "quarantine",
    "set_aside": "quarantine",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
