"""Snapshots of training runs: how one is made, which are shipped, and what their names in the cache depend on."""

from __future__ import annotations

import fcntl
import hashlib
import json
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from tinyagent.config import RLConfig
from tinyagent.gym import make_tasks

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["alone", "code_digest", "recipe_digest", "shipped_snapshots", "snapshot_name", "train_run"]

_NOT_OF_THE_RECIPE = {"__init__.py", "cli.py", "scripted.py", "subject.py", "suite.py"}


def train_run(folder: Path, seed: int, split: str, steps: int) -> None:
    """Train one run into its folder; the work of a process of its own."""
    from tinyagent.checkpoint import load_checkpoint
    from tinyagent.cloning import CloningConfig, base_agent
    from tinyagent.train import STATE, train_rl

    folder.mkdir(parents=True, exist_ok=True)
    tasks = make_tasks(split)
    with alone(folder):
        saved = folder / STATE
        agent = load_checkpoint(saved).agent if saved.exists() else base_agent(CloningConfig(seed=seed), tasks=tasks)
        train_rl(agent, tasks, RLConfig(seed=seed), steps=steps, folder=folder)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let one process at a time train a run: a second command waits, and finds it done."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def snapshot_name(step: int) -> str:
    """File name of the snapshot after `step` updates."""
    from tinyagent.checkpoint import checkpoint_name

    return checkpoint_name(step)


@cache
def shipped_snapshots() -> dict[tuple[int, int], Path]:
    """Shipped checkpoints of the default recipe, by seed and step."""
    from tinyagent.checkpoint import load_checkpoint, shipped

    loaded = {path: load_checkpoint(path) for path in shipped().values()}
    return {
        (checkpoint.cfg.seed, checkpoint.step): path
        for path, checkpoint in loaded.items()
        if checkpoint.cfg == RLConfig(seed=checkpoint.cfg.seed)
    }


@cache
def code_digest() -> str:
    """Digest of all code that decides on an episode or an update, and of torch's version."""
    digest = hashlib.sha256(version("torch").encode())
    package = Path(__file__).parents[1]
    modules = [
        *(path for path in package.glob("*.py") if path.name not in _NOT_OF_THE_RECIPE),
        *package.glob("gym/*.py"),
    ]
    for path in sorted(modules):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def recipe_digest() -> str:
    """Digest of what a training run depends on besides its seed: another recipe has other folders."""
    from tinyagent.cloning import CloningConfig

    settings = json.dumps([asdict(RLConfig()), asdict(CloningConfig())])
    return hashlib.sha256(f"{code_digest()}\0{settings}".encode()).hexdigest()
