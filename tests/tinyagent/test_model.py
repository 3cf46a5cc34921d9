"""The two fast ways through the network against the plain one."""

import itertools

import numpy as np
import pytest
import torch

from passband.errors import UsageError
from tinyagent.agent import Agent, log_softmax
from tinyagent.config import RLConfig
from tinyagent.grpo import group_advantages, make_surrogate, update
from tinyagent.gym import BugFixEnv, GymHarness, make_tasks
from tinyagent.gym.randomness import uniforms
from tinyagent.inference import KVPool, extend
from tinyagent.model import Model, ModelConfig
from tinyagent.rollouts import sample_groups
from tinyagent.scoring import pack, tree_log_probs
from tinyagent.tokenizer import build_tokenizer
from tinyagent.tree import TreeBuilder

SMALL = ModelConfig(vocabulary=11, context=12, width=16, layers=2, heads=2)


def spread(model):
    """Make the weights large enough that a mistake shows."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3.0)
    return model


@pytest.fixture(scope="module")
def agent():
    """An untrained agent whose choices differ from place to place."""
    made = Agent(build_tokenizer(make_tasks()), seed=1)
    spread(made.model)
    return made


@pytest.fixture(scope="module")
def rollouts(agent):
    """Four episodes of ten tasks."""
    return sample_groups(agent, make_tasks("held-out"), RLConfig(), n=4, seed=3, one_name=True)


def path_to(tree, node):
    """Nodes from the root to one node."""
    found = []
    while node >= 0:
        found.append(node)
        node = tree.parent[node]
    return found[::-1]


def test_size(agent):
    """158 thousand weights, give or take five."""
    assert abs(sum(weight.numel() for weight in agent.model.parameters()) - 158_000) <= 5_000


def test_agents_compute_on_one_thread():
    """Making an agent puts torch on one thread, where results are equal to the bit."""
    torch.set_num_threads(2)
    Agent(build_tokenizer(make_tasks()))
    assert torch.get_num_threads() == 1


def test_initial_weights_are_a_function_of_the_seed():
    """The same seed gives the same network, another seed another one."""
    one, two, other = (Model(SMALL, seed).words.weight for seed in (4, 4, 5))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


def test_cache_equals_full_forward():
    """Ragged chunks on top of cached keys and values give the logits of the plain transformer at each row's end."""
    model = spread(Model(SMALL, 0))
    tree = TreeBuilder()
    trunk = tree.add_root((1, 2, 3))
    ends = [tree.add(trunk, (4, 5, 6, 7)), tree.add(trunk, (8,)), tree.add_root((9, 1))]
    pool = KVPool(SMALL, torch.device("cpu"))
    pool.reserve(len(tree.token))

    def rows(nodes):
        paths = np.zeros((len(nodes), 12), np.int64)
        for row, node in enumerate(nodes):
            paths[row, : tree.position[node] + 1] = tree.path(node)
        return paths, np.array([tree.position[node] + 1 for node in nodes])

    first, stop = rows([trunk, ends[2]])
    extend(model, pool, np.array(tree.token), first, np.zeros(2, np.int64), stop)
    second, stop = rows(ends)
    logits = extend(model, pool, np.array(tree.token), second, np.array([3, 3, 1]), stop)
    for row, node in enumerate(ends):
        words = torch.tensor([[tree.token[at] for at in tree.path(node)]])
        np.testing.assert_allclose(logits[row], model(words)[0, -1].detach().double().numpy(), atol=1e-5)


def test_pool_grows_without_forgetting():
    """Rows survive the pool's growth, and new ones are zero: a masked NaN would be a NaN still."""
    pool = KVPool(SMALL, torch.device("cpu"))
    pool.rows[0][5] = 1.0
    pool.reserve(3000)
    assert len(pool.rows[1]) >= 3000
    assert pool.rows[0][5].eq(1.0).all()
    assert pool.rows[0].sum() == pool.rows[0][5].sum()


