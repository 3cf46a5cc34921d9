"""The base agent: it has learned the procedure from demonstrations, and guesses the repair as they do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from passband.run import sample_seed
from tinyagent.agent import Agent
from tinyagent.gym import OPERATORS, BugFixEnv, GymHarness, make_tasks
from tinyagent.gym.randomness import uniforms
from tinyagent.scoring import pack, tree_log_probs
from tinyagent.tokenizer import build_tokenizer
from tinyagent.tree import TokenTree, TreeBuilder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tinyagent.gym import Task
    from tinyagent.tokenizer import Tokenizer

__all__ = ["CloningConfig", "base_agent", "demonstrate"]


@dataclass(frozen=True)
class CloningConfig:
    """Behaviour cloning: what the demonstrations look like and how long they are imitated."""

    steps: int = 120
    """Updates, each on demonstrations of its own."""
    group_size: int = 16
    """Demonstrations a task and update."""
    learning_rate: float = 3e-3
    """Of AdamW; it rises over the first twenty updates and falls linearly to a tenth."""
    reads: float = 0.9
    """Share of demonstrations that read before they edit."""
    tests: float = 0.2
    """Share that run the public tests after the edit."""
    edits: float = 0.88
    """Share that edit at all."""
    wanders: float = 0.05
    """Chance, before submitting, of another look at source or tests."""
    seed: int = 0
    """Of weights and demonstrations."""


def _script(key: int, config: CloningConfig) -> list[str]:
    """One demonstration: the procedure with its lapses, the repair drawn from all six operators."""
    draw = iter(uniforms(np.array([key], np.uint64), np.arange(16, dtype=np.uint64)).tolist())
    actions = []
    if next(draw) < config.reads:
        actions.append("read")
    operator = OPERATORS[int(next(draw) * len(OPERATORS))]
    if next(draw) < config.edits:
        actions.append(f"edit {operator}")
    if next(draw) < config.tests:
        actions.append("test")
    while len(actions) < 5 and next(draw) < config.wanders:
        actions.append("read" if next(draw) < 0.5 else "test")
    return [*actions, "submit"]


def demonstrate(
    tasks: Sequence[Task], tokenizer: Tokenizer, config: CloningConfig, step: int, harness: GymHarness
) -> TokenTree:
    """Play the demonstrations of one update; those of a task share its name and hence their prompt."""
    builder = TreeBuilder()
    ends = []
    for task in tasks:
        keys = [sample_seed(config.seed, f"cloning/{step}/{task.id}", index) for index in range(config.group_size)]
        root = -1
        for key in keys:
            env = BugFixEnv(task, harness, keys[0])
            prompt = tokenizer.encode(env.reset())
            node = root = builder.add_root(prompt) if root < 0 else root
            for action in _script(key, config):
                observation, *_ = env.step(action)
                node = builder.follow(node, tokenizer.encode(action), is_action=True)
                if env.done:
                    break
                node = builder.follow(node, tokenizer.encode(observation), is_action=False)
            ends.append(node)
    return builder.build(np.array(ends))


def base_agent(
    config: CloningConfig = CloningConfig(),
    *,
    tasks: Sequence[Task] | None = None,
    harness: GymHarness = GymHarness(),  # noqa: B008 - frozen
    device: str = "cpu",
    on_step: Callable[[float], None] | None = None,
) -> Agent:
    """Clone the base agent from scratch.

    Parameters
    ----------
    config : CloningConfig
    tasks : sequence of Task, optional
        What is demonstrated; the twenty training tasks by default. The vocabulary is that of all thirty.
    harness : GymHarness
    device : str
    on_step : callable, optional
        Called after every update with the mean negative log-likelihood of a word of an action.
    """
    tasks = make_tasks("train") if tasks is None else tasks
    agent = Agent(build_tokenizer(make_tasks("all")), seed=config.seed, device=device)
    optimizer = torch.optim.AdamW(agent.model.parameters(), lr=config.learning_rate, weight_decay=0.01, fused=True)
    for step in range(config.steps):
        tree = demonstrate(tasks, agent.tokenizer, config, step, harness)
        scored = np.flatnonzero(tree.is_action)
        times = tree.through(np.ones(len(tree.ends)))[scored]
        weight = torch.from_numpy((times / times.sum()).astype(np.float32)).to(device)
        loss = -(weight * tree_log_probs(agent.model, pack(tree, scored, agent.device))).sum()
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        torch.nn.utils.clip_grad_norm_(agent.model.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = config.learning_rate * min(1.0, (step + 1) / 20) * (1.0 - 0.9 * step / config.steps)
        optimizer.step()
        if on_step is not None:
            on_step(float(loss.detach()))
    return agent
