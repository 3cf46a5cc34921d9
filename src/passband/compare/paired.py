"""Candidate against baseline on the cases they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from passband.aggregate import run_arrays
from passband.errors import DataError, UsageError
from passband.stats import PairedDifference, paired_difference

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from passband.records import Harness, SampleTable
    from passband.stats import Estimate

__all__ = ["CaseChange", "Comparison", "HarnessDifference", "SliceDifference", "Word", "compare_runs"]

Word = Literal["better", "worse", "same", "unclear"]


@dataclass(frozen=True)
class HarnessDifference:
    """A field of the harness in which two runs differ."""

    field: str
    baseline: Any
    candidate: Any


@dataclass(frozen=True)
class CaseChange:
    """Counts of one case on both sides."""

    id: str
    baseline: tuple[int, int]
    """(passed, graded)."""
    candidate: tuple[int, int]


@dataclass(frozen=True)
class SliceDifference:
    """The difference on the cases that share a slice's value, its interval simultaneous over the slice's values."""

    slice: str
    value: str
    baseline: float
    candidate: float
    difference: PairedDifference
    p_value: float | None
    """Bonferroni-adjusted over the slice's values, so that it agrees with the interval."""
    verdict: Word


@dataclass(frozen=True)
class Comparison:
    """What can be said of a candidate beside a baseline; the verdict comes from one interval and no other number."""

    baseline: str
    candidate: str
    suite: str
    n_shared: int
    samples: tuple[int, int]
    """Samples a case of the baseline and of the candidate."""
    only_baseline: tuple[str, ...]
    """Cases that only the baseline has graded samples of; they are in no number."""
    only_candidate: tuple[str, ...]
    harness_differences: tuple[HarnessDifference, ...]
    subjects: tuple[str, str]
    margin: float
    rates: tuple[float, float]
    """Pass@1 of both on the shared cases."""
    difference: PairedDifference
    verdict: Word
    slices: tuple[SliceDifference, ...]
    most_moved: tuple[CaseChange, ...]
    errored: tuple[int, int]
    scheduled: tuple[int, int]
    worst_case: tuple[float, float]
    """The difference if everything without a verdict had gone against, and for, the candidate."""


def compare_runs(
    baseline: SampleTable,
    candidate: SampleTable,
    *,
    margin: float = 0.0,
    level: float = 0.95,
    allow: Iterable[str] = (),
) -> Comparison:
    """Compare two runs task by task.

    Parameters
    ----------
    baseline, candidate : SampleTable
        Two runs on suites of one version, under one harness but for what `allow` names.
    margin : float
        Differences up to it, as a fraction, do not matter. With 0 nothing but a difference can be claimed.
    level : float
        Nominal coverage of the interval of the verdict.
    allow : iterable of str
        Fields of the harness that may differ.

    Raises
    ------
    UsageError
        Where the harnesses differ in a field that is not allowed, or `margin` is not in [0, 1).
    DataError
        Where no case is shared.
    """
    if not 0 <= margin < 1:
        raise UsageError(f"the margin {margin} is not a fraction from 0 up to 1")
    differences = _harness_differences(baseline.header.harness, candidate.header.harness)
    blocked = [found.field for found in differences if found.field not in set(allow)]
    if blocked:
        fix = "compare runs of one harness, or accept the difference with " + " ".join(f"--allow {b}" for b in blocked)
        raise UsageError(f"the harnesses differ in {', '.join(blocked)}", fix=fix)
    arrays = run_arrays(baseline), run_arrays(candidate)
    places = [
        {case: i for i, case in enumerate(table.header.case_ids) if counted.graded[i]}
        for table, counted in zip((baseline, candidate), arrays, strict=True)
    ]
    shared = [case for case in baseline.header.case_ids if case in places[0] and case in places[1]]
    if not shared:
        raise DataError("the two runs share no graded case", where=f"{_name(baseline)}, {_name(candidate)}")
    rows = tuple(np.array([place[case] for case in shared]) for place in places)
    ca, na = arrays[0].passed[rows[0]], arrays[0].graded[rows[0]]
    cb, nb = arrays[1].passed[rows[1]], arrays[1].graded[rows[1]]
    difference = paired_difference(ca, na, cb, nb, level=level)
    slices_of = dict(zip(baseline.header.case_ids, baseline.header.case_slices, strict=False))
    return Comparison(
        baseline=baseline.header.run_id,
        candidate=candidate.header.run_id,
        suite=f"{baseline.header.harness.suite}@{baseline.header.harness.suite_version[:6]}",
        n_shared=len(shared),
        samples=(arrays[0].scheduled, arrays[1].scheduled),
        only_baseline=tuple(sorted(places[0].keys() - places[1].keys())),
        only_candidate=tuple(sorted(places[1].keys() - places[0].keys())),
        harness_differences=tuple(differences),
        subjects=(baseline.header.subject, candidate.header.subject),
        margin=margin,
        rates=(float((ca / na).mean()), float((cb / nb).mean())),
        difference=difference,
        verdict=_verdict(difference.estimate, margin),
        slices=tuple(_slices([slices_of.get(case, {}) for case in shared], (ca, na, cb, nb), margin, level)),
        most_moved=_most_moved(shared, ca, na, cb, nb),
        errored=(int(arrays[0].errored.sum()), int(arrays[1].errored.sum())),
        scheduled=tuple(
            a.scheduled * len(t.header.case_ids) for a, t in zip(arrays, (baseline, candidate), strict=True)
        ),  # type: ignore[arg-type]
        worst_case=_worst_case((ca, na, arrays[0].scheduled), (cb, nb, arrays[1].scheduled)),
    )


