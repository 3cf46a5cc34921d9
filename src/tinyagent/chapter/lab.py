"""What the sections work with: agents of ten training seeds, and evaluations of them, both kept in a cache."""

from __future__ import annotations

import hashlib
import json
import os
from concurrent.futures import ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import UsageError
from passband.run import sample_seed
from tinyagent.chapter.snapshots import code_digest, recipe_digest, shipped_snapshots, snapshot_name, train_run
from tinyagent.config import RLConfig
from tinyagent.gym import OPERATORS
from tinyagent.rollouts import sample_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from typing import TypeAlias

    from numpy.typing import NDArray

    from tinyagent.agent import Agent
    from tinyagent.gym import Task
    from tinyagent.rollouts import Policy

    Bar: TypeAlias = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]

__all__ = ["NO_EDIT", "STEPS", "Evaluation", "Lab", "default_cache"]

STEPS = 80
"""Updates of a whole training run."""
NO_EDIT = -1
"""First edit of an episode without one."""
_SEEDS = 10
_EVERY = 10
_PROCESSES = 2


def default_cache() -> Path:
    """Return where snapshots and evaluations are kept: ``$XDG_CACHE_HOME/passband/tinyagent``, or in ``~/.cache``."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "passband" / "tinyagent"


@dataclass(frozen=True)
class Evaluation:
    """What n episodes of every task did; all arrays have the shape (tasks, n)."""

    success: NDArray[np.bool_]
    """Submitted, and every hidden test passes."""
    first_edit: NDArray[np.int64]
    """Index into `tinyagent.gym.OPERATORS` of the first edit that was made, or `NO_EDIT`."""
    reads: NDArray[np.int64]
    """How often the episode read the program."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Successes of each task, as `tinyagent.sample_counts` counts them."""
        return np.asarray(self.success.sum(axis=1), np.int64)


