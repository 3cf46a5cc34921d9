"""What must hold for any input: the fuzzer's own check, on inputs of its mutator and of Hypothesis."""

from __future__ import annotations

import base64
import importlib.util
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from passband.records import AnswerFormat


def load():
    """Import the fuzzer, a script beside the package."""
    spec = importlib.util.spec_from_file_location("patch_fuzz", Path(__file__).parents[3] / "fuzz/patch_fuzz.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FUZZ = load()
LINES = sorted({line + b"\n" for seed in FUZZ.SEEDS for line in seed.split(b"\n")})
CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a machine that is busy
FORM = st.sampled_from(FUZZ.FORMS)


@pytest.mark.parametrize("form", FUZZ.FORMS)
def test_every_seed_of_the_fuzzer_is_alive(form):
    """Read in its own format each seed fits the tree, so that damage to it reaches the depths."""
    words = [FUZZ.check(seed, form) for seed in FUZZ.SEEDS]
    assert words.count("applied") >= {"auto": 17, "search_replace": 4, "unified_diff": 11, "files": 1}[form.value]


def test_damaged_answers_keep_every_invariant():
    """A short, fixed run of the mutator meets all three words."""
    words = FUZZ.run(4000, seed=2026)
    assert set(words) == {"applied", "not_applied", "safety_violation"}


@CALM
@given(st.binary(max_size=200), FORM)
def test_any_bytes_keep_every_invariant(payload, form):
    """Never an exception, whatever comes in."""
    assert FUZZ.check(payload, form) in {"applied", "not_applied", "safety_violation"}


@CALM
@given(st.lists(st.sampled_from([*LINES, *FUZZ.TOKENS]), max_size=25).map(b"".join), FORM)
def test_any_order_of_known_lines_keeps_every_invariant(payload, form):
    """Headers, markers and hunks in any order: all or nothing, and nothing outside the tree."""
    assert FUZZ.check(payload, form) in {"applied", "not_applied", "safety_violation"}


@CALM
@given(st.text(max_size=30).filter(bool), st.binary(max_size=20))
def test_any_file_name_is_checked(name, content):
    """As a JSON key every string is a name; what is applied lies inside the tree."""
    answer = json.dumps({name: {"base64": base64.b64encode(content).decode()}}).encode()
    assert FUZZ.check(answer, AnswerFormat.FILES) in {"applied", "not_applied", "safety_violation"}


def test_the_check_can_fail():
    """A path or a line that should not be there is noticed."""
    with pytest.raises(AssertionError):
        FUZZ._check_path("a/../tests/x")
    with pytest.raises(AssertionError):
        FUZZ._check_path("Tests/x")
    with pytest.raises(AssertionError):
        FUZZ._check_lines(FUZZ.Applied({"a.py": b"made up"}, "x"), b"+nothing")
