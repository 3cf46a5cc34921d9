"""Records → arrays and the structured aggregate; the account of errors."""

from passband.aggregate.arrays import RunArrays, run_arrays
from passband.aggregate.counts import read_counts
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
    "CaseSummary",
    "ErrorAccount",
    "RunArrays",
    "RunSummary",
    "RunTiming",
    "SafetyVerdict",
    "SliceSummary",
    "read_counts",
    "restrict",
    "run_arrays",
    "summarize",
]
