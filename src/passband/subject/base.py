"""What a subject is, what it sees and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import msgspec

from passband.records import Answer, EvalCase, Fault, Usage

__all__ = [
    "BatchSubject",
    "Bounded",
    "CaseView",
    "Configured",
    "ConfiguredBySuite",
    "HarnessPart",
    "Priced",
    "Response",
    "Subject",
    "SubjectFault",
    "view_of",
]


class CaseView(msgspec.Struct, frozen=True, kw_only=True):
    """All that a subject may see of a case."""

    id: str
    inputs: Mapping[str, Any]
    workspace: Mapping[str, bytes]


def view_of(case: EvalCase) -> CaseView:
    """Cut a case down to what the subject may see: neither reference, nor grader, nor hidden tests."""
    return CaseView(id=case.id, inputs=case.inputs, workspace=case.workspace)


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """One answer and how it came about."""

    output: Answer
    trace: tuple[Mapping[str, Any], ...] = ()
    usage: Usage = Usage()
    faults: tuple[Fault, ...] = ()
    """Attempts that failed before this answer, in order: a refused request that was sent again, for example."""


class SubjectFault(Exception):  # noqa: N818 - a fault of the machinery, in the sense of `records.Fault`
    """The machinery around a subject failed, not the subject: the sample is retried, then stored as errored.

    Parameters
    ----------
    detail : str
        What happened.
    retryable : bool
        False where another attempt must end the same way for every sample: a missing program, a refused key.
    faults : sequence of Fault
        Attempts that failed before this one, in order; each counts as an attempt at the sample.
    usage : Usage
        What was used in vain.
    """

    def __init__(
        self, detail: str, *, retryable: bool = True, faults: Sequence[Fault] = (), usage: Usage | None = None
    ) -> None:
        super().__init__(detail)
        self.retryable = retryable
        self.faults = tuple(faults)
        self.usage = usage or Usage()

    def __reduce__(self) -> tuple[Any, ...]:  # keyword arguments survive the way between processes
        return _fault, (str(self), self.retryable, self.faults, self.usage)


def _fault(detail: str, retryable: bool, faults: tuple[Fault, ...], usage: Usage) -> SubjectFault:  # noqa: FBT001
    return SubjectFault(detail, retryable=retryable, faults=faults, usage=usage)


class Subject(Protocol):
    """Who is asked. Its methods are called from several threads at once."""

    @property
    def name(self) -> str:
        """The specification that names this subject on the command line."""
        ...

    @property
    def params(self) -> Mapping[str, Any]:
        """What identifies it beyond its name: versions, digests of code, settings. Goes into the run's header."""
        ...

    def sample(self, view: CaseView, seed: int) -> Response:
        """Answer once.

        Parameters
        ----------
        view : CaseView
            The case as the subject may see it.
        seed : int
            All randomness of the answer comes from it: the same seed gives the same answer where the subject allows.

        Raises
        ------
        SubjectFault
            Where the failure is not the subject's own.
        """
        ...


@runtime_checkable
class BatchSubject(Subject, Protocol):
    """A subject that answers many questions at once: a policy on one machine."""

    @property
    def batch_size(self) -> int:
        """How many questions it likes best; above 1."""
        ...

    def sample_batch(self, views: Sequence[CaseView], seeds: Sequence[int]) -> Sequence[Response]:
        """Answer every question, in order.

        The answer to a question is the one :meth:`Subject.sample` gives for it: it depends on its view and its seed
        and not on its neighbours. It is called from one thread at a time; where it raises, each question is asked again
        by itself.
        """
        ...


@runtime_checkable
class Bounded(Protocol):
    """A subject that knows the most a sample can use: budgets hold to the token."""

    def ceiling(self, view: CaseView) -> Usage:
        """Return the most that one sample can use, failed attempts included; ``cost_usd`` is None without a price."""
        ...


@runtime_checkable
class Priced(Protocol):
    """Knows beforehand whether its samples have a price: without one, no budget in dollars can be kept."""

    @property
    def priced(self) -> bool:
        """Whether every sample's ``cost_usd`` will be known."""
        ...


class HarnessPart(msgspec.Struct, frozen=True, kw_only=True):
    """What a subject adds to the harness: the fields of :class:`~passband.records.Harness` of the same names."""

    prompt_template: str | None = None
    tools: tuple[str, ...] = ()
    budgets: Mapping[str, Any] = msgspec.field(default_factory=dict)
    sampling: Mapping[str, Any] = msgspec.field(default_factory=dict)


@runtime_checkable
class Configured(Protocol):
    """A subject that brings a prompt, tools, budgets or sampling settings of its own."""

    @property
    def harness(self) -> HarnessPart:
        """What of it belongs to the harness, and not to the subject."""
        ...


@runtime_checkable
class ConfiguredBySuite(Protocol):
    """A subject whose settings stand in the cases: a policy of an environment whose budgets each case carries."""

    def harness_for(self, views: Sequence[CaseView]) -> HarnessPart:
        """What of it belongs to the harness where it answers these cases: a number that each case moves is seen there.

        Parameters
        ----------
        views : sequence of CaseView
            All cases of the run.
        """
        ...
