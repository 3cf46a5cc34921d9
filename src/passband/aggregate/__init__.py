"""Records → arrays and the structured aggregate; the account of errors."""

from passband.aggregate.arrays import COUNTED, RunArrays, run_arrays, scheduled_samples
from passband.aggregate.causes import ErrorCause, count_causes
from passband.aggregate.counts import read_counts
from passband.aggregate.flakiness import CaseFlakiness, Flakiness, flakiness
from passband.aggregate.quarantine import (
    Quarantine,
    QuarantinedCase,
    QuarantineEffect,
    dump_quarantine,
    read_quarantine,
    set_aside,
)
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

__all__ = [
    "COUNTED",
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
