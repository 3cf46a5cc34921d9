"""What a comparison finds. Field names are those of ``--format json`` and stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from passband.compare.harness import HarnessDifference
    from passband.compare.pairing import CommonSeeds
    from passband.compare.suspicion import Suspicion
    from passband.compare.verdict import Word
    from passband.stats import CurveKind, Decision, Estimate, PairedDifference

__all__ = ["CaseChange", "Comparison", "CurvePoint", "Fragility", "Metered", "SliceDifference"]


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
    taken_back: bool
    """Whether samples without a verdict could turn what the interval says: the verdict is then unclear."""


@dataclass(frozen=True)
class CurvePoint:
    """pass@k or pass^k of both on the shared cases, and the paired difference at its own level."""

    k: int
    kind: CurveKind
    baseline: float
    candidate: float
    difference: Estimate


@dataclass(frozen=True)
class Fragility:
    """The comparison with every sample that errored set against the candidate, and for it."""

    missing: tuple[int, int]
    """Samples that errored, on each side, of the cases that both runs drew."""
    against: Estimate
    favour: Estimate
    verdict_against: Word
    verdict_favour: Word

    @property
    def turns(self) -> bool:
        """Whether the two extremes have different verdicts."""
        return self.verdict_against != self.verdict_favour


@dataclass(frozen=True)
class Metered:
    """What a sample took on each side, on average over the samples drawn of shared cases."""

    cost_usd: tuple[float | None, float | None]
    """None where some price is not known."""
    tokens: tuple[float, float]
    seconds: tuple[float, float]


@dataclass(frozen=True)
class Comparison:
    """What can be said of a candidate beside a baseline; the verdict comes from one interval and no other number."""

    baseline: str
    candidate: str
    suite: str
    grader: str
    n_shared: int
    samples: tuple[int, int]
    """Samples drawn of a shared case of the baseline and of the candidate; the most where cases have unlike numbers."""
    paired_by: Literal["case", "sample"]
    """``sample`` where both runs drew with one seed: sample i of a case had the same random numbers on both sides."""
    common_seeds: CommonSeeds | None
    only_baseline: tuple[str, ...]
    """Cases that only the baseline has graded samples of; they are in no number."""
    only_candidate: tuple[str, ...]
    harness_differences: tuple[HarnessDifference, ...]
    subjects: tuple[str, str]
    margin: float
    rates: tuple[float, float]
    """Pass@1 of both on the shared cases, over all that was graded of each: what each run has on them alone."""
    difference: PairedDifference
    verdict: Word
    """That of `decision`, or unclear where `worst_case` does not lie on its side: samples without a verdict could turn
    it."""
    decision: Decision
    """What the interval of the graded samples says, with the p-value of each claim at the margin."""
    detectable: float | None
    """The smallest true difference that this interval finds with probability 0.8 of as many tasks and samples; None
    where it finds none, or no two tasks differ otherwise."""
    slices: tuple[SliceDifference, ...]
    curves: tuple[CurvePoint, ...]
    """For k = 2, 4, 8, … and the largest k that both can estimate; each interval stands alone."""
    most_moved: tuple[CaseChange, ...]
    errored: tuple[int, int]
    """Samples of the cases that both runs drew which have no verdict."""
    scheduled: tuple[int, int]
    """Samples that those cases were to have."""
    undrawn: tuple[int, int]
    """Samples of each run, of any case, that are not drawn yet: in no number, and in no bound."""
    safety: tuple[int, int]
    """Samples of each run, of any case, that touched what is forbidden."""
    worst_case: tuple[float, float]
    """The least and greatest the difference can be, whatever the samples that errored would have been: on the shared
    cases, or with those that errored whole on a side."""
    fragility: Fragility | None
    """None where every sample drawn has its verdict."""
    metered: Metered
    suspicions: tuple[Suspicion, ...]

    @property
    def taken_back(self) -> bool:
        """Whether samples without a verdict could turn what the interval says."""
        return self.verdict != self.decision.verdict

    @property
    def fragile(self) -> bool:
        """Whether the verdict is taken back, or the interval of either extreme has another."""
        f = self.fragility
        return self.taken_back or (f is not None and {f.verdict_against, f.verdict_favour} != {self.decision.verdict})