def test_recorded_log_probs_equal_full_forward(agent, rollouts):
    """What rollouts recorded for each action is what the plain transformer says about it."""
    tree = rollouts.tree
    for end in np.unique(tree.ends):
        path = path_to(tree, end)
        with torch.no_grad():
            said = torch.log_softmax(agent.model(torch.tensor(tree.token[path])[None])[0].double(), -1)
        for before, node in itertools.pairwise(path):
            if tree.is_action[node]:
                assert float(said[tree.position[before], tree.token[node]]) == pytest.approx(tree.logp[node], abs=1e-5)


def test_tree_log_probs_equal_what_rollouts_recorded(agent, rollouts):
    """The update's pass over the tree gives the log probabilities of the rollouts, at any selection of actions."""
    tree = rollouts.tree
    actions = np.flatnonzero(tree.is_action)
    for scored in (actions, actions[::3], actions[-2:]):
        with torch.no_grad():
            again = tree_log_probs(agent.model, pack(tree, scored, torch.device("cpu")))
        np.testing.assert_allclose(again.numpy(), tree.logp[scored], atol=1e-5)


def test_temperature_reaches_the_update(agent):
    """At temperature 2 the update scores actions as they were sampled."""
    cfg = RLConfig(harness=GymHarness(temperature=2.0))
    tree = sample_groups(agent, make_tasks("held-out"), cfg, n=2).tree
    scored = np.flatnonzero(tree.is_action)
    with torch.no_grad():
        again = tree_log_probs(agent.model, pack(tree, scored, torch.device("cpu")), 2.0)
    np.testing.assert_allclose(again.numpy(), tree.logp[scored], atol=1e-5)


def test_log_softmax_by_hand():
    """Two logits, 0 and log 3, are chances 1/4 and 3/4; at temperature 1/2 they are 1/10 and 9/10."""
    logits = np.array([[0.0, np.log(3.0)]])
    np.testing.assert_allclose(np.exp(log_softmax(logits, 1.0)), [[0.25, 0.75]])
    np.testing.assert_allclose(np.exp(log_softmax(logits, 0.5)), [[0.1, 0.9]])
    with pytest.raises(FloatingPointError):
        log_softmax(np.array([[np.nan, 0.0]]), 1.0)


def test_first_words_follow_the_softmax(agent):
    """4,000 first words of one prompt are distributed as the network says (chi² below its 99.99% point)."""
    task = make_tasks("held-out")[0]
    cfg = RLConfig(harness=GymHarness(randomize_names=False))
    tree = sample_groups(agent, [task], cfg, n=4000).tree
    prompt = agent.tokenizer.encode(f"fix {task.name}\n")
    with torch.no_grad():
        expected = torch.softmax(agent.model(torch.tensor([prompt]))[0, -1].double(), -1).numpy() * 4000
    seen = np.zeros(len(expected))
    first = np.flatnonzero(tree.position == len(prompt))
    seen[tree.token[first]] = tree.through(np.ones(4000))[first]
    assert seen.sum() == 4000
    kept = expected >= 5
    observed = np.append(seen[kept], seen[~kept].sum())
    wanted = np.append(expected[kept], expected[~kept].sum())
    chi2, freedom = ((observed - wanted) ** 2 / wanted).sum(), kept.sum()
    assert chi2 < freedom + 5 * np.sqrt(2 * freedom)


def test_greedy_takes_the_most_likely_word(agent):
    """At temperature 0 all episodes of a prompt are one, whatever their keys."""
    cfg = RLConfig(harness=GymHarness(temperature=0.0, randomize_names=False))
    rollouts = sample_groups(agent, make_tasks("held-out")[:2], cfg, n=8)
    assert len(np.unique(rollouts.tree.ends)) == 2


def transcripts(rollouts):
    """What every episode said and was told."""
    return [(rollouts.episode(place).name, rollouts.episode(place).transcript) for place in range(len(rollouts))]


def test_an_episode_is_the_same_in_any_company(agent):
    """320 episodes at once, in another order, and each task alone: the same 320 transcripts."""
    tasks = make_tasks("held-out")
    cfg = RLConfig()
    together = transcripts(sample_groups(agent, tasks, cfg, n=32, seed=5))
    alone = [one for task in tasks for one in transcripts(sample_groups(agent, [task], cfg, n=32, seed=5))]
    assert together == alone
    backwards = transcripts(sample_groups(agent, tasks[::-1], cfg, n=32, seed=5))
    assert together == [one for start in range(288, -1, -32) for one in backwards[start : start + 32]]
    assert together[:7] == transcripts(sample_groups(agent, tasks[:1], cfg, n=7, seed=5))


