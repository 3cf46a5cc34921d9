"""The gym for TRL: ``GRPOTrainer(..., environment_factory=TRLBugFix)`` on a dataset of `dataset_rows`.

TRL calls the public methods as tools and asks `get_reward` at the end. It is given rows, not classes of its own:
nothing here imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.run import sample_seed
from tinyagent.gym import BugFixEnv, GymHarness, make_tasks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tinyagent.gym import Task

__all__ = ["TRLBugFix", "dataset_rows"]

_INSTRUCTION = "Repair the function. Use the tools: read it, edit it once, run its public tests if you like, submit. "


def dataset_rows(tasks: Sequence[Task], seed: int = 0) -> list[dict[str, Any]]:
    """Rows for ``datasets.Dataset.from_list``: a prompt, and what `TRLBugFix.reset` needs.

    All generations of a row share the function's name, as a group should.
    """
    return [
        {
            "prompt": [{"role": "user", "content": _INSTRUCTION}],
            "task": task.id,
            "episode_key": sample_seed(seed, task.id, 0),
        }
        for task in tasks
    ]


class TRLBugFix:
    """One environment, reset for every rollout."""

    def __init__(self) -> None:
        self._episode: BugFixEnv | None = None

    def reset(self, task: str, episode_key: int, **_row: Any) -> str:
        """Begin an episode of a task; returns the prompt, which TRL appends to the user's message."""
        (chosen,) = (found for found in make_tasks("all") if found.id == task)
        self._episode = BugFixEnv(chosen, GymHarness(), episode_key)
        return self._episode.reset()

    def _act(self, action: str) -> str:
        assert self._episode is not None, "call reset first"
        if self._episode.done:
            return "the episode has ended"
        observation, *_ = self._episode.step(action)
        return observation or "submitted"

    def read(self) -> str:
        """Read the source of the function."""
        return self._act("read")

    def edit(self, operator: str) -> str:
        """Edit the function.

        Args:
            operator: One of fix_comparison, add_zero_guard, extend_range, fix_init, flip_sign, special_case.
        """
        return self._act(f"edit {operator}")

    def test(self) -> str:
        """Run the public tests."""
        return self._act("test")

    def submit(self) -> str:
        """Hand the function in."""
        return self._act("submit")

    def get_reward(self) -> float:
        """Reward of the episode, by the tests that the harness names."""
        return self._episode.reward if self._episode else 0.0
