"""What a subject is, what it sees and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import msgspec

from passband.records import Answer, EvalCase, Usage

__all__ = ["CaseView", "Response", "Subject", "SubjectFault", "view_of"]


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


class SubjectFault(Exception):  # noqa: N818 - a fault of the machinery, in the sense of `records.Fault`
    """The machinery around a subject failed, not the subject: the sample is retried, then stored as errored.

    Parameters
    ----------
    detail : str
        What happened.
    retryable : bool
        False where another attempt must end the same way: a missing program, a refused key.
    """

    def __init__(self, detail: str, *, retryable: bool = True) -> None:
        super().__init__(detail)
        self.retryable = retryable


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
