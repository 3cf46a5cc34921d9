"""A run's samples as arrays, tasks down and samples across."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from passband.records import OUTCOME_CODES, Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from passband.records import RunHeader, SampleTable

__all__ = [
    "COUNTED",
    "SAFETY",
    "UNISOLATED",
    "RunArrays",
    "count_samples",
    "counts_alone",
    "run_arrays",
    "scheduled_samples",
]

COUNTED = "as counted"
"""Grader of a run that was made of counts: it knows nothing of single answers, and was never partly drawn."""

UNISOLATED = "process"
"""Sandbox tier of a run whose candidates could reach the machine they were graded on."""

SAFETY = OUTCOME_CODES.index(Outcome.SAFETY_VIOLATION)


@dataclass(frozen=True)
class RunArrays:
    """Counts of a run, a case each, in the order of the header.

    Attributes
    ----------
    passed, graded, errored, safety : ndarray of int64, shape (cases,)
        Samples that passed; that have a verdict; that errored for good; that touched what is forbidden.
    scheduled : ndarray of int64, shape (cases,)
        Samples each case was to have: as many as the header says, or, of a run made of counts or ended by its rule,
        as many as it has.
    answers_disagree : ndarray of bool, shape (cases,)
        Equal answers got different verdicts: the tests are flaky, or the grading is.
    """

    passed: NDArray[np.int64]
    graded: NDArray[np.int64]
    errored: NDArray[np.int64]
    safety: NDArray[np.int64]
    scheduled: NDArray[np.int64]
    answers_disagree: NDArray[np.bool_]

    @property
    def mixed(self) -> NDArray[np.bool_]:
        """Cases with at least one pass and one failure."""
        return (self.passed > 0) & (self.passed < self.graded)


def run_arrays(table: SampleTable) -> RunArrays:
    """Count a run's samples.

    Parameters
    ----------
    table : SampleTable
        The narrow rows.

    Returns
    -------
    RunArrays
    """
    return RunArrays(
        **count_samples(table, 0, len(table.header.case_ids)),
        scheduled=scheduled_samples(table),
    )


def count_samples(table: SampleTable, first: int, cases: int) -> dict[str, NDArray[Any]]:
    """Count the samples of so many cases, of which no other has any in the table: the columns of a :class:`RunArrays`.

    Parameters
    ----------
    table : SampleTable
        The narrow rows.
    first, cases : int
        Position of the first case, and how many.
    """
    case = np.frombuffer(table.case, dtype=np.int64) - first if len(table) else np.empty(0, np.int64)
    passed = np.frombuffer(table.passed, dtype=np.int8) if len(table) else np.empty(0, np.int8)
    outcome = np.frombuffer(table.outcome, dtype=np.int8) if len(table) else np.empty(0, np.int8)
    answer = np.frombuffer(table.answer, dtype=np.int64) if len(table) else np.empty(0, np.int64)

    def count(mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(case[mask], minlength=cases).astype(np.int64)

    graded = passed >= 0
    c, n = count(passed == 1), count(graded)
    mixed = graded & ((c > 0) & (c < n))[case]  # elsewhere no two verdicts differ
    return {
        "passed": c,
        "graded": n,
        "errored": count(~graded),
        "safety": count(outcome == SAFETY),
        "answers_disagree": _disagree(case[mixed], answer[mixed], passed[mixed], cases),
    }


def _disagree(
    case: NDArray[np.int64], answer: NDArray[np.int64], passed: NDArray[np.int8], cases: int
) -> NDArray[np.bool_]:
    """Find the cases in which one answer got both verdicts."""
    order = np.lexsort((answer, case))
    case, answer, passed = case[order], answer[order], passed[order]
    # Equal answers stand side by side now: somewhere among them the verdict changes, or they agree.
    alike = (case[1:] == case[:-1]) & (answer[1:] == answer[:-1])
    found = np.zeros(cases, dtype=np.bool_)
    found[case[1:][alike & (passed[1:] != passed[:-1])]] = True
    return found


def counts_alone(header: RunHeader) -> bool:
    """Whether a run was made of counts."""
    return header.harness.grader == COUNTED


def scheduled_samples(table: SampleTable) -> NDArray[np.int64]:
    """Count the samples each case was to have, in the order of the header."""
    cases = len(table.header.case_ids)
    if not counts_alone(table.header) and not table.enough:
        return np.full(cases, table.header.samples_per_case, dtype=np.int64)
    case = np.frombuffer(table.case, dtype=np.int64) if len(table) else np.empty(0, np.int64)
    return np.bincount(case, minlength=cases).astype(np.int64)
