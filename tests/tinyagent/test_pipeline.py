"""A checkpoint in Passband's ordinary pipeline: the numbers are those of `sample_counts`."""

import json
import subprocess
import sys

import pytest

from passband.cli.app import cli as passband_cli
from passband.compare import harness_differences
from passband.errors import DataError, UnknownNameError, UsageError
from passband.grade import Grading
from passband.records import Answer
from passband.run import plan_harness
from passband.subject import BatchSubject, load_subject, view_of
from passband.suite import load_suite
from tinyagent.checkpoint import find_checkpoint, load_checkpoint
from tinyagent.cli import cli
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness, make_tasks
from tinyagent.rollouts import sample_counts
from tinyagent.suite import gym_suite, play, solved
from tinyagent.train import train_rl

SUITE = "python:tinyagent.suite:held_out"


def counts(summary):
    """Successes of each case."""
    return {case["id"]: case["c"] for case in summary["cases"]}


def expected(name, n, seed):
    """The same by `sample_counts`, without a suite, a subject or a judge."""
    checkpoint = load_checkpoint(find_checkpoint(name))
    tasks = make_tasks("held-out")
    found = sample_counts(checkpoint.agent, tasks, checkpoint.cfg, n=n, seed=seed)
    return dict(zip([task.id for task in tasks], found.tolist(), strict=True))


@pytest.mark.parametrize("name", ["base", "step-80"])
def test_passband_run_equals_sample_counts(run_json, name):
    """``passband run`` on a shipped checkpoint gives the counts of `sample_counts`, whoever draws them."""
    summary = run_json(passband_cli, "run", SUITE, "--subject", f"tinyagent:{name}", "-n", "8", "--seed", "3")
    assert counts(summary) == expected(name, 8, 3)
    again = run_json(cli, "eval", name, "-n", "8", "--seed", "3", "--store", "other.db")
    assert counts(again) == counts(summary)
    assert again["run_id"] == summary["run_id"]
    assert set(again) == set(summary)


def test_eval_shows_what_is_there(run_json):
    """A second evaluation with the same arguments draws nothing and says the same."""
    one, two = (run_json(cli, "eval", "step-20", "-n", "2", "--split", "family:zero") for _ in range(2))
    assert counts(one) == counts(two)
    assert one["timing"] == two["timing"]
    assert len(one["cases"]) == 6


def test_one_by_one_equals_in_batches():
    """The subject answers a question alone as it does among others."""
    subject = load_subject("tinyagent:step-40")
    assert isinstance(subject, BatchSubject)
    views = [view_of(case) for case in load_suite(SUITE)]
    batch = subject.sample_batch(views, list(range(10)))
    for view, seed, response in zip(views, range(10), batch, strict=True):
        assert subject.sample(view, seed) == response
        assert response.usage.output_tokens >= len(response.trace) > 0


def test_the_judge_plays_the_actions_itself():
    """References pass, empty answers fail; edits beyond the budget and words after the end count for nothing."""
    for case in load_suite(SUITE):
        assert solved(case.reference, case)
        repair = case.reference.split("\n")[1]
        assert not solved("", case)
        assert not solved("submit", case)
        assert not solved(repair, case)
        assert not solved(f"edit special_case\n{repair}\nsubmit", case)
        assert not solved(f"submit\n{repair}\nsubmit", case)
        assert solved(f"{repair}\nsubmit\nnonsense", case)
        assert not play(f"test\ntest\ntest\ntest\ntest\n{repair}\nsubmit", case).submitted


def test_the_version_moves_with_the_harness():
    """Another budget is another suite; the same one is the same, whatever it is called."""
    assert gym_suite("held-out").version == load_suite(SUITE).version
    assert gym_suite("held-out", GymHarness(max_edits=None)).version != load_suite(SUITE).version
    assert gym_suite("held-out", GymHarness(temperature=0.7)).version != load_suite(SUITE).version
    lengths = [len(load_suite(f"python:tinyagent.suite:{name}")) for name in ("all_tasks", "train", "validation")]
    assert lengths == [30, 20, 10]


