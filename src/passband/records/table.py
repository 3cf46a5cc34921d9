"""The narrow form of a run: one row a sample, in columns, without outputs and traces."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from passband.errors import DataError
from passband.records.sample import Outcome, Sample, Status

if TYPE_CHECKING:
    from passband.records.harness import RunHeader

__all__ = ["OUTCOME_CODES", "SampleTable"]

OUTCOME_CODES: tuple[Outcome | None, ...] = (None, *Outcome)
"""Code → outcome; code 0 is an errored sample, which has none."""


@dataclass(frozen=True)
class SampleTable:
    """All samples of a run, ordered by case and index.

    The columns are :class:`array.array`, so that a million rows are a few buffers that numpy reads without a copy.
    """

    COLUMNS: ClassVar = ("case", "index", "passed", "score", "outcome", "answer", "cost_usd", "tokens", "seconds")
    """Names of the columns, in the order in which stores pack them."""

    header: RunHeader
    case: array[int] = field(default_factory=lambda: array("q"))
    """Position of the case in ``header.case_ids``."""
    index: array[int] = field(default_factory=lambda: array("q"))
    passed: array[int] = field(default_factory=lambda: array("b"))
    """1, 0, or -1 for an errored sample."""
    score: array[float] = field(default_factory=lambda: array("d"))
    """NaN for an errored sample."""
    outcome: array[int] = field(default_factory=lambda: array("b"))
    """Index into :data:`OUTCOME_CODES`."""
    answer: array[int] = field(default_factory=lambda: array("q"))
    """Hash of the answer's bytes: equal answers have equal values."""
    cost_usd: array[float] = field(default_factory=lambda: array("d"))
    """NaN where no price is known."""
    tokens: array[int] = field(default_factory=lambda: array("q"))
    """Input and output together."""
    seconds: array[float] = field(default_factory=lambda: array("d"))
    """Subject and grader together."""
    enough: str = ""
    """Why a rule ended the run before n samples of each case; empty where none did."""

    @property
    def scheduled(self) -> int:
        """Samples the run was to have: n of each case, or those it has, where its rule found them enough."""
        return len(self) if self.enough else len(self.header.case_ids) * self.header.samples_per_case

    def __len__(self) -> int:
        return len(self.case)

    def append(
        self,
        *,
        case: int,
        index: int,
        outcome: int,
        score: float | None,
        answer: int,
        cost_usd: float | None,
        tokens: int,
        seconds: float,
    ) -> None:
        """Add one row; `score` is None exactly for an errored sample."""
        if (outcome == 0) != (score is None) or not 0 <= outcome < len(OUTCOME_CODES):
            raise DataError(f"outcome {outcome} contradicts score {score}", where=f"case {case}, sample {index}")
        self.case.append(case)
        self.index.append(index)
        self.passed.append(-1 if outcome == 0 else int(OUTCOME_CODES[outcome] is Outcome.RESOLVED))
        self.score.append(float("nan") if score is None else score)
        self.outcome.append(outcome)
        self.answer.append(answer)
        self.cost_usd.append(float("nan") if cost_usd is None else cost_usd)
        self.tokens.append(tokens)
        self.seconds.append(seconds)

    def extend(self, other: SampleTable) -> None:
        """Add the rows of another table, which come after these."""
        for name in self.COLUMNS:
            getattr(self, name).extend(getattr(other, name))

    @staticmethod
    def outcome_code(sample: Sample) -> int:
        """Code of a sample's outcome, 0 where it errored."""
        if sample.status is Status.ERRORED or sample.verdict is None:
            return 0
        return OUTCOME_CODES.index(sample.verdict.outcome)
