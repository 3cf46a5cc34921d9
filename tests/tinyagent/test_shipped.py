"""The shipped checkpoints: one training run of the default recipe, frozen."""

import numpy as np
import pytest

from tinyagent.checkpoint import load_checkpoint, shipped, weights_digest
from tinyagent.cloning import CloningConfig, base_agent
from tinyagent.config import RLConfig
from tinyagent.gym import make_tasks
from tinyagent.rollouts import eval_pass, sample_counts
from tinyagent.train import train_rl

COUNTS = {
    "base": [7, 7, 8, 5, 10, 4, 5, 3, 5, 2],
    "step-20": [30, 30, 12, 20, 30, 29, 28, 32, 10, 1],
    "step-40": [31, 31, 31, 31, 32, 31, 29, 32, 31, 0],
    "step-60": [30, 31, 32, 31, 32, 32, 30, 32, 31, 25],
    "step-80": [31, 32, 32, 32, 32, 32, 31, 32, 32, 29],
}
"""Successes of 32 episodes of each held-out task under seed 0, written down when the checkpoints were made."""
DIGESTS = {
    "base": "7c849400c09c7679a2d20fb2a1ea9e59b964bee4039a36f754700f4cb5fbab73",
    "step-20": "e2a833574c1f9edc8680558fcfda04154bd7fc0cb117dce2db81a78b684b24ba",
    "step-40": "e1397793ed427f744566b186efa751425b60903ae7b15af52d49b606f49705ae",
    "step-60": "c8435c59b61f8b57de184318d1c9f11e0fffb4c0e9eea9b39a15184f4af21d26",
    "step-80": "5fb1852956708ead1976fab2d3ffe44a74f98eb79fc53c5282057f98bf4bbb98",
}


def test_what_is_shipped():
    """The base agent and four steps of one run of the default configuration."""
    assert list(shipped()) == ["base", "step-20", "step-40", "step-60", "step-80"]
    for name, path in shipped().items():
        checkpoint = load_checkpoint(path)
        assert checkpoint.cfg == RLConfig()
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


@pytest.mark.slow
def test_the_recipe():
    """Base agent and 80 steps of another seed: at least 0.95 on training tasks and 0.70 on held-out ones."""
    agent = base_agent(CloningConfig(seed=12))
    train_rl(agent, make_tasks("train"), RLConfig(seed=12), steps=80)
    assert eval_pass(agent, make_tasks("train"), RLConfig(), n=32) >= 0.95
    assert eval_pass(agent, make_tasks("held-out"), RLConfig(), n=32) >= 0.70
