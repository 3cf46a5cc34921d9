import pytest
from click.testing import CliRunner

from passband.aggregate import read_quarantine
from passband.cli.app import cli
from passband.errors import UsageError
from passband.records import EvalCase, PredicateSpec
from passband.suite import EvalSuite, dump_jsonl, load_suite
from tests.stored import store_run

GRADER = """
import pathlib


def coin(answer, case):
    '''Pass every other time it is asked about the case called flaky.'''
    if case.id != "flaky":
        return True
    path = pathlib.Path("asked")
    asked = len(path.read_text()) if path.exists() else 0
    path.write_text("x" * (asked + 1))
    return asked % 2 == 0
"""


@pytest.fixture
def graded(tmp_path, monkeypatch):
    """A run of a suite with one case whose grader changes its mind."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "coin_grader.py").write_text(GRADER)
    spec = PredicateSpec(target="coin_grader:coin")
    cases = tuple(EvalCase(id=name, inputs={"q": name}, grader_spec=spec) for name in ("flaky", "steady"))
    (tmp_path / "suite.jsonl").write_bytes(dump_jsonl(EvalSuite("suite", cases)))
    version = load_suite("suite.jsonl").version
    store_run("s.db", "run", {"flaky": "P1P1", "steady": "P1P2"}, suite="suite", suite_version=version)


def invoke(*arguments):
    return CliRunner().invoke(cli, [*arguments, "--store", "s.db"], standalone_mode=False)


def test_regrading_finds_the_flaky_case_and_writes_a_quarantine(graded, tmp_path):
    """A case that always passed is found flaky when graded again; compare and gate then leave it out and say so."""
    assert invoke("flaky", "run").return_value == 0
    result = invoke("flaky", "run", "--suite", "suite.jsonl", "--regrade", "4", "-o", "q.toml", "--workers", "1")
    assert result.exception is None
    assert result.return_value == 1
    assert "1 flaky" in result.output
    assert [case.id for case in read_quarantine(tmp_path / "q.toml").case] == ["flaky"]
    version = load_suite("suite.jsonl").version
    store_run("s.db", "other", {"flaky": "F1F1", "steady": "P1P2"}, suite="suite", suite_version=version)
    text = invoke("compare", "run", "other", "--quarantine", "q.toml").output
    assert "quarantine: 1 case of run set aside (flaky)" in text
    assert "1 task × 2" in text
    (tmp_path / "gate.toml").write_text('[[rule]]\nkind = "case_floor"\nmin = 50\n')
    assert invoke("gate", "other").return_value != 0
    passed = invoke("gate", "other", "--quarantine", "q.toml")
    assert passed.return_value == 0
    assert "set aside" in passed.output


def test_regrading_needs_the_suite_of_the_run(graded, tmp_path):
    """Without the suite, or with another version of it, nothing is graded again."""
    assert "give --suite" in str(invoke("flaky", "run", "--regrade", "2").exception)
    case = EvalCase(id="other", inputs={}, grader_spec=PredicateSpec(target="coin_grader:coin"))
    (tmp_path / "other.jsonl").write_bytes(dump_jsonl(EvalSuite("suite", (case,))))
    error = invoke("flaky", "run", "--suite", "other.jsonl", "--regrade", "2").exception
    assert isinstance(error, UsageError)
    assert "the run is of" in str(error)


@pytest.mark.parametrize("letters", ["P1F2", "EE"])
def test_a_run_in_which_nothing_was_graded_twice_is_unknown(letters):
    """Without a repeated grading nobody knows whether verdicts vary: neither steady nor flaky, and exit code 3."""
    store_run("s.db", "run", {"a": letters})
    result = invoke("flaky", "run")
    assert result.return_value == 3
    assert result.output.startswith("UNKNOWN  run")
