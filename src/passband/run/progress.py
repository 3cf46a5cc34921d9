"""How far a run is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passband.records import Sample
    from passband.run.store import BaseStore

__all__ = ["Progress"]


@dataclass
class Progress:
    """How far a run is. `done` counts what is durable in the store.

    Attributes
    ----------
    scheduled, done, graded, passed, errored : int
        Samples.
    drawn : int
        Samples that this process has drawn, of `done`.
    tokens, cost_usd : int, float
        What they have used; the cost of samples without a known price is left out, `unpriced` counts them.
    case_passed, case_graded : list of int
        The same by case, in the order of the run's header.
    stopped : str
        Why the run has ended before its end, if it has.
    enough : str
        The same, where it was its stopping rule that ended it.
    """

    scheduled: int
    cases: int = 0
    done: int = 0
    graded: int = 0
    passed: int = 0
    errored: int = 0
    drawn: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0
    stopped: str = ""
    enough: str = ""
    case_passed: list[int] = field(default_factory=list)
    case_graded: list[int] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.case_passed = [0] * self.cases
        self.case_graded = [0] * self.cases

    def resume(self, store: BaseStore, run_id: str) -> None:
        """Add what an earlier process has stored."""
        for case_no, passed, graded, errored in store.counts(run_id):
            self.case_passed[case_no] += passed
            self.case_graded[case_no] += graded
            self.passed += passed
            self.graded += graded
            self.errored += errored
            self.done += graded + errored
        spent = store.spent(run_id)
        self.tokens, self.cost_usd, self.unpriced = spent.tokens, spent.cost_usd, spent.unpriced

    def count(self, case_no: int, sample: Sample) -> None:
        """Add one stored sample."""
        self.done += 1
        self.drawn += 1
        self.tokens += sample.usage.input_tokens + sample.usage.output_tokens
        if sample.usage.cost_usd is None:
            self.unpriced += 1
        else:
            self.cost_usd += sample.usage.cost_usd
        if sample.verdict is None:
            self.errored += 1
        else:
            self.graded += 1
            self.case_graded[case_no] += 1
            self.passed += sample.verdict.passed
            self.case_passed[case_no] += sample.verdict.passed

    @property
    def rate(self) -> float:
        """Samples a second of this process, so far."""
        return self.drawn / max(time.monotonic() - self.begun, 1e-9)

    @property
    def left_s(self) -> float | None:
        """Seconds to go at that rate; None before there is one."""
        return (self.scheduled - self.done) / self.rate if self.drawn else None
