"""What came out: answers, verdicts, samples."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from passband.errors import DataError

__all__ = ["Answer", "AnswerFormat", "CaseResult", "Fault", "Outcome", "Sample", "Status", "Timing", "Usage", "Verdict"]


class AnswerFormat(StrEnum):
    """How an answer's bytes are to be read."""

    AUTO = "auto"
    """A model's text: the patch is looked for in it."""
    SEARCH_REPLACE = "search_replace"
    UNIFIED_DIFF = "unified_diff"
    FILES = "files"
    """A JSON object: path → whole content, or null to delete."""
    TEXT = "text"
    """Not a patch at all: graded as text."""


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a subject said, byte for byte."""

    payload: bytes
    format: AnswerFormat = AnswerFormat.AUTO

    @classmethod
    def of(cls, text: str, format: AnswerFormat = AnswerFormat.AUTO) -> Answer:  # noqa: A002 - the field's name
        """Make an answer of text; bytes that were read with surrogateescape become the same bytes again."""
        return cls(text.encode(errors="surrogateescape"), format)

    @property
    def text(self) -> str:
        """The answer for people to read; bytes that are not UTF-8 show as U+FFFD."""
        return self.payload.decode(errors="replace")


class Outcome(StrEnum):
    """The word for what happened to an answer."""

    RESOLVED = "resolved"
    UNRESOLVED = "unresolved"
    NOT_APPLIED = "not_applied"
    OUT_OF_SCOPE = "out_of_scope"
    SAFETY_VIOLATION = "safety_violation"


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The grader's word on one answer: total, so there is one for any input."""

    passed: bool
    score: float
    detail: str
    outcome: Outcome
    tier: str = ""
    """Which rung of the ladder and which isolation spoke, for example ``execution/split@namespaces``."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.score <= 1.0:
            raise DataError(f"a score lies between 0 and 1, not at {self.score}")
        if self.passed != (self.outcome is Outcome.RESOLVED):
            raise DataError(f"passed={self.passed} contradicts the outcome {self.outcome.value}")

    @property
    def safety_violation(self) -> bool:
        """Whether the answer touched what must not be touched: a veto, never a term in a mean."""
        return self.outcome is Outcome.SAFETY_VIOLATION


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A failure of ours, not of the subject: it is retried, then stored; it is never a zero."""

    stage: str
    """``subject``, ``sandbox``, ``grade`` or ``store``."""
    detail: str
    retryable: bool = True


class Status(StrEnum):
    """Whether a sample says anything about the subject."""

    COMPLETED = "completed"
    ERRORED = "errored"


class Usage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a sample cost."""

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    """None where no price is known; never a guess."""


class Timing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When and how long; the only part of a sample that two equal runs may differ in."""

    started_at: float = 0.0
    """Seconds since the epoch."""
    subject_s: float = 0.0
    grade_s: float = 0.0


class Sample(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One episode of a subject on a case."""

    index: int
    seed: int
    output: Answer | None
    verdict: Verdict | None
    status: Status = Status.COMPLETED
    trace: tuple[Mapping[str, Any], ...] = ()
    usage: Usage = Usage()
    timing: Timing = Timing()
    faults: tuple[Fault, ...] = ()
    """Every failed attempt before this outcome, in order; the last one is the cause where the status is ``errored``."""

    def __post_init__(self) -> None:
        if (self.status is Status.COMPLETED) != (self.verdict is not None):
            raise DataError(f"sample {self.index}: a completed sample has a verdict and an errored one has none")
        if self.status is Status.ERRORED and not self.faults:
            raise DataError(f"sample {self.index}: an errored sample names its fault")

    @property
    def cause(self) -> str:
        """Why it has no verdict: where the last fault was, and what; empty where it has one."""
        return "" if self.verdict is not None else f"{self.faults[-1].stage}: {self.faults[-1].detail}"


class CaseResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All samples of one case, none collapsed."""

    case_id: str
    samples: tuple[Sample, ...]
    slices: Mapping[str, str] = msgspec.field(default_factory=dict)
