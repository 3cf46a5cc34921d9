import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from passband.cli.app import _run, cli
from passband.errors import UsageError
from tests.stored import store_run

POLICY = '[[rule]]\nkind = "no_worse"\nmargin = 5\n\n[[rule]]\nkind = "floor"\nmin = 40\n'


@pytest.fixture
def stored(tmp_path):
    """A baseline, one like it, a worse one, and a policy."""
    (tmp_path / "gate.toml").write_text(POLICY)
    for name, letters in (("base", "PPPF"), ("like", "PPFP"), ("worse", "PFFF")):
        store_run("s.db", name, {f"c{i}": letters for i in range(30)})


def invoke(*arguments):
    return CliRunner().invoke(cli, [*arguments, "--store", "s.db"], standalone_mode=False)


@pytest.mark.parametrize(("run", "code", "word"), [("like", 0, "pass"), ("worse", 1, "fail")])
def test_exit_code_and_every_format_agree(stored, run, code, word):
    """All five formats of a decision have its exit code, and say its word."""
    outputs = {}
    for name in ("text", "json", "md", "junit", "github"):
        result = invoke("gate", run, "--baseline", "base", "--format", name)
        assert result.exception is None
        assert result.return_value == code
        outputs[name] = result.output
    assert outputs["text"].startswith(word.upper())
    assert json.loads(outputs["json"])["outcome"] == word
    assert word.upper() in outputs["md"].splitlines()[0]
    suite = ET.fromstring(outputs["junit"])[0]
    assert (suite.get("failures") == "0") == (word == "pass")
    assert outputs["github"].splitlines()[-1].startswith("::notice " if word == "pass" else "::error ")


def test_the_same_command_prints_the_same_bytes(stored):
    """A report has nothing in it that differs from one run of the command to the next."""
    assert invoke("gate", "like", "--baseline", "base").output == invoke("gate", "like", "--baseline", "base").output


def test_a_fault_in_the_policy_is_shown_under_its_line(stored, tmp_path, capsys):
    """The error is one line, the offending line with carets below it, and exit code 2."""
    (tmp_path / "gate.toml").write_text('[[rule]]\nkind = "floor"\nmni = 40\n')
    assert _run(["gate", "base", "--store", "s.db"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0].startswith("passband: error: gate.toml:3:1: unknown key 'mni'; did you mean 'min'?")
    assert said[1:] == ["    3 | mni = 40", "      | ^^^"]


def test_no_run_is_a_usage_error_and_an_example_needs_none(stored):
    """A gate without a run is refused; its example is printed without one."""
    assert isinstance(invoke("gate").exception, UsageError)
    assert "[[rule]]" in CliRunner().invoke(cli, ["gate", "--example"], standalone_mode=False).output


def test_drift_exits_with_whether_harnesses_differ(stored):
    """One harness is 0, two are 1, in text and in JSON."""
    store_run("s.db", "other", {"c0": "PP"}, sampling={"temperature": 1.0})
    assert invoke("drift", "base", "like").return_value == 0
    result = invoke("drift", "base", "other")
    assert result.return_value == 1
    assert "sampling.temperature" in result.output
    data = json.loads(invoke("drift", "base", "other", "--format", "json").output)
    assert [field["field"] for field in data["fields"]] == ["sampling.temperature"]


def test_a_suite_is_split_grown_and_written_in_parts(tmp_path):
    """The split command writes parts that are suites, and grows a split without moving a case."""
    run = CliRunner()
    made = run.invoke(
        cli,
        ["suite", "split", "builtin", "--share", "test=0.3", "-o", "a.json", "--parts", "parts", "--format", "json"],
        standalone_mode=False,
    )
    assert made.exception is None
    parts = json.loads(made.output)["parts"]
    grown = run.invoke(
        cli, ["suite", "split", "builtin", "--like", "a.json", "--format", "json"], standalone_mode=False
    )
    assert json.loads(grown.output)["parts"] == parts
    hashed = run.invoke(cli, ["suite", "hash", "parts/test.jsonl", "--format", "json"], standalone_mode=False)
    assert json.loads(hashed.output)["cases"] == len(parts["test"])
    for arguments, match in (
        (["--share", "test"], "not PART=VALUE"),
        (["--share", "test=many"], "no fraction"),
        (["--share", "../../zz=0.5", "--parts", "pp"], "'../../zz' is no name of a part"),
        (["--share", "test=0.3", "--share", "test=0.4"], "--share test=0.4 is the second for test"),
        (["--by", "time:day", "--cutoff", "a=2024-01-01", "--cutoff", "a=2024-01-02"], "is the second for a"),
        (["--by", "luck", "--share", "test=0.3"], "--by luck is unknown"),
    ):
        error = run.invoke(cli, ["suite", "split", "builtin", *arguments], standalone_mode=False).exception
        assert match in str(error)
    assert not Path("pp").exists()
