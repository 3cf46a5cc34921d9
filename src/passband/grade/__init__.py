"""The grader ladder: answer and case in, verdict out."""

from passband.grade.grading import GRADER_VERSION, Grading
from passband.grade.report import TestOutcome, TestRun
from passband.grade.selfcheck import CaseCheck, check_case

__all__ = ["GRADER_VERSION", "CaseCheck", "Grading", "TestOutcome", "TestRun", "check_case"]