def test_the_harness_of_the_suite_reaches_the_agent():
    """With no edit allowed, a trained agent solves nothing."""
    subject = load_subject("tinyagent:step-80")
    suite = gym_suite("held-out", GymHarness(max_edits=0))
    responses = subject.sample_batch([view_of(case) for case in suite], [1] * 10)
    texts = [Answer(response.output.payload).text for response in responses]
    assert any("edit" in text for text in texts)
    assert not any(solved(text, case) for text, case in zip(texts, suite, strict=True))


def test_the_harness_of_a_run_tells_the_gyms_settings():
    """Temperature and turns, which stand in the cases, are seen where two runs' harnesses are compared."""
    subject = load_subject("tinyagent:base")
    parts = []
    for harness in (GymHarness(), GymHarness(temperature=0.5, max_turns=4)):
        with Grading() as grading:
            parts.append(plan_harness(gym_suite("held-out", harness), grading, subject))
    found = {one.field: (one.baseline, one.candidate) for one in harness_differences(*parts)}
    assert found.pop("suite_version")
    assert found == {"budgets.max_turns": ([6], [4]), "sampling.temperature": ([1.0], [0.5])}


def test_wrong_names_and_wrong_cases():
    """A checkpoint that is not there, and a case that is none of the gym, are a user's mistakes."""
    with pytest.raises(UnknownNameError, match="step-80"):
        load_subject("tinyagent:step-81")
    with pytest.raises(UnknownNameError, match="has no steps"):
        load_subject("tinyagent:base@40")
    builtin = next(iter(load_suite("builtin")))
    with pytest.raises(UsageError, match="is not a case of the gym"):
        load_subject("tinyagent:base").sample(view_of(builtin), 0)


def train_command(folder, *options):
    """Run ``tinyagent train`` in this process."""
    cli.main(["train", "--out", str(folder), *options], standalone_mode=False)


def test_train_command(tmp_path, monkeypatch, base):
    """``tinyagent train`` leaves checkpoints, metrics and events, and goes on after an interruption."""
    monkeypatch.setattr("tinyagent.cloning.base_agent", lambda *_, **__: base())
    folder = tmp_path / "run"
    train_rl(base(), make_tasks("train"), RLConfig(steps=3), steps=2, folder=folder)
    train_command(folder, "--steps", "3")
    names = {path.name for path in folder.iterdir()}
    wanted = {"step-0000.safetensors", "step-0002.safetensors", "step-0003.safetensors", "metrics.jsonl"}
    assert wanted <= names
    assert any(name.startswith("events.out.tfevents") for name in names)
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [3]
    assert load_checkpoint(find_checkpoint(str(folder))).step == 3
    assert load_subject(f"tinyagent:{folder}@2").params["step"] == 2


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--seed", "5"), "seed 0 where 5 is asked for"),
        (("--steps", "9"), "steps 2 where 9 is asked for"),
        (("--split", "train-without:zero"), "another split of tasks \\(zero/"),
    ],
)
def test_train_does_not_go_on_with_another_run(tmp_path, monkeypatch, base, options, named):
    """Another seed, length or split than the folder's is refused by name, and the folder stays as it was."""
    monkeypatch.setattr("tinyagent.cloning.base_agent", lambda *_, **__: base())
    train_rl(base(), make_tasks("train"), RLConfig(steps=2, group_size=2), steps=1, folder=tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(DataError, match=named):
        train_command(tmp_path, *("--steps", "2", *options))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_exit_codes():
    """The command's mistakes are one line and exit code 2, as with ``passband``."""
    done = subprocess.run(
        [sys.executable, "-c", "from tinyagent.cli import main; main()", "eval", "step-81"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "did you mean 'step-80'" in done.stderr


def test_core_and_suite_without_torch():
    """Neither Passband nor the gym, its suite and its scripted policies import torch."""
    code = (
        "import sys, tinyagent, tinyagent.suite, passband.cli.run; tinyagent.suite.held_out();"
        "tinyagent.eval_pass(tinyagent.STACKER, tinyagent.make_tasks('held-out'), tinyagent.RLConfig());"
        "assert 'torch' not in sys.modules; tinyagent.Agent; assert 'torch' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
