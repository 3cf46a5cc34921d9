import json
from pathlib import Path

import pytest

from passband.suite import load_suite

from .runner import passband

TEST = """\
from calc import add


def test_negative():
    assert add(1, -2) == -1


def test_positive():
    assert add(1, 2) == 3
"""


def write_suite(
    root: Path, *, test: str = TEST, reference: str = "return a + b", to_pass: str = "test_negative"
) -> Path:
    """Write a suite of one case with a bug that only negative numbers show."""
    case = root / "cases" / "add"
    for folder in ("repo", "hidden/tests"):
        (case / folder).mkdir(parents=True)
    (root / "suite.toml").write_text('name = "mine"\n')
    (case / "case.toml").write_text(
        f'FAIL_TO_PASS = ["tests/test_calc.py::{to_pass}"]\nPASS_TO_PASS = ["tests/test_calc.py::test_positive"]\n'
        '[inputs]\nissue = "add is wrong below zero"\n[grader_spec]\nallowed_files = ["calc.py"]\n'
    )
    (case / "repo/calc.py").write_text("def add(a, b):\n    return a + abs(b)\n")
    (case / "hidden/tests/test_calc.py").write_text(test)
    (case / "reference.txt").write_text(
        f"calc.py\n<<<<<<< SEARCH\n    return a + abs(b)\n=======\n    {reference}\n>>>>>>> REPLACE\n"
    )
    return root


def test_hash_prints_the_version(tmp_path):
    """The version is that of the loaded suite, in text and JSON, with a digest a case where asked."""
    root = write_suite(tmp_path / "mine")
    version = load_suite(str(root)).version
    assert passband("suite", "hash", str(root)).out == f"{version}  mine  1 case\n"
    made = json.loads(passband("suite", "hash", str(root), "--cases", "--format", "json").out)
    assert made["version"] == version
    assert list(made["digests"]) == ["add"]


def test_a_right_suite_passes_the_check(tmp_path):
    """Reference passes, base fails, an empty answer is not applied: OK and exit code 0."""
    ran = passband("suite", "check", str(write_suite(tmp_path / "mine")))
    assert ran.code == 0, ran.out + ran.err
    assert ran.out.startswith("OK  mine@")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reference": "return a - b"}, "the reference does not pass"),
        ({"reference": "return a + abs(b)"}, "the reference is not_applied"),
        ({"test": TEST.replace("== -1", "== 3")}, "passes on the unmodified tree"),
        ({"test": TEST.replace("== 3", "== 4")}, "fails on the unmodified tree"),
        ({"test": "def test_negative(:\n"}, "hidden/tests/test_calc.py is not Python"),
        ({"to_pass": "test_nowhere"}, "test_nowhere"),
    ],
)
def test_a_wrong_suite_is_named(tmp_path, changes, words):
    """Whatever makes a case unfit for use is said with the case's name, and the exit code is that of bad data."""
    ran = passband("suite", "check", str(write_suite(tmp_path / "mine", **changes)))
    assert ran.code == 4
    assert "✗ add: " in ran.out
    assert words in ran.out
    assert "BAD  mine@" in ran.out


def test_flaky_tests_are_found(tmp_path):
    """A test that passes now and then is named with its rate."""
    test = TEST.replace("add(1, -2) == -1", "add(1, -2) == -1 and __import__('os').urandom(1)[0] % 2")
    ran = passband("suite", "check", str(write_suite(tmp_path / "mine", test=test)), "-k", "12")
    assert ran.code == 4
    assert "test_negative is flaky: it passed in" in ran.out


def test_import_does_not_overwrite(tmp_path):
    """An import keeps what is there unless forced, and the result loads."""
    row = {
        "task_id": "Python/900",
        "prompt": "def f(x):\n",
        "declaration": "",
        "buggy_solution": "    return x\n",
        "canonical_solution": "    return -x\n",
        "test": "def check(f):\n    assert f(1) == -1\ncheck(f)\n",
        "entry_point": "f",
        "bug_type": "missing logic",
    }
    Path("rows.jsonl").write_text(json.dumps(row))
    assert passband("suite", "import", "humanevalpack", "rows.jsonl", "-o", "x.jsonl").code == 0
    assert len(load_suite("x.jsonl")) == 1
    ran = passband("suite", "import", "humanevalpack", "rows.jsonl", "-o", "x.jsonl")
    assert (ran.code, "is there already" in ran.err) == (2, True)
    assert passband("suite", "import", "humanevalpack", "rows.jsonl", "-o", "x.jsonl", "--force").code == 0
