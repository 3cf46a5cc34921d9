"""The built-in suite keeps its promises: each case fails before its repair, passes after it, gives nothing away."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import pytest

import passband.suite
from passband.records import DEFAULT_FORBIDDEN

BUILTIN = Path(passband.suite.__file__).parent / "builtin"
CASES = {path.parent.name: path.parent for path in sorted(BUILTIN.glob("cases/*/case.toml"))}
KINDS = (
    "boundary",
    "aliasing",
    "state",
    "parsing",
    "ordering",
    "encoding",
    "dates",
    "recursion",
    "caching",
    "float",
    "mutation",
)

# Writes what became of each test id; pytest's own reports would have to be parsed back into ids.
REPORTER = """
import json, pathlib

outcomes = {}

def pytest_runtest_logreport(report):
    if report.failed or report.when == "call":
        outcomes[report.nodeid] = "failed" if report.failed else report.outcome

def pytest_sessionfinish(session):
    pathlib.Path("../outcomes.json").write_text(json.dumps(outcomes))
"""

every_case = pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))


def read(case: Path) -> dict[str, Any]:
    """The case file's content."""
    return tomllib.loads((case / "case.toml").read_text(encoding="utf-8"))


def functions(folder: Path) -> dict[str, set[str]]:
    """Names of the functions and methods in each Python file below a folder, by path relative to its parent."""
    return {
        path.relative_to(folder.parent).as_posix(): {
            node.name for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, ast.FunctionDef)
        }
        for path in sorted(folder.rglob("*.py"))
    }


def source_lines(*folders: Path) -> int:
    """How many lines of Python the folders hold."""
    return sum(len(path.read_bytes().splitlines()) for folder in folders for path in folder.rglob("*.py"))


