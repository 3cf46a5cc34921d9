"""Who is asked: offline mutators, Python functions, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.subject.base import (
    BatchSubject,
    Bounded,
    CaseView,
    Configured,
    ConfiguredBySuite,
    HarnessPart,
    Priced,
    Response,
    Subject,
    SubjectFault,
    view_of,
)
from passband.subject.function import BatchFunctionSubject, FunctionSubject, batched
from passband.subject.resolve import load_subject

if TYPE_CHECKING:
    from passband.subject.mutator import Mutator

__all__ = [
    "BatchFunctionSubject",
    "BatchSubject",
    "Bounded",
    "CaseView",
    "Configured",
    "ConfiguredBySuite",
    "FunctionSubject",
    "HarnessPart",
    "Mutator",
    "Priced",
    "Response",
    "Subject",
    "SubjectFault",
    "batched",
    "load_subject",
    "view_of",
]


def __getattr__(name: str) -> Any:
    if name != "Mutator":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from passband.subject.mutator import Mutator  # with all of the patches: only who asks for it waits

    return Mutator
