"""Episodes of any policy: training and evaluation sample through `sample_groups`, and only through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from passband.run import sample_seed
from tinyagent.gym import PLAIN_HARNESS, BugFixEnv, GymHarness, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from tinyagent.config import RLConfig
    from tinyagent.tree import TokenTree

__all__ = ["Policy", "Rollouts", "eval_pass", "make_env", "pass_rate", "sample_counts", "sample_groups"]


@dataclass(frozen=True)
class Rollouts:
    """Finished episodes. Equal episodes may share one environment and, for the agent, one path of the tree."""

    envs: tuple[BugFixEnv, ...]
    """The distinct ones."""
    row: NDArray[np.int64]
    """Episode → its place in `envs`."""
    tree: TokenTree | None = None
    """What the agent read and wrote; None for a scripted policy."""

    def __len__(self) -> int:
        return len(self.row)

    @property
    def reward(self) -> NDArray[np.float64]:
        """Reward of each episode."""
        return np.array([env.reward for env in self.envs])[self.row]

    @property
    def success(self) -> NDArray[np.bool_]:
        """Whether each episode submitted and passed every hidden test."""
        return np.array([env.success for env in self.envs])[self.row]

    def episode(self, index: int) -> BugFixEnv:
        """The finished environment of one episode, with its transcript."""
        return self.envs[int(self.row[index])]


class Policy(Protocol):
    """Who acts."""

    def rollout(self, envs: Sequence[BugFixEnv], keys: NDArray[np.uint64]) -> Rollouts:
        """Play episodes to their end.

        Parameters
        ----------
        envs : sequence of BugFixEnv
            Not reset yet.
        keys : ndarray of uint64, shape (episodes,)
            Source of each episode's randomness: it comes out the same whatever it is played together with.
        """
        ...


def make_env(cfg: RLConfig) -> Callable[[Task, int], BugFixEnv]:
    """Return what makes the environment of a training configuration, from a task and an episode's key."""

    def make(task: Task, episode_key: int) -> BugFixEnv:
        return BugFixEnv(task, cfg.harness, episode_key)

    return make


def sample_groups(
    policy: Policy, tasks: Sequence[Task], cfg: RLConfig, *, n: int | None = None, seed: int = 0, one_name: bool = False
) -> Rollouts:
    """Sample n episodes of every task.

    Parameters
    ----------
    policy : Policy
    tasks : sequence of Task
    cfg : RLConfig
        Template, renaming, budgets and temperature all come from ``cfg.harness``.
    n : int, optional
        Episodes a task; ``cfg.group_size`` by default.
    seed : int
        Episode i of a task has the key ``passband.run.sample_seed(seed, task.id, i)``, as in ``passband run --seed``.
        Two checkpoints that are given one seed are compared under common random numbers.
    one_name : bool
        Give all episodes of a task the name that its first one draws, so that a group shares its prompt.

    Returns
    -------
    Rollouts
        Episodes in the order of tasks, n at a time.
    """
    n = n or cfg.group_size
    make = make_env(cfg)
    keys = [sample_seed(seed, task.id, index) for task in tasks for index in range(n)]
    envs = [
        make(task, keys[place * n + (0 if one_name else index)])
        for place, task in enumerate(tasks)
        for index in range(n)
    ]
    return policy.rollout(envs, np.array(keys, np.uint64))


def sample_counts(
    policy: Policy, tasks: Sequence[Task], cfg: RLConfig, *, n: int = 32, seed: int = 0
) -> NDArray[np.int64]:
    """Count the successes of n episodes of every task, by their hidden tests whatever ``cfg.harness.reward`` says.

    Returns
    -------
    ndarray of int64, shape (tasks,)
    """
    success = sample_groups(policy, tasks, cfg, n=n, seed=seed).success
    counts: NDArray[np.int64] = success.reshape(len(tasks), n).sum(axis=1, dtype=np.int64)
    return counts


def eval_pass(policy: Policy, tasks: Sequence[Task], cfg: RLConfig, *, n: int = 4, seed: int = 0) -> float:
    """Pass@1 under the training harness: the average over tasks of `sample_counts` / n."""
    return float(sample_counts(policy, tasks, cfg, n=n, seed=seed).mean() / n)


def pass_rate(
    policy: Policy, tasks: Sequence[Task], *, n: int = 4, seed: int = 0, harness: GymHarness = PLAIN_HARNESS
) -> float:
    """Pass@1 in the plain environment, where edits have no limit: not comparable with `eval_pass`."""
    from tinyagent.config import RLConfig

    return eval_pass(policy, tasks, RLConfig(harness=harness), n=n, seed=seed)