class Lab:
    """Trains, remembers and evaluates.

    Parameters
    ----------
    seed : int
        Of everything: training seeds, episodes, simulations. The same seed gives the same sections.
    cache : Path, optional
        Folder of snapshots and evaluations; `default_cache` by default.
    seeds : sequence of int, optional
        Training seeds; ten by default. With ``(0,)`` the sections that look at shipped steps alone train nothing.
    bar : callable, optional
        ``bar(what, total)`` opens a progress bar: a context manager that gives a callable saying how much is done.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        cache: Path | None = None,
        seeds: Sequence[int] | None = None,
        bar: Bar | None = None,
    ) -> None:
        self.seed = seed
        self.seeds = tuple(range(_SEEDS * seed, _SEEDS * (seed + 1))) if seeds is None else tuple(seeds)
        """The training seeds; the first is *the* run of the sections about one run."""
        self.cache = cache or default_cache()
        self._bar = bar or _no_bar

    def derive(self, name: str, index: int = 0) -> int:
        """Return a seed for a purpose, such as ``17.2 simulation``; no two purposes share one."""
        return sample_seed(self.seed, f"tinyagent/chapter/{name}", index)

    def rng(self, name: str, index: int = 0) -> np.random.Generator:
        """Return a generator for a simulation, of its own by `derive`."""
        return np.random.default_rng(self.derive(name, index))

    def path(self, seed: int, step: int, *, split: str = "train") -> Path:
        """Find the snapshot of a training seed after some updates; train what is missing.

        Parameters
        ----------
        seed : int
            Of base agent and training.
        step : int
            0 (the base agent), 10, …, 80.
        split : str
            Tasks it was trained on: ``train``, ``train-without:FAMILY``.

        Returns
        -------
        Path
            Of a checkpoint: the shipped one where that is of this run, the one in the cache otherwise. On a processor
            that rounds otherwise than the one the shipped ones were made on, those in between are of a sister run.

        Raises
        ------
        UsageError
            For a step that no snapshot is kept of.
        """
        if step % _EVERY or not 0 <= step <= STEPS:
            raise UsageError(f"no snapshot is kept of step {step}", where="Lab", fix="0, 10, … 80")
        if split == "train" and (seed, step) in shipped_snapshots():
            return shipped_snapshots()[seed, step]
        # Whoever asks for one step that is not shipped will ask for the others.
        self._ensure([seed], STEPS if split == "train" else step, split)
        return self._folder(seed, split) / snapshot_name(step)

    def agent(self, seed: int, step: int, *, split: str = "train") -> Agent:
        """Load the agent that `path` finds."""
        from tinyagent.checkpoint import load_checkpoint

        return load_checkpoint(self.path(seed, step, split=split)).agent

    def train(self, seeds: Iterable[int] | None = None, *, steps: int = STEPS, split: str = "train") -> None:
        """Train seeds side by side, two at a time, as far as they are neither shipped nor in the cache.

        Parameters
        ----------
        seeds : iterable of int, optional
            All of the lab's by default.
        steps, split
            As for `path`. A later call may ask for more steps; the run then goes on.
        """
        asked = self.seeds if seeds is None else seeds
        self._ensure(
            [one for one in asked if split != "train" or (one, steps) not in shipped_snapshots()], steps, split
        )

    def _ensure(self, seeds: Sequence[int], steps: int, split: str) -> None:
        wanted = [seed for seed in seeds if not (self._folder(seed, split) / snapshot_name(steps)).exists()]
        if not wanted:
            return
        folders = {seed: self._folder(seed, split) for seed in wanted}
        noun = "seed" if len(wanted) == 1 else "seeds"
        total = len(wanted) * (steps // _EVERY + 1)
        with (
            self._bar(f"training {len(wanted)} {noun} on {split}", total) as done,
            # Spawned, since torch's threads do not survive a fork.
            ProcessPoolExecutor(min(_PROCESSES, len(wanted)), mp_context=get_context("spawn")) as pool,
        ):
            waiting = {pool.submit(train_run, folders[seed], seed, split, steps) for seed in wanted}
            while waiting:
                finished, waiting = wait(waiting, timeout=0.5)
                for one in finished:
                    one.result()
                done(sum(len(list(folder.glob("step-*.safetensors"))) for folder in folders.values()))

    def _folder(self, seed: int, split: str) -> Path:
        return self.cache / f"runs-{recipe_digest()[:12]}" / f"{split.replace(':', '-')}-seed-{seed}"

    def evaluate(
        self, policy: Policy, tasks: Sequence[Task], cfg: RLConfig | None = None, *, n: int = 32, seed: int = 0
    ) -> Evaluation:
        """Play n episodes of every task, or remember having played them.

        Parameters
        ----------
        policy : Policy
            An agent's evaluations are kept by its weights; a scripted policy plays again each time.
        tasks : sequence of Task
        cfg : RLConfig, optional
            Its harness is that of the evaluation; that of training by default.
        n : int
            Episodes a task.
        seed : int
            As for `tinyagent.sample_groups`: two checkpoints given one seed share their random numbers.
        """
        from tinyagent.agent import Agent

        cfg = cfg or RLConfig()
        if not isinstance(policy, Agent):
            return _play(policy, tasks, cfg, n, seed)
        from tinyagent.checkpoint import weights_digest

        what = [weights_digest(policy.model), [task.id for task in tasks], asdict(cfg.harness), n, seed, code_digest()]
        key = hashlib.sha256(json.dumps(what).encode()).hexdigest()
        file = self.cache / "evaluations" / f"{key[:32]}.npz"
        if not file.exists():
            played = _play(policy, tasks, cfg, n, seed)
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(f"{key[:32]}.{os.getpid()}.part.npz")
            np.savez_compressed(part, success=played.success, first_edit=played.first_edit, reads=played.reads)
            part.replace(file)
        with np.load(file) as kept:
            return Evaluation(kept["success"], kept["first_edit"], kept["reads"])

    def counts(
        self, policy: Policy, tasks: Sequence[Task], cfg: RLConfig | None = None, *, n: int = 32, seed: int = 0
    ) -> NDArray[np.int64]:
        """Count the successes of each task; otherwise as `evaluate`."""
        return self.evaluate(policy, tasks, cfg, n=n, seed=seed).counts


def _play(policy: Policy, tasks: Sequence[Task], cfg: RLConfig, n: int, seed: int) -> Evaluation:
    rollouts = sample_groups(policy, tasks, cfg, n=n, seed=seed)
    edits = np.array([OPERATORS.index(env.edits[0]) if env.edits else NO_EDIT for env in rollouts.envs], np.int64)
    reads = np.array([sum(action == "read" for action, _ in env.transcript) for env in rollouts.envs], np.int64)
    shape = (len(tasks), n)
    return Evaluation(
        rollouts.success.reshape(shape), edits[rollouts.row].reshape(shape), reads[rollouts.row].reshape(shape)
    )


@contextmanager
def _no_bar(_what: str, _total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _done: None
