"""Findings about two runs."""

from passband.compare.paired import (
    CaseChange,
    Comparison,
    HarnessDifference,
    SliceDifference,
    Word,
    compare_runs,
)

__all__ = ["CaseChange", "Comparison", "HarnessDifference", "SliceDifference", "Word", "compare_runs"]
