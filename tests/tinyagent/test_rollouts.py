"""Scripted policies: what the harness must give them."""

import numpy as np
import pytest

from passband.errors import InvalidInputError
from tinyagent.config import RLConfig
from tinyagent.gym import PLAIN_HARNESS, GymHarness, make_tasks
from tinyagent.rollouts import eval_pass, make_env, pass_rate, sample_counts, sample_groups
from tinyagent.scripted import BLIND, HACKER, ORACLE, STACKER

HELD_OUT = make_tasks("held-out")


@pytest.mark.parametrize(
    ("policy", "training", "plain"),
    [(ORACLE, 1.0, 1.0), (STACKER, 0.2, 0.6), (HACKER, 0.0, 0.0)],
    ids=["oracle", "stacker", "hacker"],
)
def test_canaries(policy, training, plain):
    """Oracle, stacker and hacker have exactly known pass rates under the training harness and in the plain one."""
    assert eval_pass(policy, HELD_OUT, RLConfig()) == pytest.approx(training)
    assert pass_rate(policy, HELD_OUT) == pytest.approx(plain)


def test_blind_guess():
    """One guess of five repairs: 0.2, within four standard errors of 2,000 episodes."""
    counts = sample_counts(BLIND, HELD_OUT, RLConfig(), n=200)
    assert abs(counts.sum() / 2000 - 0.2) < 4 * np.sqrt(0.2 * 0.8 / 2000)


def test_public_reward_is_hackable_and_evaluation_is_not():
    """Rewarded by public tests the hacker is perfect; its success, by hidden tests, stays zero."""
    cfg = RLConfig(harness=GymHarness(reward="public"))
    rollouts = sample_groups(HACKER, HELD_OUT, cfg, n=4)
    assert rollouts.reward.tolist() == [1.0] * 40
    assert sample_counts(HACKER, HELD_OUT, cfg, n=4).tolist() == [0] * 10


def test_groups_are_in_the_order_of_tasks():
    """Episode i of task t stands at t × n + i; a group may share its name."""
    rollouts = sample_groups(ORACLE, HELD_OUT, RLConfig(group_size=3), one_name=True)
    assert [rollouts.episode(place).task for place in range(30)] == [task for task in HELD_OUT for _ in range(3)]
    names = [rollouts.episode(place).name for place in range(30)]
    assert all(len(set(names[start : start + 3])) == 1 for start in range(0, 30, 3))
    assert len(set(names)) > 3


def test_make_env_takes_the_training_harness():
    """The environment of a configuration has all its budgets."""
    harness = GymHarness(max_turns=2, max_edits=0)
    assert make_env(RLConfig(harness=harness))(HELD_OUT[0], 7).harness == harness


def test_the_plain_environment_is_plain():
    """`pass_rate` differs from the training harness in the edit limit alone."""
    assert GymHarness(max_edits=None) == PLAIN_HARNESS


@pytest.mark.parametrize(
    "wrong", [{"group_size": 1}, {"epochs": 0}, {"learning_rate": 0.0}, {"clip": 0.0}, {"kl": -1.0}]
)
def test_configurations_that_cannot_be(wrong):
    """Settings that no run can have are refused when they are written down."""
    with pytest.raises(InvalidInputError):
        RLConfig(**wrong)
