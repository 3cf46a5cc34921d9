"""Several runs on the cases that all of them share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays
from passband.compare.missing import extremes, hull

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from passband.records import SampleTable

__all__ = ["Together", "bring_together"]


@dataclass(frozen=True)
class Together:
    """Counts of several runs.

    Attributes
    ----------
    cases : tuple of str
        Those that every run has verdicts of, in the first run's order.
    passed, graded : ndarray of int, shape (runs, cases)
        Counts on them.
    own : tuple of (int, float)
        Of each run: cases with verdicts, and its mean rate on them.
    n_union : int
        Cases that any run has verdicts of.
    errored : tuple of int
        Samples of each run without a verdict.
    bounds : ndarray of float, shape (runs, 2)
        Mean rate with everything that errored failed, and passed: on the shared cases, or on all that every run drew,
        whichever lies further out.
    least : ndarray of float, shape (runs, runs)
        Entry (i, j): the least that run j's mean less run i's can be, whatever the samples that errored would have
        been, on either set of cases.
    """

    cases: tuple[str, ...]
    passed: NDArray[np.int64]
    graded: NDArray[np.int64]
    own: tuple[tuple[int, float], ...]
    n_union: int
    errored: tuple[int, ...]
    bounds: NDArray[np.float64]
    least: NDArray[np.float64]

    @property
    def rates(self) -> NDArray[np.float64]:
        """Rates of the shared cases, shape (runs, cases)."""
        return np.asarray(self.passed / self.graded, dtype=np.float64)


def bring_together(tables: Sequence[SampleTable]) -> Together:
    """Count several runs on the cases that all of them share; there may be none."""
    arrays = [run_arrays(table) for table in tables]
    drawn = [found.graded + found.errored for found in arrays]
    names = [table.header.case_ids for table in tables]
    places = [{case: i for i, case in enumerate(ids) if count[i]} for ids, count in zip(names, drawn, strict=True)]
    kept = [case for case in names[0] if all(case in place for place in places)]
    rows = [[place[case] for case in kept] for place in places]

    def laid(counts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
        return np.array([count[row] for count, row in zip(counts, rows, strict=True)], dtype=np.int64)

    passed, graded, total = laid([a.passed for a in arrays]), laid([a.graded for a in arrays]), laid(drawn)
    shared = np.asarray((graded > 0).all(axis=0), dtype=np.bool_).reshape(len(kept))
    low, high = extremes("pass@1", passed, graded, total)
    runs = range(len(tables))
    with_verdicts = [
        {case: i for i, case in enumerate(ids) if found.graded[i]} for ids, found in zip(names, arrays, strict=True)
    ]
    return Together(
        cases=tuple(case for case, counts in zip(kept, shared, strict=True) if counts),
        passed=passed[:, shared],
        graded=graded[:, shared],
        own=tuple(
            (len(found), float((a.passed / np.maximum(a.graded, 1))[list(found.values())].mean()) if found else 0.0)
            for found, a in zip(with_verdicts, arrays, strict=True)
        ),
        n_union=len({case for found in with_verdicts for case in found}),
        errored=tuple(int(a.errored.sum()) for a in arrays),
        bounds=np.array([hull(low[i], high[i], shared) if shared.any() else (0.0, 1.0) for i in runs]),
        least=np.array([[_least(low[j] - high[i], shared) for j in runs] for i in runs]),
    )


def _least(difference: NDArray[np.float64], shared: NDArray[np.bool_]) -> float:
    return min(float(difference.mean()), float(difference[shared].mean())) if shared.any() else -1.0
