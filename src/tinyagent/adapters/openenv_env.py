"""The gym as an OpenEnv server (extra ``openenv``): ``create_app(OpenEnvBugFix, BugFixAction, BugFixObservation)``."""

from __future__ import annotations

import random
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

from tinyagent.gym import BugFixEnv, GymHarness, make_tasks

__all__ = ["BugFixAction", "BugFixObservation", "BugFixState", "OpenEnvBugFix"]


class BugFixAction(Action):
    """One turn, in words: ``read``, ``edit OPERATOR``, ``test`` or ``submit``."""

    text: str


class BugFixObservation(Observation):
    """The environment's answer; ``done`` and ``reward`` are OpenEnv's."""

    text: str
    truncated: bool = False
    """The episode ended because a budget ran out."""


class BugFixState(State):
    """What a client may ask for between turns."""

    task: str = ""
    edits: list[str] = []  # noqa: RUF012 - pydantic copies defaults


class OpenEnvBugFix(Environment[BugFixAction, BugFixObservation, BugFixState]):
    """One session, many episodes of the training tasks."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._episode: BugFixEnv | None = None
        self._id: str | None = None

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> BugFixObservation:
        """Begin an episode; task and key come from the seed, or from ``task`` and the seed where a task is named."""
        draw = random.Random(seed)  # noqa: S311 - no secret
        tasks = {task.id: task for task in make_tasks("all")}
        chosen = kwargs.get("task") or draw.choice([task.id for task in make_tasks("train")])
        self._episode = BugFixEnv(tasks[chosen], GymHarness(), draw.randrange(2**53))
        self._id = episode_id
        return BugFixObservation(text=self._episode.reset())

    def step(self, action: BugFixAction, timeout_s: float | None = None, **kwargs: Any) -> BugFixObservation:  # noqa: ARG002 - OpenEnv's signature
        """Take one turn."""
        assert self._episode is not None, "call reset first"
        text, reward, terminated, truncated, _ = self._episode.step(action.text)
        return BugFixObservation(text=text, reward=reward, done=terminated or truncated, truncated=truncated)

    @property
    def state(self) -> BugFixState:
        """Where the episode stands."""
        if self._episode is None:
            return BugFixState()
        return BugFixState(
            episode_id=self._id,
            step_count=len(self._episode.transcript),
            task=self._episode.task.id,
            edits=list(self._episode.edits),
        )
