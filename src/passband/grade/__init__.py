"""The grader ladder: answer and case in, verdict out."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from passband.grade.grading import GRADER_VERSION, Grading

if TYPE_CHECKING:
    from passband.grade.report import TestOutcome, TestRun
    from passband.grade.selfcheck import CaseCheck, check_case

__all__ = ["GRADER_VERSION", "CaseCheck", "Grading", "TestOutcome", "TestRun", "check_case"]

# Imported when they are asked for: whoever grades text needs none of it.
_HOMES = {"CaseCheck": "selfcheck", "TestOutcome": "report", "TestRun": "report", "check_case": "selfcheck"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
