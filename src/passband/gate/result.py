"""What a gate says. Field names are those of ``--format json`` and stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from passband.stats import Estimate

__all__ = ["EXIT_CODES", "CaseToSee", "GateReport", "Needs", "Outcome", "RuleOutcome", "RuleResult"]

Outcome = Literal["pass", "fail", "inconclusive"]
RuleOutcome = Literal["pass", "fail", "inconclusive", "not_applicable"]
"""A rule's word. ``not_applicable``: the run does not record what the rule is about; it decides nothing."""

EXIT_CODES: dict[Outcome, int] = {"pass": 0, "fail": 1, "inconclusive": 3}


@dataclass(frozen=True)
class CaseToSee:
    """A case, and why to look at it."""

    id: str
    why: str
    """Counts, for example ``6/8→1/8``."""


@dataclass(frozen=True)
class Needs:
    """What it would take to decide, if what was seen is what is true; found with probability 0.8."""

    tasks: int | None
    """Tasks, with as many samples each as now; None where even 10⁷ would not do."""
    samples: int | None
    """Samples of each of the tasks there are; None where no number of them would do."""
    n_tasks: int
    """What there is now."""
    n_samples: int


@dataclass(frozen=True)
class RuleResult:
    """One rule's word and its reason."""

    kind: str
    title: str
    """The rule in words, for example ``pass@1 no worse than base by 2 points``."""
    outcome: RuleOutcome
    advisory: bool
    number: str
    """What was found, for example ``Δ -5.6 [-8.7, -2.4]``."""
    reason: str
    """Why that gives the outcome."""
    estimate: Estimate | None = None
    """The one interval that decided, where the rule rests on one."""
    threshold: float | None = None
    """What its ends were held against, as a fraction."""
    cases: tuple[CaseToSee, ...] = ()
    """Where to look first, worst first."""
    needs: Needs | None = None
    sensitivity: str = ""
    """What samples without a verdict could do to the outcome; empty where there are none."""


@dataclass(frozen=True)
class GateReport:
    """The decision: fail where any deciding rule fails, else inconclusive where any is, else pass."""

    outcome: Outcome
    exit_code: int
    policy: str
    policy_digest: str
    candidate: str
    baseline: str | None
    suite: str
    harness_fingerprint: str
    level: float
    level_each: float
    """Level of each deciding interval, so that all hold together at `level` (Bonferroni)."""
    rules: tuple[RuleResult, ...]
    notes: tuple[str, ...]
    """What a reader must know beside the rules."""
    reproduce: str
    """The command that gives this report."""
