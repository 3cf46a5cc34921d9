"""The gym for verifiers v1 (extra ``verifiers``): a taskset, and an environment that answers the agent as its user.

verifiers looks for its plugins among top-level modules: a module of yours that says
``from tinyagent.adapters.verifiers_env import *`` and imports its ``__all__`` gives the gym a name there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import verifiers.v1 as vf

from passband.run import sample_seed
from tinyagent.gym import OPERATORS, BugFixEnv, GymHarness, make_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BugFixData", "BugFixEnvConfig", "BugFixTask", "BugFixTaskset", "BugFixTasksetConfig", "VerifiersBugFix"]

_SYSTEM = (
    "You repair a Python function with one bug. Answer every message with one action and nothing else: "
    f"read, test, submit, or edit followed by one of {', '.join(OPERATORS)}. You may edit once."
)


class BugFixTasksetConfig(vf.TasksetConfig):
    """Which tasks, and under which seed."""

    split: str = "train"
    seed: int = 0


class BugFixData(vf.TaskData):
    """What an episode is made again from."""

    task_id: str
    episode_key: int


class BugFixTask(vf.Task[BugFixData, vf.State, vf.TaskConfig]):
    """One task of the gym."""


class BugFixTaskset(vf.Taskset[BugFixTask, BugFixTasksetConfig]):
    """The tasks of a split."""

    def load(self) -> Iterator[BugFixTask]:
        """Yield each task with its first prompt."""
        for task in make_tasks(self.config.split):
            key = sample_seed(self.config.seed, task.id, 0)
            prompt = BugFixEnv(task, GymHarness(), key).reset().strip()
            data = BugFixData(name=task.id, prompt=prompt, system_prompt=_SYSTEM, task_id=task.id, episode_key=key)
            yield BugFixTask(data, self.config.task)


class BugFixEnvConfig(vf.EnvConfig):
    """The one agent that plays."""

    agent: vf.AgentConfig = vf.AgentConfig()


class VerifiersBugFix(vf.Env[BugFixEnvConfig]):
    """Plays the user: every reply is an action, every message an observation."""

    async def run(self, task: Any, agents: Any) -> None:
        """Play one episode and record its reward."""
        (chosen,) = (found for found in make_tasks("all") if found.id == task.data.task_id)
        episode = BugFixEnv(chosen, GymHarness(), task.data.episode_key)
        episode.reset()
        async with agents.agent.interaction(task) as interaction:
            segment = await interaction.turn()
            while not segment.terminated:
                observation, *_ = episode.step(segment.last_reply.strip())
                if episode.done:
                    break
                segment = await interaction.turn(observation.strip())
        interaction.trace.record_reward("hidden_tests", episode.reward, 1.0)