def _name(table: SampleTable) -> str:
    return table.header.run_id


def _harness_differences(one: Harness, two: Harness) -> list[HarnessDifference]:
    a, b = msgspec.structs.asdict(one), msgspec.structs.asdict(two)
    return [HarnessDifference(name, a[name], b[name]) for name in a if a[name] != b[name]]


def _verdict(estimate: Estimate, margin: float) -> Word:
    """Read the verdict off the interval: the only number it may come from."""
    if estimate.low is None or estimate.high is None:
        return "unclear"
    if estimate.low > margin:
        return "better"
    if estimate.high < -margin:
        return "worse"
    if margin > 0 and -margin < estimate.low and estimate.high < margin:
        return "same"
    return "unclear"


def _slices(
    slices: list[Any], counts: tuple[NDArray[np.int64], ...], margin: float, level: float
) -> Iterable[SliceDifference]:
    groups: dict[str, dict[str, list[int]]] = {}
    for place, named in enumerate(slices):
        for name, value in named.items():
            groups.setdefault(name, {}).setdefault(value, []).append(place)
    for name, values in sorted(groups.items()):
        shared = 1 - (1 - level) / len(values)  # Bonferroni: all intervals of a slice hold at once
        for value, places in sorted(values.items()):
            ca, na, cb, nb = (count[places] for count in counts)
            difference = paired_difference(ca, na, cb, nb, level=shared)
            yield SliceDifference(
                slice=name,
                value=value,
                baseline=float((ca / na).mean()),
                candidate=float((cb / nb).mean()),
                difference=difference,
                p_value=None if difference.p_value is None else min(1.0, float(difference.p_value) * len(values)),
                verdict=_verdict(difference.estimate, margin),
            )


def _most_moved(
    shared: list[str], ca: NDArray[np.int64], na: NDArray[np.int64], cb: NDArray[np.int64], nb: NDArray[np.int64]
) -> tuple[CaseChange, ...]:
    moved = cb / nb - ca / na
    order = sorted(range(len(shared)), key=lambda i: (-abs(moved[i]), shared[i]))
    return tuple(
        CaseChange(shared[i], (int(ca[i]), int(na[i])), (int(cb[i]), int(nb[i]))) for i in order if moved[i] != 0
    )


def _worst_case(a: tuple[Any, Any, int], b: tuple[Any, Any, int]) -> tuple[float, float]:
    """Bounds of the difference whatever the ungraded samples of the shared cases would have been."""
    (ca, na, scheduled_a), (cb, nb, scheduled_b) = a, b
    low_a, high_a = (ca / scheduled_a).mean(), ((ca + scheduled_a - na) / scheduled_a).mean()
    low_b, high_b = (cb / scheduled_b).mean(), ((cb + scheduled_b - nb) / scheduled_b).mean()
    return float(low_b - high_a), float(high_b - low_a)
