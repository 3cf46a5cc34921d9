"""What the rules look at, counted once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from passband.aggregate import run_arrays, summarize
from passband.compare.pairing import Drawn, Pairing, pair_runs
from passband.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from passband.aggregate import RunArrays, RunSummary
    from passband.records import SampleTable

__all__ = ["Evidence", "slice_groups"]


@dataclass(frozen=True)
class Evidence:
    """Candidate, and baseline where there is one."""

    candidate: SampleTable
    baseline: SampleTable | None

    @cached_property
    def summary(self) -> RunSummary:
        """Every number of the candidate."""
        return summarize(self.candidate)

    @cached_property
    def arrays(self) -> RunArrays:
        """Counts of the candidate."""
        return run_arrays(self.candidate)

    @cached_property
    def pairs(self) -> Pairing:
        """Candidate and baseline, matched.

        Raises
        ------
        UsageError
            Where there is no baseline.
        """
        if self.baseline is None:
            raise UsageError("the policy compares with a baseline and none is given", fix="give --baseline RUN")
        return pair_runs(self.baseline, self.candidate)

    def drawn(self, slice_: tuple[str, str] | None) -> NDArray[np.int64]:
        """Positions of the cases of a slice's value among all of the candidate, graded or not."""
        return _inside(self.candidate.header.case_slices, len(self.candidate.header.case_ids), slice_)

    def drawn_pairs(self, slice_: tuple[str, str] | None) -> Drawn:
        """Counts of the cases of a slice's value that both runs drew, graded or not."""
        drawn = self.pairs.drawn
        return drawn.at(_inside(drawn.slices, len(drawn.cases), slice_))

    def places(self, slice_: tuple[str, str] | None, *, paired: bool) -> NDArray[np.int64]:
        """Positions of the cases of a slice's value among the shared cases, or among the candidate's graded ones."""
        if paired:
            return _inside(self.pairs.slices, len(self.pairs.cases), slice_)
        drawn = self.drawn(slice_)
        return drawn[self.arrays.graded[drawn] > 0]


def _inside(slices: tuple[Mapping[str, str], ...], cases: int, slice_: tuple[str, str] | None) -> NDArray[np.int64]:
    if slice_ is None:
        return np.arange(cases)
    name, value = slice_
    return np.flatnonzero(np.array([named.get(name) == value for named in slices], dtype=np.bool_))


def slice_groups(table: SampleTable, name: str, *, where: str) -> list[tuple[str, str] | None]:
    """Expand ``NAME=VALUE`` into that one, and ``NAME`` into each of its values, in order.

    Raises
    ------
    UsageError
        Where the run has no such slice or value; `where` is where it was asked for.
    """
    key, equals, value = name.partition("=")
    there = sorted({named[key] for named in table.header.case_slices if key in named})
    if not there:
        names = sorted({known for named in table.header.case_slices for known in named})
        raise UsageError(f"the run has no slice {key!r}", where=where, fix=f"there are: {', '.join(names) or 'none'}")
    if equals and value not in there:
        raise UsageError(
            f"slice {key!r} has no value {value!r}", where=where, fix=f"there are: {', '.join(there[:12])}"
        )
    return [(key, value)] if equals else [(key, found) for found in there]
