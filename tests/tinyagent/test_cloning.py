"""The demonstrations and what comes of them."""

import numpy as np
import pytest

from tinyagent.cloning import CloningConfig, _script, base_agent, demonstrate
from tinyagent.config import RLConfig
from tinyagent.gym import OPERATORS, GymHarness, make_tasks
from tinyagent.rollouts import sample_groups
from tinyagent.tokenizer import build_tokenizer


def share(values):
    """Mean of some truth values, and four standard errors of it."""
    mean = np.mean(values)
    return mean, 4 * np.sqrt(mean * (1 - mean) / len(values)) + 1e-9


def test_scripts_have_the_shares_that_were_asked_for():
    """Of 4,000 demonstrations the promised shares read first and edit, every operator about equally often."""
    config = CloningConfig()
    scripts = [_script(key, config) for key in range(4000)]
    assert all(script[-1] == "submit" and len(script) <= 6 for script in scripts)
    for wanted, values in (
        (config.reads, [script[0] == "read" for script in scripts]),
        (config.edits, [any(action.startswith("edit") for action in script) for script in scripts]),
    ):
        mean, margin = share(values)
        assert abs(mean - wanted) < margin
    edits = [action.split()[1] for script in scripts for action in script if action.startswith("edit")]
    for operator in OPERATORS:
        mean, margin = share([edit == operator for edit in edits])
        assert abs(mean - 1 / 6) < margin


def test_demonstrations_know_nothing_of_the_bug():
    """The chance that a demonstration edits rightly is that of a guess among six."""
    config = CloningConfig(group_size=100, edits=1.0)
    tasks = make_tasks("train")
    tokenizer = build_tokenizer(make_tasks())
    tree = demonstrate(tasks, tokenizer, config, 0, GymHarness())
    times = tree.through(np.ones(len(tree.ends)))
    right = sum(
        times[(tree.root == place) & (tree.token == tokenizer.encode(task.repair)[0]) & tree.is_action].sum()
        for place, task in enumerate(tasks)
    )
    assert abs(right / 2000 - 1 / 6) < 4 * np.sqrt(5 / 36 / 2000)


def test_training_names_alone_where_asked():
    """Demonstrations of a task share one prompt, drawn from the harness' pool."""
    tokenizer = build_tokenizer(make_tasks())
    tree = demonstrate(make_tasks("train"), tokenizer, CloningConfig(), 0, GymHarness(name_pool="train"))
    names = tokenizer.decode(tree.token[tree.position == 1]).split()
    assert len(names) == 20
    assert set(names) <= {task.name for task in make_tasks("train")}


def test_cloning_learns_the_procedure():
    """Forty small updates bring the loss from that of a guess among all words to a third of it."""
    losses = []
    agent = base_agent(CloningConfig(steps=40, group_size=4), on_step=losses.append)
    assert losses[0] > 0.8 * np.log(len(agent.tokenizer))
    assert np.mean(losses[-5:]) < 1.5


def test_the_shipped_base_agent_knows_the_procedure(base):
    """Most episodes read first, nearly all end by submitting."""
    rollouts = sample_groups(base(), make_tasks("held-out"), RLConfig(), n=32)
    episodes = [rollouts.episode(place) for place in range(320)]
    assert np.mean([env.submitted for env in episodes]) > 0.95
    assert np.mean([env.transcript[0][0] == "read" for env in episodes]) > 0.8


@pytest.mark.slow
def test_the_base_agent_guesses():
    """Cloned as by default: held-out pass rate between 0.11 and 0.18, and no task never or nearly always solved."""
    agent = base_agent(CloningConfig(seed=3))
    success = sample_groups(agent, make_tasks("held-out"), RLConfig(), n=400).success.reshape(10, 400).mean(axis=1)
    assert 0.11 <= success.mean() <= 0.18
    assert success.min() > 0.05
    assert success.max() < 0.3
