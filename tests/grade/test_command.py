"""Tier 3: other test runners."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from passband.errors import SuiteError
from passband.grade import check_case
from passband.grade.command import read_junit, read_tap, read_unittest
from passband.records import ExecutionSpec, Verdict
from tests.grade.cases import make_case, whole_files

if TYPE_CHECKING:
    from passband.grade import Grading
    from passband.records import EvalCase

WRONG = {"calc.py": "def add(a, b): return a - b\ndef zero(): return 0\n"}
RIGHT = {"calc.py": "def add(a, b): return a + b\ndef zero(): return 0\n"}
UNITTEST = """
import unittest
from calc import add, zero

class AddTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_zero(self):
        self.assertEqual(zero(), 0)
"""
JUNIT = """
import sys
from calc import add, zero

rows = []
for name, good in (("add", add(1, 2) == 3), ("zero", zero() == 0)):
    inside = "" if good else '<failure message="no"/>'
    rows.append(f'<testcase classname="calc" name="{name}">{inside}</testcase>')
open(sys.argv[1], "w").write(f"<testsuites><testsuite>{''.join(rows)}</testsuite></testsuites>")
"""
TAP = """
from calc import add, zero
print("TAP version 13\\n1..2")
print(("ok" if add(1, 2) == 3 else "not ok") + " 1 - add")
print(("ok" if zero() == 0 else "not ok") + " 2 - zero # the neutral element")
"""
KINDS = {
    "unittest": (
        UNITTEST,
        ("{python}", "-m", "unittest", "-v", "tests.test_it"),
        ("tests.test_it.AddTest.test_add", "tests.test_it.AddTest.test_zero"),
    ),
    "junit": (JUNIT, ("{python}", "{hidden}/tests/test_it.py", "{results}"), ("calc::add", "calc::zero")),
    "tap": (TAP, ("{python}", "{hidden}/tests/test_it.py"), ("add", "zero")),
}


def _case(kind: str) -> EvalCase:
    tests, command, (fail, ok) = KINDS[kind]
    made = make_case(WRONG, tests, RIGHT, fail=("x",))
    spec = ExecutionSpec(
        fail_to_pass=(fail,),
        pass_to_pass=(ok,),
        tier="command",
        command=command,
        results=kind,
        limits=msgspec.structs.replace(made.grader_spec.limits, cpu_s=2),
    )
    return msgspec.structs.replace(made, grader_spec=spec)


@pytest.mark.parametrize("kind", KINDS)
def test_other_runners(kind: str, grading: Grading) -> None:
    """A command whose results are JUnit, TAP or unittest's text: reference, base and a hanging tree, and the label."""
    case = _case(kind)
    check = check_case(case, grading, repeats=1)
    assert check.ok, check
    assert check.tier.startswith("command@")
    good = grading.grade(case, whole_files(RIGHT))
    assert isinstance(good, Verdict)
    assert good.passed
    assert "execution/command@" in good.detail
    for source in ("import os; os._exit(0)", "while True: pass", "def add("):
        bad = grading.grade(case, whole_files({"calc.py": source}))
        assert isinstance(bad, Verdict)
        assert not bad.passed


def test_a_command_and_its_tier_go_together():
    """One without the other is an error of the suite."""
    with pytest.raises(SuiteError, match="go together"):
        ExecutionSpec(fail_to_pass=("a",), tier="command")
    with pytest.raises(SuiteError, match="go together"):
        ExecutionSpec(fail_to_pass=("a",), command=("x",))


def test_junit_by_the_rules():
    """Skipped, failed, errored, doubled and bombs of entities are no passes."""
    text = (
        '<testsuite><testcase classname="a" name="ok"/><testcase classname="a" name="skip"><skipped/></testcase>'
        '<testcase classname="a" name="bad"><error message="e"/></testcase><testcase classname="a" name="two"/>'
        '<testcase classname="a" name="two"/></testsuite>'
    )
    assert {k: v.passed for k, v in read_junit(text.encode()).items()} == {
        "a::ok": True,
        "a::skip": False,
        "a::bad": False,
        "a::two": False,
    }
    bomb = '<!DOCTYPE l [<!ENTITY a "aaaa">]><testsuite><testcase classname="a" name="ok"/></testsuite>'
    assert read_junit(bomb.encode()) == {}


def test_tap_by_the_rules():
    """Directives, missing numbers and repeats."""
    text = "ok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP no\nok - d\nok 5 e\nok 6 - a\n# ok 7 - f\nok\t8  g  #h\nokay i"
    assert {k: v.passed for k, v in read_tap(text).items()} == {
        "a": False,
        "b": False,
        "c": False,
        "d": True,
        "e": True,
        "g": True,
    }


def test_a_run_that_is_given_up():
    """Nothing has passed in a run that says so, what it reported before included; the reason is said."""
    text = "ok 1 - a\nnot ok 2 - b # broken\n    Bail out! of a part\nBail out! No database.\n"
    assert {k: v.why for k, v in read_tap(text).items()} == {
        "a": "the run was given up: Bail out! No database.",
        "b": "broken",
    }
    assert read_tap("ok 1 - a\n    Bail out! of a part\nNo bail out!\n")["a"].passed


