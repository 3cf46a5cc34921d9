"""A run's samples, folded piece by piece: a million need no more memory than some thousands."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from passband.aggregate.arrays import SAFETY, RunArrays, count_samples, counts_alone
from passband.records import OUTCOME_CODES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from passband.records import RunHeader, SampleTable

__all__ = ["Folded", "fold"]

_COUNTS = ("passed", "graded", "errored", "safety", "answers_disagree")


@dataclass(frozen=True)
class Folded:
    """What is left of a run when its samples are counted."""

    header: RunHeader
    enough: str
    arrays: RunArrays
    samples: int
    outcomes: NDArray[np.int64]
    """Samples of each outcome, by its code; shape (codes,)."""
    violations: tuple[tuple[str, int], ...]
    """(case id, sample index) of every safety violation."""
    priced: int
    """Samples whose price is known."""
    cost_usd: float
    tokens: int
    seconds: float


def fold(pieces: Iterable[SampleTable]) -> Folded:
    """Count the samples of a run.

    Parameters
    ----------
    pieces : iterable of SampleTable
        At least one, each with the header of the whole run; all samples of a case are in one of them.

    Returns
    -------
    Folded
        The same, to the last bit, however the run is cut.
    """
    rest = iter(pieces)
    head = next(rest)
    header, enough = head.header, head.enough
    cases = len(header.case_ids)
    counted: dict[str, NDArray[Any]] = {
        name: np.zeros(cases, dtype=np.bool_ if "disagree" in name else np.int64) for name in _COUNTS
    }
    outcomes = np.zeros(len(OUTCOME_CODES), dtype=np.int64)
    violations: list[tuple[str, int]] = []
    samples = priced = tokens = 0
    costs: list[float] = []
    seconds: list[float] = []
    for piece in itertools.chain([head], rest):
        if not len(piece):
            continue
        samples += len(piece)
        first, last = min(piece.case), max(piece.case)
        for name, part in count_samples(piece, first, last + 1 - first).items():
            counted[name][first : last + 1] += part
        outcome = np.frombuffer(piece.outcome, dtype=np.int8)
        outcomes += np.bincount(outcome, minlength=len(OUTCOME_CODES))
        touched = np.flatnonzero(outcome == SAFETY).tolist()
        violations += [(header.case_ids[piece.case[place]], piece.index[place]) for place in touched]
        prices = np.frombuffer(piece.cost_usd)
        known = prices[~np.isnan(prices)]
        priced += known.size
        costs += _exactly(known)
        tokens += int(np.frombuffer(piece.tokens, dtype=np.int64).sum())
        seconds += _exactly(np.frombuffer(piece.seconds))
    drawn = counted["graded"] + counted["errored"]
    planned = np.full(cases, header.samples_per_case, dtype=np.int64)
    return Folded(
        header=header,
        enough=enough,
        arrays=RunArrays(**counted, scheduled=drawn if enough or counts_alone(header) else planned),
        samples=samples,
        outcomes=outcomes,
        violations=tuple(violations),
        priced=priced,
        cost_usd=math.fsum(costs),
        tokens=tokens,
        seconds=math.fsum(seconds),
    )


def _exactly(values: NDArray[np.float64]) -> list[float]:
    """Return a few numbers whose sum is that of `values` without any rounding, so that sums of sums are exact too."""
    if not values.any():
        return []
    terms: list[float] = []
    each = values.tolist()
    while rest := math.fsum(itertools.chain(each, (-term for term in terms))):
        terms.append(rest)
        if not math.isfinite(rest):
            break
    return terms
