"""Stages small enough to see through, for tests of what lies between them."""

from __future__ import annotations

from typing import ClassVar

from passband.records import Answer, EvalCase, ExactMatchSpec, Fault, Outcome, Verdict
from passband.subject import Response
from passband.suite import EvalSuite


class ExactGrading:
    """Grades by equality with the reference; `faults` maps a payload to how often grading it fails first."""

    def __init__(self, faults: dict[bytes, int] | None = None, *, retryable: bool = True) -> None:
        self.faults = dict(faults or {})
        self.retryable = retryable

    def grade(self, case, answer):
        left = self.faults.get(answer.payload, 0)
        if left:
            self.faults[answer.payload] = left - 1
            return Fault("grade", "the sandbox went away", self.retryable)
        passed = answer.payload.decode() == case.reference
        outcome = Outcome.RESOLVED if passed else Outcome.UNRESOLVED
        return Verdict(passed=passed, score=float(passed), detail="", outcome=outcome, tier="exact_match")

    def describe(self):
        return {"grader": "exact_match@1", "sandbox_tier": "none", "packages": {}}


class Coin:
    """Answers "1" or "0" by the last bits of its seed, so that a case passes at a known rate."""

    name = "coin"
    params: ClassVar[dict[str, object]] = {}

    def sample(self, view, seed):
        return Response(output=Answer(b"1" if seed % 4 else b"0"))


def coin_suite(cases: int = 6) -> EvalSuite:
    """Make a suite whose reference answer is always "1"."""
    return EvalSuite(
        "coins",
        tuple(
            EvalCase(
                id=f"c{i:03}", inputs={}, reference="1", grader_spec=ExactMatchSpec(), slices={"parity": str(i % 2)}
            )
            for i in range(cases)
        ),
    )