def test_one_word_uses_one_random_number(agent):
    """The first word of an episode is the inverse of the cumulative distribution at the number of its position."""
    task = make_tasks("held-out")[3]
    cfg = RLConfig(harness=GymHarness(randomize_names=False))
    prompt = agent.tokenizer.encode(f"fix {task.name}\n")
    with torch.no_grad():
        chances = torch.softmax(agent.model(torch.tensor([prompt]))[0, -1].double(), -1).numpy()
    keys = np.arange(50, dtype=np.uint64)
    envs = [BugFixEnv(task, cfg.harness) for _ in keys]
    tree = agent.rollout(envs, keys).tree
    drawn = uniforms(keys, np.full(50, len(prompt), np.uint64))
    wanted = np.searchsorted(np.cumsum(chances), drawn, side="right")
    got = [tree.token[path_to(tree, end)[len(prompt)]] for end in tree.ends]
    assert got == wanted.tolist()


def test_a_batch_has_one_temperature_and_fits_the_network(agent):
    """Harnesses of two temperatures, and a context longer than the network's, are refused."""
    task = make_tasks("held-out")[0]
    envs = [BugFixEnv(task, GymHarness(temperature=temperature)) for temperature in (1.0, 0.5)]
    with pytest.raises(UsageError, match="one temperature"):
        agent.rollout(envs, np.arange(2, dtype=np.uint64))
    with pytest.raises(UsageError, match="96 positions"):
        agent.rollout([BugFixEnv(task, GymHarness(max_context=97))], np.arange(1, dtype=np.uint64))


def test_advantages_by_hand():
    """Rewards 1 0 0 1 and 1 1 1 1: minus the mean, over a standard deviation of 1/2 plus 1e-4; 0 where all agree."""
    rewards = np.array([1.0, 0, 0, 1, 1, 1, 1, 1])
    plain = group_advantages(rewards, 4, normalize_std=False)
    assert plain.tolist() == [0.5, -0.5, -0.5, 0.5, 0, 0, 0, 0]
    np.testing.assert_allclose(group_advantages(rewards, 4, normalize_std=True), plain / 0.5001)


def naive_objective(model, reference, rollouts, advantages, cfg):
    """The objective row by row, as it is written in the papers."""
    tree, total = rollouts.tree, 0.0
    for end, advantage in zip(tree.ends, advantages, strict=True):
        path = path_to(tree, end)
        tokens = torch.tensor(tree.token[path])[None]
        at = [place for place in range(1, len(path)) if tree.is_action[path[place]]]
        pick = (0, [place - 1 for place in at], tokens[0, at])
        new = torch.log_softmax(model(tokens), -1)[pick]
        away = torch.log_softmax(reference(tokens), -1)[pick].detach() - new
        ratio = (new - torch.tensor(tree.logp[[path[place] for place in at]]).float()).exp()
        gain = torch.minimum(ratio * advantage, ratio.clamp(1 - cfg.clip, 1 + cfg.clip) * advantage)
        total = total + (gain - cfg.kl * (away.exp() - 1 - away)).mean() / len(tree.ends)
    return total


