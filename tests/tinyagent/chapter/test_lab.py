"""The lab: agents by seed and step, and what it remembers."""

import multiprocessing

import numpy as np
import pytest

from passband.errors import UsageError
from tinyagent import ORACLE, RLConfig, make_tasks, sample_counts, weights_digest
from tinyagent.chapter import Lab, default_cache, snapshots
from tinyagent.chapter import lab as module
from tinyagent.checkpoint import load_checkpoint, shipped
from tinyagent.gym import OPERATORS


@pytest.fixture
def lab(tmp_path):
    """A lab with an empty cache."""
    return Lab(cache=tmp_path)


def test_training_seeds_follow_the_seed():
    """Ten of them, and two labs share none."""
    assert Lab(0).seeds == tuple(range(10))
    assert Lab(1).seeds == tuple(range(10, 20))
    assert Lab(0, seeds=[3]).seeds == (3,)


def test_purposes_have_seeds_of_their_own(lab):
    """By name, by place and by the lab's seed; the same ones each time."""
    derived = [lab.derive("a"), lab.derive("a", 1), lab.derive("b"), Lab(1).derive("a")]
    assert len(set(derived)) == 4
    assert lab.rng("a").random() == Lab(0).rng("a").random()


def test_the_cache_is_the_users(monkeypatch):
    """In XDG_CACHE_HOME where that is set."""
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert str(default_cache()) == "/somewhere/passband/tinyagent"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache().parts[-3:] == (".cache", "passband", "tinyagent")


def test_shipped_checkpoints_are_used(lab, tmp_path):
    """For the steps of the run that they are of; nothing is trained for them."""
    assert lab.path(0, 20) == shipped()["step-20"]
    lab.train([0])
    assert list(tmp_path.iterdir()) == []


def test_a_shipped_checkpoint_of_another_recipe_is_not(lab, monkeypatch):
    """A change of the default configuration leaves the shipped ones behind, and has folders of its own."""
    before = lab._folder(1, "train")
    changed = RLConfig(clip=0.1)
    monkeypatch.setattr(snapshots, "RLConfig", lambda seed=0: changed)
    snapshots.shipped_snapshots.cache_clear()
    snapshots.recipe_digest.cache_clear()
    try:
        assert snapshots.shipped_snapshots() == {}
        assert lab._folder(1, "train").parent != before.parent
    finally:
        snapshots.shipped_snapshots.cache_clear()
        snapshots.recipe_digest.cache_clear()


@pytest.mark.parametrize("step", [-10, 5, 90])
def test_steps_without_a_snapshot(lab, step):
    """It is said which there are."""
    with pytest.raises(UsageError, match="0, 10, … 80"):
        lab.path(0, step)


def test_an_evaluation_is_that_of_sample_counts_and_is_remembered(lab, base, monkeypatch):
    """The second time nothing is played, for the same weights, tasks, harness, n and seed alone."""
    tasks = make_tasks("held-out")[:3]
    first = lab.evaluate(base(), tasks, n=8, seed=5)
    assert first.counts.tolist() == sample_counts(base(), tasks, RLConfig(), n=8, seed=5).tolist()
    assert first.success.shape == first.first_edit.shape == first.reads.shape == (3, 8)
    for task, solved, edits in zip(tasks, first.success, first.first_edit, strict=True):
        assert set(edits[solved]) <= {OPERATORS.index(task.repair)}

    def refuse(*_):
        raise AssertionError("played again")

    monkeypatch.setattr(module, "_play", refuse)
    again = lab.evaluate(base(), tasks, n=8, seed=5)
    assert np.array_equal(again.success, first.success)
    assert np.array_equal(again.first_edit, first.first_edit)
    assert np.array_equal(again.reads, first.reads)
    for change in ({"seed": 6}, {"n": 9}):
        with pytest.raises(AssertionError, match="played again"):
            lab.evaluate(base(), tasks, **{"n": 8, "seed": 5} | change)


def test_scripted_policies_are_not_remembered(lab, tmp_path):
    """They have no weights to know them by."""
    assert lab.counts(ORACLE, make_tasks("held-out"), n=2).tolist() == [2] * 10
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_one_processs_at_a_time(tmp_path):
    """Who holds it is alone with the folder."""
    import fcntl

    with snapshots.alone(tmp_path), (tmp_path / "lock").open("w") as second, pytest.raises(BlockingIOError):
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.slow
def test_seeds_are_trained_side_by_side_and_go_on(lab):
    """Two seeds, ten steps and then ten more: the same weights as one run in one go, and the bar gets to its end."""
    moves = []

    def bar(what, total):
        from contextlib import contextmanager

        @contextmanager
        def opened():
            yield lambda done: moves.append((what, done, total))

        return opened()

    lab._bar = bar
    lab.train((11, 12), steps=10, split="train-without:zero")
    lab.train((11,), steps=20, split="train-without:zero")
    assert moves[-1] == ("training 1 seed on train-without:zero", 3, 3)
    agent = load_checkpoint(lab.path(11, 20, split="train-without:zero")).agent
    other = lab.cache / "one-go"
    worker = multiprocessing.get_context("spawn").Process(
        target=snapshots.train_run, args=(other, 11, "train-without:zero", 20)
    )
    worker.start()
    worker.join()
    assert weights_digest(load_checkpoint(other / "step-0020.safetensors").agent.model) == weights_digest(agent.model)
