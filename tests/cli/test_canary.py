import pytest
from click.testing import CliRunner

from passband.cli.app import cli
from passband.errors import DataError, UsageError
from passband.records import EvalCase, ExactMatchSpec
from passband.suite import EvalSuite, dump_jsonl

SUBJECT = """
def always(view, seed):
    return view.inputs["q"]
"""
PLAN = 'suite = "suite.jsonl"\n[[subject]]\nspec = "python:canary_subject:always"\nn = 3\n'


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A recorded canary of a subject that repeats the question."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "canary_subject.py").write_text(SUBJECT)
    write(tmp_path, reference="a")
    (tmp_path / "canary.toml").write_text(PLAN)
    result = invoke("record", "canary.toml")
    assert result.exception is None, result.exception


def write(folder, *, reference):
    cases = tuple(
        EvalCase(id=name, inputs={"q": name}, grader_spec=ExactMatchSpec(), reference=reference) for name in ("a", "b")
    )
    (folder / "suite.jsonl").write_bytes(dump_jsonl(EvalSuite("suite", cases)))


def invoke(*arguments):
    return CliRunner().invoke(cli, ["canary", *arguments], standalone_mode=False)


def test_the_same_harness_holds_and_a_changed_reference_is_seen(recorded, tmp_path):
    """Checked at once it holds; with another reference in the suite the canary's score moves."""
    held = invoke("check", "canary.json")
    assert held.exception is None
    assert held.return_value == 0
    assert held.output.startswith("HELD")
    write(tmp_path, reference="b")
    moved = invoke("check", "canary.json")
    assert moved.return_value == 1
    assert "6 of 6 verdicts turned" in moved.output
    assert "suite_version" in moved.output


def test_files_that_are_no_canary_are_refused(recorded, tmp_path):
    """A missing recording, a broken plan and an unknown key are one-line errors."""
    assert isinstance(invoke("check", "none.json").exception, DataError)
    (tmp_path / "bad.toml").write_text(PLAN + "tolerence = 3\n")
    error = invoke("record", "bad.toml").exception
    assert isinstance(error, UsageError)
    assert "tolerence" in str(error)