@pytest.mark.parametrize("kl", [0.0, 0.3])
def test_gradient_equals_the_objective_row_by_row(agent, kl):
    """Merging equal beginnings and summing advantages by sign changes neither objective nor gradient, clip included."""
    cfg = RLConfig(kl=kl, clip=0.1)
    rollouts = sample_groups(agent, make_tasks("held-out")[:3], cfg, n=8, seed=2, one_name=True)
    advantages = np.random.default_rng(0).normal(size=24)
    moved, reference = Agent(agent.tokenizer, seed=1).model, Agent(agent.tokenizer, seed=2).model
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for new, old in zip(moved.parameters(), agent.model.parameters(), strict=True):
            new.copy_(old + 0.02 * torch.randn(old.shape, generator=generator))
    moved, reference = moved.double(), reference.double()
    surrogate = make_surrogate(rollouts, advantages, everything=kl > 0, device=agent.device)
    logp = tree_log_probs(moved, surrogate.packed)
    ratio = (logp - surrogate.old).exp().detach()
    assert ((ratio > 1.1) | (ratio < 0.9)).sum() > 5, "nothing is clipped: the test shows nothing"
    away = tree_log_probs(reference, surrogate.packed).detach() - logp
    fast = surrogate.value(logp, cfg.clip) - kl * (surrogate.share * (away.exp() - 1 - away)).sum()
    slow = naive_objective(moved, reference, rollouts, advantages, cfg)
    assert float(fast.detach()) == pytest.approx(float(slow.detach()), rel=1e-4, abs=1e-6)
    fast_gradient = torch.autograd.grad(fast, list(moved.parameters()))
    slow_gradient = torch.autograd.grad(slow, list(moved.parameters()))
    for one, two in zip(fast_gradient, slow_gradient, strict=True):
        np.testing.assert_allclose(one.numpy(), two.numpy(), rtol=1e-4, atol=1e-6)


def test_clipping_by_hand():
    """One action, ratio 1.5, advantage +1 then −1, clip 0.2: 1.2 and −1.5; at ratio 1/2: 0.5 and −0.8."""
    agent = Agent(build_tokenizer(make_tasks()), seed=0)
    rollouts = sample_groups(agent, make_tasks("held-out")[:1], RLConfig(), n=2)
    surrogate = make_surrogate(rollouts, np.array([1.0, -1.0]), everything=False, device=agent.device)
    one = torch.tensor([1.0])
    for gain, loss, ratio, value in ((1, 0, 1.5, 1.2), (0, -1, 1.5, -1.5), (1, 0, 0.5, 0.5), (0, -1, 0.5, -0.8)):
        by_hand = type(surrogate)(surrogate.packed, 0 * one, gain * one, loss * one, one)
        assert float(by_hand.value(torch.log(ratio * one), 0.2)) == pytest.approx(value)


def test_no_update_where_every_group_agrees(agent):
    """Without a divergence, a batch whose groups all have one reward has no objective."""
    rollouts = sample_groups(agent, make_tasks("held-out"), RLConfig(), n=2)
    assert make_surrogate(rollouts, np.zeros(20), everything=False, device=agent.device) is None


def test_update_climbs(agent):
    """Epochs on one batch raise the chance of what had the advantage and lower that of the rest."""
    learner = Agent(agent.tokenizer, seed=1)
    rollouts = sample_groups(learner, make_tasks("held-out"), RLConfig(), n=8, one_name=True)
    advantages = np.where(np.arange(80) % 2, 1.0, -1.0)
    surrogate = make_surrogate(rollouts, advantages, everything=False, device=learner.device)
    before = float((surrogate.gain + surrogate.loss).sum())
    said = update(learner.model, torch.optim.AdamW(learner.model.parameters(), lr=1e-3), surrogate, RLConfig())
    with torch.no_grad():
        after = float(surrogate.value(tree_log_probs(learner.model, surrogate.packed), 0.2))
    assert after > before + 0.01
    assert min(said["kl"], said["grad_norm"]) > 0


def test_unknown_words_have_a_number(agent):
    """A word outside the vocabulary is one word, and known text comes back word by word."""
    assert agent.tokenizer.encode("zebra") == (0,)
    assert agent.tokenizer.decode(agent.tokenizer.encode("edit fix_init")) == "edit fix_init"


def test_vocabulary_leaks(agent):
    """The vocabulary holds words that no training task has: the first channel of the audit."""
    train = build_tokenizer(make_tasks("train"))
    extra = set(agent.tokenizer.vocabulary) - set(train.vocabulary)
    assert {"40", "60"} <= extra


def test_weights_stay_tied(agent):
    """The output layer is the word embedding."""
    x = torch.randn(3, 64, generator=torch.Generator().manual_seed(0))
    torch.testing.assert_close(agent.model.logits(x), agent.model.norm(x) @ agent.model.words.weight.T)
