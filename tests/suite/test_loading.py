import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from passband.errors import DataError, SuiteError, UnknownNameError
from passband.records import EvalCase, ExactMatchSpec, ExecutionSpec
from passband.suite import EvalSuite, case_digest, dump_jsonl, load_suite


def write_suite(root: Path, **cases: dict) -> Path:
    """Write a suite folder of one-file cases."""
    root.mkdir()
    (root / "suite.toml").write_text('name = "small"\n[defaults.grader_spec.limits]\nwall_s = 5\n')
    for name, files in cases.items():
        folder = root / "cases" / name
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


CASE = {
    "case.toml": 'FAIL_TO_PASS = ["tests/test_a.py::test_a"]\n[inputs]\nissue = "broken"\n[slices]\nbug = "float"\n',
    "repo/a.py": "x = 1\n",
    "repo/pkg/data.bin": b"\xff\0",
    "hidden/tests/test_a.py": "def test_a(): pass\n",
    "reference.patch": "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n",
}


@pytest.fixture
def folder(tmp_path):
    """A suite folder with two cases."""
    return write_suite(tmp_path / "small", one=CASE, two=CASE)


def test_a_folder_loads_whole(folder):
    """Every part of a case folder arrives in its place."""
    suite = load_suite(str(folder))
    case = suite.case("one")
    assert (suite.name, len(suite)) == ("small", 2)
    assert dict(case.workspace) == {"a.py": b"x = 1\n", "pkg/data.bin": b"\xff\0"}
    assert dict(case.hidden) == {"tests/test_a.py": b"def test_a(): pass\n"}
    assert case.reference == CASE["reference.patch"]
    assert case.grader_spec.fail_to_pass == ("tests/test_a.py::test_a",)
    assert case.grader_spec.limits.wall_s == 5
    assert (case.inputs["issue"], case.slices["bug"]) == ("broken", "float")


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("repo/a.py", "x = 1 \n"),
        ("repo/new.py", ""),
        ("hidden/tests/test_a.py", "def test_a(): assert 1\n"),
        ("reference.patch", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n"),
        ("case.toml", CASE["case.toml"].replace("broken", "Broken")),
        ("case.toml", CASE["case.toml"] + 'difficulty = "easy"\n'),
    ],
)
def test_one_changed_byte_moves_the_version(folder, path, content):
    """Whatever of a case changes, the version moves, and it comes back with the content."""
    before = load_suite(str(folder)).version
    target = folder / "cases/one" / path
    kept = target.read_bytes() if target.exists() else None
    target.write_text(content)
    assert load_suite(str(folder)).version != before
    target.unlink() if kept is None else target.write_bytes(kept)
    assert load_suite(str(folder)).version == before


def test_version_ignores_what_is_not_content(folder, tmp_path):
    """File order, byte code, the folder's place and its name leave the version alone."""
    before = load_suite(str(folder)).version
    cache = folder / "cases/one/repo/__pycache__"
    cache.mkdir()
    (cache / "a.pyc").write_bytes(b"code")
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder, moved)
    (moved / "suite.toml").write_text((folder / "suite.toml").read_text().replace("small", "other"))
    assert load_suite(str(moved)).version == before


def test_version_is_the_same_in_another_process(folder):
    """Hash randomisation and a fresh interpreter change nothing."""
    code = f"from passband.suite import load_suite; print(load_suite({str(folder)!r}).version)"
    versions = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert versions == {f"{load_suite(str(folder)).version}\n".encode()}


def test_folder_and_jsonl_have_one_version(folder, tmp_path):
    """The same content has the same version, whichever way it is stored."""
    suite = load_suite(str(folder))
    path = tmp_path / "small.jsonl"
    lines = dump_jsonl(suite).splitlines(keepends=True)
    path.write_bytes(b"\n".join(reversed(lines)))
    shuffled = [json.dumps(dict(reversed(json.loads(line).items()))) for line in lines]
    assert load_suite(str(path)).version == suite.version
    path.write_text("\n".join(shuffled))
    assert load_suite(str(path)).version == suite.version


