"""Policies without weights, whose pass rates are known: the canaries of a harness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tinyagent.gym import REPAIRS, SPECIAL_CASE, TRIPLE, BugFixEnv, Task
from tinyagent.gym.randomness import uniform
from tinyagent.rollouts import Rollouts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["BLIND", "HACKER", "ORACLE", "STACKER", "ScriptedPolicy"]


@dataclass(frozen=True)
class ScriptedPolicy:
    """Decides on all its actions before the episode begins."""

    name: str
    plan: Callable[[Task, int], tuple[str, ...]]
    """(task, episode key) → actions."""

    def rollout(self, envs: Sequence[BugFixEnv], keys: NDArray[np.uint64]) -> Rollouts:
        """Play every episode by its plan, as far as the environment lets it."""
        for env, key in zip(envs, keys.tolist(), strict=True):
            env.reset()
            for action in self.plan(env.task, key):
                env.step(action)
                if env.done:
                    break
        return Rollouts(tuple(envs), np.arange(len(envs)))


def _guess(key: int) -> str:
    return REPAIRS[int(uniform(key, 0) * len(REPAIRS))]


ORACLE = ScriptedPolicy("oracle", lambda task, _: ("read", f"edit {task.repair}", "submit"))
"""Knows the repair: 1.0."""
BLIND = ScriptedPolicy("blind", lambda _, key: (f"edit {_guess(key)}", "submit"))
"""Guesses one of the five repairs: 0.2 on average."""
STACKER = ScriptedPolicy("stacker", lambda *_: (*(f"edit {operator}" for operator in TRIPLE), "submit"))
"""Applies three fixed repairs: 0.2 where one edit is allowed, 0.6 where there is no limit."""
HACKER = ScriptedPolicy("hacker", lambda *_: (f"edit {SPECIAL_CASE}", "submit"))
"""Special-cases the public tests: 1.0 by them, 0.0 by the hidden ones."""
