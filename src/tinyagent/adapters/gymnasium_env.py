"""The gym as a Gymnasium environment (extra ``gymnasium``)."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

import gymnasium
from gymnasium.spaces import Discrete, Text

from tinyagent.gym import OPERATORS, BugFixEnv, GymHarness, make_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tinyagent.gym import Task

__all__ = ["ACTIONS", "GymnasiumBugFix"]

ACTIONS = ("read", *(f"edit {operator}" for operator in OPERATORS), "test", "submit")
"""What the numbers of the action space mean."""
_LONGEST = 4096


class GymnasiumBugFix(gymnasium.Env[str, Any]):
    """Episodes of some tasks, drawn at random; actions are numbers, observations are text.

    Parameters
    ----------
    tasks : sequence of Task, optional
        The twenty training tasks by default.
    harness : GymHarness
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own convention

    def __init__(self, tasks: Sequence[Task] | None = None, harness: GymHarness | None = None) -> None:
        self.tasks = make_tasks("train") if tasks is None else tuple(tasks)
        self.harness = harness or GymHarness()
        self.action_space = Discrete(len(ACTIONS))
        self.observation_space = Text(_LONGEST, min_length=0, charset=string.printable)
        self._episode: BugFixEnv | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; the task and the episode's key come from the environment's generator."""
        super().reset(seed=seed, options=options)
        task = self.tasks[int(self.np_random.integers(len(self.tasks)))]
        self._episode = BugFixEnv(task, self.harness, int(self.np_random.integers(2**53)))
        return self._episode.reset(), {"task": task.id}

    def step(self, action: int) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one turn; see :meth:`tinyagent.BugFixEnv.step`."""
        assert self._episode is not None, "call reset first"
        return self._episode.step(ACTIONS[int(action)])
