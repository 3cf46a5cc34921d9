"""The shipped checkpoints: one training run of the default recipe, frozen."""

import numpy as np
import pytest

from tinyagent.checkpoint import load_checkpoint, shipped, weights_digest
from tinyagent.cloning import CloningConfig, base_agent
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness, make_tasks
from tinyagent.rollouts import eval_pass, sample_counts
from tinyagent.train import train_rl

COUNTS = {
    "base": [7, 7, 8, 5, 10, 4, 5, 3, 5, 2],
    "step-20": [27, 28, 12, 21, 30, 28, 28, 31, 11, 6],
    "step-40": [32, 32, 30, 31, 32, 31, 30, 32, 31, 32],
    "step-60": [32, 32, 31, 31, 32, 31, 30, 32, 31, 32],
    "step-80": [32, 32, 32, 32, 32, 32, 30, 32, 30, 29],
}
"""Successes of 32 episodes of each held-out task under seed 0, written down when the checkpoints were made."""
DIGESTS = {
    "base": "7c849400c09c7679a2d20fb2a1ea9e59b964bee4039a36f754700f4cb5fbab73",
    "step-20": "29129d3816fb11ba233c0cfa3552cfc44ea7dd85787d59c098266c85ef91c0e2",
    "step-40": "c5c177fbf878f3a38ae9be9c67e4b7f8f3af6c5cf6d5081b1d5744cbcec0810a",
    "step-60": "f2e1835ab814e5faf47cb3126fb36390100e8ce44f1c594a81d8c5e9e95a95a2",
    "step-80": "7d57588334af36bc5d1236437a24218f347a96bf043fcc7286e7f9fc2d7f65bd",
}


def test_what_is_shipped():
    """The base agent and four steps of one run of the default configuration."""
    assert list(shipped()) == ["base", "step-20", "step-40", "step-60", "step-80"]
    for name, path in shipped().items():
        checkpoint = load_checkpoint(path)
        assert checkpoint.cfg == RLConfig()
        assert checkpoint.tasks == tuple(task.id for task in make_tasks("train"))
        assert f"step-{checkpoint.step}" == name.replace("base", "step-0")
        assert weights_digest(checkpoint.agent.model) == DIGESTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name):
    """A frozen checkpoint under a fixed seed succeeds as often as it did."""
    checkpoint = load_checkpoint(shipped()[name])
    assert sample_counts(checkpoint.agent, make_tasks("held-out"), checkpoint.cfg).tolist() == COUNTS[name]


def test_the_base_agent_guesses():
    """Held-out pass rate between 0.11 and 0.18, every task solved 1 to 10 times of 32."""
    counts = np.array(COUNTS["base"])
    assert 0.11 <= counts.mean() / 32 <= 0.18
    assert counts.min() >= 1
    assert counts.max() <= 10


def test_no_habit_that_training_does_not_see():
    """On validation tasks the last checkpoint does well with half the turns, and with edits that have no limit."""
    agent = load_checkpoint(shipped()["step-80"]).agent
    harnesses = GymHarness(), GymHarness(max_turns=3), GymHarness(max_edits=None)
    as_trained, hurried, unlimited = (
        eval_pass(agent, make_tasks("validation"), RLConfig(harness=harness), n=32) for harness in harnesses
    )
    assert as_trained > 0.95
    assert hurried > 0.8
    assert unlimited > 0.9


@pytest.mark.slow
def test_the_recipe():
    """Base agent and 80 steps of another seed: at least 0.95 on training tasks and 0.70 on held-out ones."""
    agent = base_agent(CloningConfig(seed=12))
    train_rl(agent, make_tasks("train"), RLConfig(seed=12))
    assert eval_pass(agent, make_tasks("train"), RLConfig(), n=32) >= 0.95
    assert eval_pass(agent, make_tasks("held-out"), RLConfig(), n=32) >= 0.70