def test_unittest_by_the_rules():
    """Both forms of the verbose text, with and without a docstring."""
    text = (
        "test_a (m.T.test_a) ... ok\ntest_b (m.T)\nWhat b does. ... FAIL\n"
        "test_c (m.T.test_c) ... skipped 'no'\ntest_d (m.T.test_d) ... expected failure\n"
    )
    assert {k: v.passed for k, v in read_unittest(text).items()} == {
        "m.T.test_a": True,
        "m.T.test_b": False,
        "m.T.test_c": False,
        "m.T.test_d": False,
    }


def test_unittest_beside_what_tests_write():
    """What is written to the same stream hides no result, and makes none; a part of a test that fails fails it."""
    text = (
        "starting uptest_a (m.T.test_a) ... calling ok\na line\nok\ntest_b (m.T.test_b) ... 3 are fine ok\nFAIL\n"
        "test_c (m.T.test_c) ... \n  test_c (m.T.test_c) (i=1) ... FAIL\n  test_c (m.T.test_c) (i=2) ... ERROR\n"
        "test_d (m.T.test_d) ... skipped 3 files\nok\ntest_e (m.T.test_e) ... \ntest_f (m.T.test_f) ... at 3 %ok\n"
        f"\n{'=' * 70}\nFAIL: test_b (m.T.test_b)\n{'-' * 70}\nit said FAIL\n\n{'-' * 70}\nRan 6 tests\n"
    )
    assert {k: v.passed for k, v in read_unittest(text).items()} == {
        "m.T.test_a": True,
        "m.T.test_b": False,
        "m.T.test_c": False,
        "m.T.test_d": True,
        "m.T.test_e": False,
        "m.T.test_f": True,
    }


CHATTY = {
    "calc.py": "import os, sys\nos.write(2, b'up')\ndef zero(): return 0\n"
    "def add(a, b):\n    os.write(2, b'adding')\n    print('and to this', flush=True)\n    return a + b\n"
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_candidate_writes_hides_no_result(kind: str, grading: Grading) -> None:
    """An honest program that writes to standard error without ends of lines is resolved, whatever the results."""
    verdict = grading.grade(_case(kind), whole_files(CHATTY))
    assert isinstance(verdict, Verdict)
    assert verdict.passed, verdict


LOUD = "print('ok x' * 2000, flush=True)\n"
SAID = {
    "bails out": ("tap", "print('Bail out! No more.')\n", "the run was given up: Bail out! No more."),
    "too long": ("tap", LOUD, "code 0, and its output was longer than output_kb"),
    "no results": ("junit", "raise SystemExit(3)\n", "code 3, and it wrote no results"),
    "broken results": ("junit", "import os, sys\nopen(sys.argv[1], 'w').write('<a')\nos._exit(0)\n", "are no XML"),
    "typed results": (
        "junit",
        "import os, sys\nopen(sys.argv[1], 'w').write('<!DOCTYPE a><a/>')\nos._exit(0)\n",
        "its results declare a type of document",
    ),
    "endless results": (
        "junit",
        "import os, sys\nopen(sys.argv[1], 'w').truncate(100 << 20)\nos._exit(0)\n",
        "its results could not be read to their end",
    ),
}


@pytest.mark.parametrize(("kind", "code", "why"), SAID.values(), ids=SAID)
def test_why_a_report_lacks_a_test(kind: str, code: str, why: str, grading: Grading) -> None:
    """Beside how the command ended the detail says what is wrong with the report as a whole."""
    case = _case(kind)
    limits = msgspec.structs.replace(case.grader_spec.limits, output_kb=4, file_mb=200)
    case = msgspec.structs.replace(case, grader_spec=msgspec.structs.replace(case.grader_spec, limits=limits))
    verdict = grading.grade(case, whole_files({"calc.py": code + RIGHT["calc.py"]}))
    assert isinstance(verdict, Verdict)
    assert not verdict.passed
    assert why in verdict.detail


ODD_XML = {
    "an encoding that is none": b'<?xml version="1.0" encoding="wobble"?><a/>',
    "an encoding not of text": b'<?xml version="1.0" encoding="rot13"?><a/>',
    "an encoding of many bytes": b'<?xml version="1.0" encoding="shift_jis"?><a/>',
    "a type in another encoding": '<!DOCTYPE a [<!ENTITY b "c">]><a><testcase name="ok"/></a>'.encode("utf-16"),
    "too many elements": b"<a>" + b"<testcase/>" * 1_600_000 + b"</a>",
    "depth without end": b"<a>" * 300_000,
}


@pytest.mark.parametrize("data", ODD_XML.values(), ids=ODD_XML)
def test_junit_that_a_candidate_wrote_is_a_failure_and_never_a_fault(data):
    """Whatever stands in the file, there is a verdict: an answer that ends in a fault would never be counted."""
    assert read_junit(data) == {}


@given(st.text())
def test_readers_never_raise(text):
    """Any text at all is read or passed over."""
    read_tap(text)
    read_unittest(text)
    read_junit(text.encode())