def test_a_python_function_gives_a_suite(tmp_path, monkeypatch):
    """A function beside the user's work may return the suite; its predicates are part of the version."""
    source = (
        "from passband.suite import EvalSuite\nfrom passband.suite.table import case_from_table\n"
        "def judge(text, case): return text == 'x'\n"
        "def build():\n    table = {'id': 'a', 'grader_spec': {'kind': 'predicate', 'target': 'suite_of_mine:judge'}}\n"
        "    return EvalSuite('mine', (case_from_table(table, where='build'),))\n"
    )
    Path("suite_of_mine.py").write_text(source)
    suite = load_suite("python:suite_of_mine:build")
    assert len(suite.cases[0].grader_spec.digest) == 64
    assert suite.name == "mine"


BAD_CASES = {
    "broken TOML": ("case.toml", "a = 1\nb = = 2", "is not TOML.*line 2"),
    "not UTF-8": ("case.toml", b"x = '\xff'", "not UTF-8"),
    "unknown key": ("case.toml", 'FAIL_TO_PAS = ["t"]', "did you mean 'FAIL_TO_PASS'"),
    "no grading": ("case.toml", '[inputs]\nissue = "x"', "how it is graded"),
    "NaN": ("case.toml", CASE["case.toml"].replace('"broken"', '"x"\nn = nan'), "nan has no place"),
    "big integer": ("case.toml", CASE["case.toml"].replace('"broken"', '"x"\nn = 9007199254740992'), "not exact"),
    "date": ("case.toml", CASE["case.toml"].replace('"broken"', '"x"\nn = 2020-01-01'), "type date"),
    "wrong type": ("case.toml", "FAIL_TO_PASS = 1", r"case.toml.FAIL_TO_PASS: Expected `array`"),
    "text for a list": ("case.toml", 'FAIL_TO_PASS = "t"', r"case.toml.FAIL_TO_PASS: Expected `array`, got `str`"),
    "a number in a list": ("case.toml", 'FAIL_TO_PASS = ["t"]\nPASS_TO_PASS = [1]', r"case.toml.PASS_TO_PASS: .*int"),
    "empty tests": ("case.toml", "FAIL_TO_PASS = []", "case.toml: FAIL_TO_PASS names no test"),
    "one test in both": (
        "case.toml",
        'FAIL_TO_PASS = ["t"]\nPASS_TO_PASS = ["t"]',
        "case.toml: test 't' stands in both FAIL_TO_PASS and PASS_TO_PASS",
    ),
    "unknown tier": (
        "case.toml",
        CASE["case.toml"] + '[grader_spec]\ntier = "docker"',
        "grader_spec: no tier named 'docker'; there are: auto, command, pytest, split",
    ),
    "unknown results": (
        "case.toml",
        CASE["case.toml"] + '[grader_spec]\nresults = "junitt"',
        "no results named 'junitt'; did you mean 'junit'",
    ),
    "bad limit": ("case.toml", CASE["case.toml"] + "[grader_spec.limits]\nwall_s = -1", "above zero"),
    "endless limit": ("case.toml", CASE["case.toml"] + "[grader_spec.limits]\nwall_s = 1e99", "at most"),
    "huge limit": ("case.toml", CASE["case.toml"] + "[grader_spec.limits]\nmem_mb = 99999999999", "at most"),
    "unknown limit": ("case.toml", CASE["case.toml"] + "[grader_spec.limits]\nwalls = 1", "walls"),
    "unknown grader": ("case.toml", CASE["case.toml"] + '[grader_spec]\nkind = "guess"', "guess"),
    "slice not text": ("case.toml", CASE["case.toml"].replace('"float"', "3"), "must be text"),
    "a .git folder": ("repo/.git/config", "x", "history may hold the fix"),
    "files in TOML": ("case.toml", CASE["case.toml"] + '[workspace]\na = "x"', "repo/ and hidden/"),
}