def run_tests(case: Path, tree: Path, patch: Path | None = None) -> dict[str, dict[str, str]]:
    """Outcome by test id, for ``hidden`` and ``visible`` tests, on a copy of a case with or without a patch."""
    clean = ignore_patterns("__pycache__", "*.pyc")
    copytree(case / "repo", tree / "repo", ignore=clean)
    copytree(case / "hidden", tree / "hidden", ignore=clean)
    if patch:
        subprocess.run(["git", "apply", "--verbose", patch], cwd=tree / "repo", check=True, capture_output=True)
    (tree / "reporter").mkdir()
    (tree / "reporter" / "passband_reporter.py").write_text(REPORTER, encoding="utf-8")
    plugins = ["-p", "no:cacheprovider", "-p", "pytest_timeout", "-p", "passband_reporter"]
    options = [
        "-q",
        "--tb=no",
        "--import-mode=importlib",
        "--timeout=4",
        f"--rootdir={tree}",
        "-c",
        os.devnull,
        "-W",
        "error",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, *options, tree / "hidden", tree / "repo" / "tests"],
        cwd=tree / "repo",
        env={
            "PATH": os.defpath,
            "PYTHONPATH": f"{tree / 'repo'}{os.pathsep}{tree / 'reporter'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    report = tree / "outcomes.json"
    assert report.exists(), done.stdout + done.stderr
    outcomes: dict[str, dict[str, str]] = {"hidden": {}, "visible": {}}
    for test, outcome in json.loads(report.read_text(encoding="utf-8")).items():
        part, _, name = test.partition("/")
        outcomes["hidden" if part == "hidden" else "visible"][name] = outcome
    return outcomes


def test_suite_file_names_the_suite_and_its_limits():
    """``suite.toml`` gives a name, a description and an execution grader with limits."""
    suite = tomllib.loads((BUILTIN / "suite.toml").read_text(encoding="utf-8"))
    assert suite["name"] == "workshop"
    assert suite["description"]
    spec = suite["defaults"]["grader_spec"]
    assert spec["kind"] == "execution"
    assert set(spec["limits"]) == {"wall_s", "cpu_s", "mem_mb"}


def test_there_are_enough_cases_of_every_kind():
    """At least 26 cases; each kind of bug stands at least twice, each difficulty at least five times."""
    slices = [read(case)["slices"] for case in CASES.values()]
    assert len(CASES) >= 26
    bugs = Counter(entry["bug"] for entry in slices)
    assert [kind for kind in KINDS if bugs[kind] < 2] == []
    difficulties = Counter(entry["difficulty"] for entry in slices)
    assert set(difficulties) == {"easy", "medium", "hard"}
    assert min(difficulties.values()) >= 5


def test_enough_cases_bring_tempting_wrong_patches():
    """At least six cases, clamp-trap among them, hold patches that must stay unresolved."""
    tempting = {name for name, case in CASES.items() if any(case.glob("wrong/*.patch"))}
    assert len(tempting) >= 6
    assert "clamp-trap" in tempting


def test_add_bug_is_the_worked_example():
    """The case of the worked trace: one negative test fails, a positive one passes, one file may be edited."""
    case = read(CASES["add-bug"])
    assert "test_negative" in {test.rpartition("::")[2] for test in case["FAIL_TO_PASS"]}
    assert "test_positive" in {test.rpartition("::")[2] for test in case["PASS_TO_PASS"]}
    spec = case["grader_spec"]
    assert spec["allowed_files"] == ["calc.py"]
    assert set(spec["forbidden"]) == {*DEFAULT_FORBIDDEN, "**/secrets.py"}


@every_case
def test_case_file_is_complete(case: Path):
    """Four to ten ids, one to four of them failing first, both slices, allowed files, an issue of some length."""
    content = read(case)
    failing, passing = content["FAIL_TO_PASS"], content["PASS_TO_PASS"]
    assert 1 <= len(failing) <= 4
    assert 4 <= len({*failing, *passing}) == len(failing) + len(passing) <= 10
    assert set(content["slices"]) == {"bug", "difficulty"}
    assert content["grader_spec"]["allowed_files"]
    assert len(content["inputs"]["issue"].split()) >= 25
    assert set(content) <= {"FAIL_TO_PASS", "PASS_TO_PASS", "tags", "inputs", "slices", "grader_spec"}


@every_case
def test_ids_and_hidden_tests_are_the_same(case: Path):
    """Every id names a function in the hidden tests, and every hidden test has an id."""
    content = read(case)
    listed = {
        (file, name.rpartition("::")[2].partition("[")[0])
        for test in content["FAIL_TO_PASS"] + content["PASS_TO_PASS"]
        for file, _, name in [test.partition("::")]
    }
    defined = {
        (file, name)
        for file, names in functions(case / "hidden" / "tests").items()
        for name in names
        if name.startswith("test_")
    }
    assert listed == defined


@every_case
def test_nothing_gives_the_hidden_tests_away(case: Path):
    """Neither the issue nor any file of the tree contains the name of a hidden test or of its file."""
    hidden = functions(case / "hidden" / "tests")
    names = {name for found in hidden.values() for name in found if name.startswith("test_")}
    names |= {Path(file).name for file in hidden}
    texts = [path.read_text(encoding="utf-8") for path in (case / "repo").rglob("*") if path.suffix in {".py", ".md"}]
    texts += [read(case)["inputs"]["issue"], *(path.name for path in (case / "repo").rglob("*"))]
    assert [name for name in names for text in texts if re.search(rf"\b{re.escape(name)}\b", text)] == []


@every_case
def test_tree_is_a_small_repository(case: Path):
    """Three modules or more, visible tests, 60 to 200 lines with the hidden tests, plain UTF-8 files and no links."""
    modules = [path for path in (case / "repo").rglob("*.py") if path.relative_to(case / "repo").parts[0] != "tests"]
    assert len(modules) >= 3
    assert list((case / "repo" / "tests").glob("test_*.py"))
    assert 60 <= source_lines(case / "repo", case / "hidden") <= 200
    for path in case.rglob("*"):
        assert not path.is_symlink()
        if path.is_file() and path.suffix != ".pyc":
            path.read_text(encoding="utf-8")
            crlf = b"\r" in path.read_bytes()
            assert crlf == (path.name == "windows.ini"), path


@every_case
def test_patches_edit_only_allowed_files(case: Path):
    """Reference and wrong patches touch existing or new files within ``allowed_files`` and nothing forbidden."""
    allowed = read(case)["grader_spec"]["allowed_files"]
    for patch in [case / "reference.patch", *case.glob("wrong/*.patch")]:
        edited = re.findall(r"^diff --git a/(\S+) b/(\S+)$", patch.read_text(encoding="utf-8"), re.MULTILINE)
        assert edited
        for old, new in edited:
            assert old == new
            assert any(new == glob or new.startswith(glob.removesuffix("**")) for glob in allowed), new
            assert not new.startswith("tests/")


@pytest.mark.slow
@every_case
def test_case_fails_before_and_passes_after(case: Path, tmp_path: Path):
    """The tree fails exactly FAIL_TO_PASS; the reference passes everything; every wrong patch fails something."""
    content = read(case)
    failing, passing = set(content["FAIL_TO_PASS"]), set(content["PASS_TO_PASS"])
    base = run_tests(case, tmp_path / "base")
    assert base["hidden"] == dict.fromkeys(failing, "failed") | dict.fromkeys(passing, "passed")
    assert set(base["visible"].values()) == {"passed"}
    repaired = run_tests(case, tmp_path / "reference", case / "reference.patch")
    assert repaired["hidden"] == dict.fromkeys(failing | passing, "passed")
    assert set(repaired["visible"].values()) == {"passed"}
    for patch in sorted(case.glob("wrong/*.patch")):
        tempting = run_tests(case, tmp_path / patch.stem, patch)
        assert "failed" in tempting["hidden"].values(), f"{patch.name} resolves the case"
