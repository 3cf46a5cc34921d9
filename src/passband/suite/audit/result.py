"""What a leakage audit finds. Field names are those of ``--format json`` and stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Audit", "Channel", "ChannelName", "Hit"]

ChannelName = Literal[
    "exact-duplicate",
    "near-duplicate",
    "solution-ngrams",
    "hidden-test-ngrams",
    "names",
    "fix-in-issue",
    "hidden-tests-visible",
    "expected-values-visible",
    "reference-in-history",
    "reference-in-caches",
    "vocabulary",
]


@dataclass(frozen=True)
class Hit:
    """One case that a channel reaches."""

    case: str
    source: str
    """The training document, or the file of the workspace."""
    strength: float
    """Between 0 and 1: Jaccard similarity, or the share of what could leak that does."""
    evidence: str
    """A piece of what is shared."""


@dataclass(frozen=True)
class Channel:
    """One way in which an answer, or less, may have reached the subject."""

    name: ChannelName
    carries: Literal["answers", "tasks", "names"]
    """What it carries: answers move numbers, tasks often do, names alone seldom."""
    looked: str
    """What was looked at, and how."""
    hits: tuple[Hit, ...]
    """The strongest of each case, strongest first."""
    measure: str
    """How to find out whether it moves the number."""

    @property
    def cases(self) -> frozenset[str]:
        """Cases it reaches."""
        return frozenset(hit.case for hit in self.hits)


@dataclass(frozen=True)
class Audit:
    """Every channel that was looked at, those without a hit included."""

    suite: str
    suite_version: str
    n_cases: int
    train: str
    n_documents: int
    channels: tuple[Channel, ...]
    not_looked: tuple[str, ...]
    """What could not be looked at, and why."""