@pytest.mark.parametrize(("path", "content", "words"), BAD_CASES.values(), ids=BAD_CASES)
def test_bad_cases_are_one_clear_error(folder, path, content, words):
    """Each fault of a case is an error that names the file and the fault."""
    target = folder / "cases/one" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError, match=words) as caught:
        load_suite(str(folder))
    assert "one" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = 3", "suite.toml.name: must be text, not 3"),
        ("description = ['a']", "suite.toml.description: must be text"),
        ("defaults = 3", "suite.toml.defaults: must be a table, not int"),
        ("[defaults]\ngrader_spec = 'x'", "suite.toml.defaults.grader_spec: must be a table, not str"),
    ],
)
def test_the_head_of_a_suite_says_what_it_may(folder, text, words):
    """A name that is no text, and defaults that are no table, are errors in that place."""
    (folder / "suite.toml").write_text(text + "\n")
    with pytest.raises(SuiteError, match=words):
        load_suite(str(folder))


def test_symbolic_links_stay_inside(folder, tmp_path):
    """A link out of the suite is refused, a link to a folder too; one to a file inside is read as that file."""
    repo = folder / "cases/one/repo"
    (repo / "same.py").symlink_to("a.py")
    assert load_suite(str(folder)).case("one").workspace["same.py"] == b"x = 1\n"
    outside = tmp_path / "secret"
    outside.write_text("s")
    (repo / "out.py").symlink_to(outside)
    with pytest.raises(SuiteError, match="out of the suite"):
        load_suite(str(folder))
    (repo / "out.py").unlink()
    (repo / "loop").symlink_to(".")
    with pytest.raises(SuiteError, match="link to a folder"):
        load_suite(str(folder))
    (repo / "loop").unlink()
    (repo / "dangling").symlink_to("nowhere")
    with pytest.raises(SuiteError, match="dangling"):
        load_suite(str(folder))


def test_special_files_are_refused(folder):
    """A pipe in a repo is an error, not a program that hangs."""
    os.mkfifo(folder / "cases/one/repo/pipe")
    with pytest.raises(SuiteError, match="not a regular file"):
        load_suite(str(folder))


BAD_LINES = {
    "not JSON": ("{", "x.jsonl:1: is not JSON"),
    "not an object": ("[]", "not a JSON object"),
    "NaN": ('{"id": "a", "reference": "", "inputs": {"x": NaN}, "grader_spec": {"kind": "exact_match"}}', "nan"),
    "big integer": (
        '{"id": "a", "reference": "", "inputs": {"x": 18446744073709551617}, "grader_spec": {"kind": "exact_match"}}',
        "exact",
    ),
    "key twice": ('{"id": "a", "id": "b"}', "'id' occurs twice"),
    "no id": ('{"grader_spec": {"kind": "exact_match"}}', "no id"),
    "id not text": ('{"id": 3, "grader_spec": {"kind": "exact_match"}}', "x.jsonl:1.id.*str"),
    "tags not a list": ('{"id": "a", "tags": "abc", "grader_spec": {"kind": "exact_match"}}', "tags.*array"),
    "unknown kind": ('{"id": "a", "grader_spec": {"kind": "exact"}}', "did you mean 'exact_match'"),
    "escaping path": ('{"id": "a", "FAIL_TO_PASS": ["t"], "workspace": {"../x": ""}}', "plain relative path"),
    "file and folder": ('{"id": "a", "FAIL_TO_PASS": ["t"], "workspace": {"x": "", "x/y": ""}}', "file and a folder"),
    "bad base64": ('{"id": "a", "FAIL_TO_PASS": ["t"], "workspace": {"x": {"base64": "*"}}}', "cannot be read"),
    "deep nesting": ('{"id": ' + "[" * 100_000, "nested too deeply"),
    "no reference": (
        '{"id": "a", "grader_spec": {"kind": "exact_match"}}',
        "x.jsonl:1: exact_match has no reference to match.*add reference",
    ),
    "reference of numbers": (
        '{"id": "a", "reference": 5, "grader_spec": {"kind": "exact_match"}}',
        "x.jsonl:1: the reference must be text, not int.*write it as text: '5'",
    ),
    "reference of a list": (
        '{"id": "a", "reference": ["x"], "grader_spec": {"kind": "exact_match"}}',
        "x.jsonl:1: the reference must be text, not list",
    ),
    "reference that is no answer": (
        '{"id": "a", "reference": {"a.py": ""}, "FAIL_TO_PASS": ["t"]}',
        "x.jsonl:1: the reference must be text, not dict",
    ),
    "surrogate": (
        '{"id": "a", "reference": "", "inputs": {"x": "\\ud800"}, "grader_spec": {"kind": "exact_match"}}',
        "surrogate",
    ),
}


