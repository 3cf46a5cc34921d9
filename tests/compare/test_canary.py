import dataclasses
import random

import msgspec
import pytest

from passband.compare import Canary, check_canary, record_perch
from passband.errors import DataError, UsageError
from passband.records import decode, encode
from passband.report import render_canary
from tests.tables import HARNESS, table


def run(rate, seed, *, cases=60, n=8):
    rng = random.Random(seed)
    return table({f"c{i}": "".join("FP"[rng.random() < rate] for _ in range(n)) for i in range(cases)})


def canary(made, **how):
    """A canary of one subject, as it comes back from its file."""
    perch = record_perch(made, **{"deterministic": True, "tolerance": 0.0, **how})
    return decode(encode(Canary(suite="s", perches=(perch,))), Canary)


def test_equal_verdicts_hold_and_one_turned_verdict_is_a_move():
    """A deterministic subject must give every verdict again; even two turned ones that cancel are seen."""
    made = table({"x": "PPFF", "y": "FFFF"})
    assert check_canary(canary(made), [made]).outcome == "held"
    report = check_canary(canary(made), [table({"x": "PFPF", "y": "FFFF"})])
    assert report.outcome == "moved"
    assert "2 of 8 verdicts turned" in report.perches[0].reason
    assert [m.id for m in report.perches[0].moved] == ["x"]


def test_missing_verdicts_are_unclear_and_hide_no_move():
    """A sample without a verdict leaves it open, unless another turned."""
    made = table({"x": "PPFF"})
    assert check_canary(canary(made), [table({"x": "PPFE"})]).outcome == "unclear"
    assert check_canary(canary(made), [table({"x": "FPFE"})]).outcome == "moved"
    with pytest.raises(DataError, match="no verdict"):
        canary(table({"x": "PPFE"}))


def test_a_subject_that_varies_is_held_to_an_equivalence_test():
    """Within the tolerance for sure: held; beyond it for sure: moved; else unclear. No effect shown is not held."""
    made = canary(run(0.5, 1), deterministic=False, tolerance=0.1)
    assert check_canary(made, [run(0.5, 2)]).outcome == "held"
    assert check_canary(made, [run(0.8, 3)]).outcome == "moved"
    assert check_canary(made, [run(0.6, 4)]).outcome == "unclear"
    with pytest.raises(UsageError, match="tolerance"):
        canary(run(0.5, 1), deterministic=False)


def test_another_suite_is_a_move_and_another_subject_is_unclear():
    """Cases that are not in both are a change of the harness; another version of the subject proves nothing."""
    made = table({"x": "PP"})
    assert check_canary(canary(made), [table({"x": "PP", "y": "PP"})]).outcome == "moved"
    other = dataclasses.replace(made, header=msgspec.structs.replace(made.header, subject_params={"version": 2}))
    assert check_canary(canary(made), [other]).outcome == "unclear"


def test_it_says_what_differs_and_what_it_can_not_see():
    """Fields that differ are listed though nothing moved; fields no subject uses, and floors, are named as blind."""
    made = table({"x": "FFFF"})
    changed = table({"x": "FFFF"}, harness=msgspec.structs.replace(HARNESS, packages={"python": "3.13"}))
    report = check_canary(canary(made), [changed])
    assert report.outcome == "held"
    assert [found.field for found in report.differences] == ["packages.python"]
    text = render_canary(report)
    assert "sampling" in text
    assert "none can fall" in " ".join(text.split())
    sampled = table({"x": "PFFF"}, harness=msgspec.structs.replace(HARNESS, sampling={"temperature": 1}))
    assert "sampling" not in render_canary(check_canary(canary(sampled), [sampled]))
