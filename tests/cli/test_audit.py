import json

import pytest

from tests.stored import store_run

from .runner import passband

AGENT = '''
def reads(view, seed):
    """Answers with what stands behind "answer:", where something does."""
    return view.inputs["q"].partition("answer: ")[2].split(".")[0] or "no idea"
'''


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Twelve questions, half of which hold their own answer, and a subject that only reads answers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text(AGENT)
    with (tmp_path / "suite.jsonl").open("w") as stream:
        for i in range(12):
            answer = f"the secret of number {i}"
            hint = f" answer: {answer}." if i % 2 else ""
            case = {
                "id": f"q{i:02}",
                "inputs": {"q": f"What is {i}?{hint}"},
                "reference": answer,
                "grader_spec": {"kind": "exact_match"},
            }
            stream.write(json.dumps(case) + "\n")


ASK = ("suite", "audit", "-", "suite.jsonl", "--subject", "python:agent:reads", "-n", "2", "--store", "audit.db")


def test_a_leak_that_a_subject_lives_on_is_measured(suite):
    """A subject that reads its answers passes with them and fails without: paired, with an interval, and said."""
    ran = passband(*ASK, "--unsafe", "--format", "json")
    assert ran.code == 1, ran.err
    found = json.loads(ran.out)["removed"]["fix-in-issue"]
    assert (found["n_cases"], found["samples"], found["rates"], found["verdict"]) == (6, 2, [0.0, 1.0], "better")
    assert found["difference"]["estimate"]["low"] > 0
    text = passband(*ASK, "--unsafe").out
    assert "pass@1 is 100.0 with it and 0.0 without, on 6 cases × 2, paired" in " ".join(text.split())
    assert "it moves the number" in text


def test_both_runs_are_kept_and_not_drawn_again(suite):
    """The samples of an earlier audit are taken from the store: two runs, of suite and scrubbed copy."""
    for _ in range(2):
        assert passband(*ASK, "--unsafe").code == 1
    runs = json.loads(passband("runs", "--store", "audit.db", "--format", "json").out)
    assert len(runs) == 2


def test_a_subject_without_a_verdict_measures_nothing(suite, tmp_path):
    """Where every sample errors the audit still stands, and says that nothing could be measured."""
    (tmp_path / "agent.py").write_text("def reads(view, seed):\n    raise OSError('no line')\n")
    ran = passband(*ASK, "--unsafe")
    assert ran.code == 1, ran.err
    assert "fix-in-issue can't be measured" in " ".join(ran.out.split())


def test_a_channel_is_measured_on_a_run_of_the_suite_alone(suite):
    """A run without any case of the suite is refused, and so is a run held against itself."""
    store_run("s.db", "other", {"zz": "PF"})
    foreign = passband("suite", "audit", "-", "suite.jsonl", "--measure", "other", "--store", "s.db")
    assert foreign.code == 2
    assert "has no case of suite" in foreign.err
    twice = passband(
        *("suite", "audit", "-", "suite.jsonl", "--measure", "other", "--baseline", "other", "--store", "s.db")
    )
    assert twice.code == 2
    assert "named twice" in twice.err
