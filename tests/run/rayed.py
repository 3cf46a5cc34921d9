"""What actors on a test's cluster import: a subject and a grader."""

from __future__ import annotations

import os
import time

from .doubles import ExactGrading


def answer(view, seed):
    """Throw a coin for a few hundredths of a second."""
    time.sleep(0.02)
    return "1" if seed % 4 else "0"


def grading(*, unsafe):
    """Make the grader."""
    assert not unsafe
    return ExactGrading()


def broken(view, seed):
    """Fail the same way whatever is asked."""
    from passband.subject import SubjectFault

    raise SubjectFault(f"the key is refused by {os.getpid() > 0}", retryable=False)