@pytest.mark.parametrize(("line", "words"), BAD_LINES.values(), ids=BAD_LINES)
def test_bad_lines_are_one_clear_error(tmp_path, line, words):
    """Each fault of a line is an error that says what it is."""
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(DataError, match=words):
        load_suite(str(path))


def test_a_line_that_is_not_utf_8_is_named(tmp_path):
    """Bytes of another encoding are an error with their line; a mark at the head of the file is none."""
    path = tmp_path / "x.jsonl"
    line = '{"id": "%s", "reference": "x", "grader_spec": {"kind": "exact_match"}}\n'
    path.write_text("\ufeff" + line % "a" + line % "b")
    assert len(load_suite(str(path))) == 2
    path.write_bytes((line % "a" + line % "caf\u00e9").encode("latin-1"))
    with pytest.raises(SuiteError, match="x.jsonl:2: is not UTF-8"):
        load_suite(str(path))


def test_ids_are_unique():
    """Two cases of one id are refused, wherever they come from."""
    case = EvalCase(id="a", inputs={}, reference="x", grader_spec=ExactMatchSpec())
    with pytest.raises(SuiteError, match="two cases have the id 'a'"):
        EvalSuite("s", (case, case))


def test_an_empty_suite_is_refused(tmp_path):
    """A suite without a case has no rate."""
    path = tmp_path / "x.jsonl"
    path.write_text("\n\n")
    with pytest.raises(SuiteError, match="holds no case"):
        load_suite(str(path))


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("builtn", "did you mean 'builtin'"),
        ("no/such/suite", "no suite named"),
        ("python:nowhere:build", "cannot import"),
        ("python:os:sep", "not callable"),
        ("python:os", "module:function"),
        ("python:os:getcwd", "not an EvalSuite"),
    ],
)
def test_unknown_suites_are_one_clear_error(spec, words):
    """A suite that is not there is a usage error or says what it is instead."""
    with pytest.raises((UnknownNameError, SuiteError), match=words):
        load_suite(spec)


def test_digest_tells_strings_from_numbers():
    """One and "1" are different content."""
    one, two = (EvalCase(id="a", inputs={"x": x}, grader_spec=ExecutionSpec(fail_to_pass=("t",))) for x in (1, "1"))
    assert case_digest(one) != case_digest(two)


def test_the_builtin_suite_loads():
    """The suite that ships with the package has at least 24 cases, each with a reference and slices."""
    suite = load_suite("builtin")
    assert len(suite) >= 24
    assert all(case.reference and {"bug", "difficulty"} <= set(case.slices) for case in suite)


def test_a_byte_order_mark_is_not_content(tmp_path):
    """Editors that put a mark before UTF-8 change nothing."""
    line = '{"id": "a", "reference": "x", "grader_spec": {"kind": "exact_match"}}\n'
    plain, marked = tmp_path / "plain.jsonl", tmp_path / "marked.jsonl"
    plain.write_text(line)
    marked.write_text("\ufeff" + line)
    assert load_suite(str(plain)).version == load_suite(str(marked)).version


def test_only_suites_are_offered_for_a_misspelt_one(tmp_path):
    """What is no suite is not offered as one."""
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "mine.jsonl").write_text("x")
    with pytest.raises(UnknownNameError) as caught:
        load_suite("mien.jsonl")
    assert "mine.jsonl" in str(caught.value)
    assert "notes.txt" not in str(caught.value)
