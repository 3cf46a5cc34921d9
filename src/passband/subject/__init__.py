"""Who is asked: offline mutators, Python functions, commands."""

from passband.subject.base import (
    BatchSubject,
    Bounded,
    CaseView,
    Configured,
    HarnessPart,
    Response,
    Subject,
    SubjectFault,
    view_of,
)
from passband.subject.function import BatchFunctionSubject, FunctionSubject, batched
from passband.subject.mutator import Mutator
from passband.subject.resolve import load_subject

__all__ = [
    "BatchFunctionSubject",
    "BatchSubject",
    "Bounded",
    "CaseView",
    "Configured",
    "FunctionSubject",
    "HarnessPart",
    "Mutator",
    "Response",
    "Subject",
    "SubjectFault",
    "batched",
    "load_subject",
    "view_of",
]
