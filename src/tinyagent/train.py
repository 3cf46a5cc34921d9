"""Training: the loop, its state, and snapshots along the way."""

from __future__ import annotations

import copy
import time
from dataclasses import fields
from typing import TYPE_CHECKING

import torch

from passband.errors import DataError
from passband.run import sample_seed
from passband.stats import pass_rate_interval
from tinyagent.checkpoint import checkpoint_name, load_checkpoint, save_checkpoint
from tinyagent.grpo import group_advantages, make_surrogate, update
from tinyagent.metrics import StepMetrics, family_success, first_edit_entropy
from tinyagent.rollouts import sample_counts, sample_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from passband.stats import Estimate
    from tinyagent.agent import Agent
    from tinyagent.checkpoint import Checkpoint
    from tinyagent.config import RLConfig
    from tinyagent.gym import Task

__all__ = ["STATE", "Trainer", "check_same_run", "train_rl", "train_snapshots"]

STATE = "training-state.safetensors"
"""What a run goes on from: the last step's weights with the optimizer's moments."""


def check_same_run(saved: Checkpoint, cfg: RLConfig, tasks: Sequence[Task], where: str) -> None:
    """Refuse to go on with a run that is another one.

    Parameters
    ----------
    saved : Checkpoint
        State of the run that is to go on.
    cfg : RLConfig
    tasks : sequence of Task
    where : str
        Of the state.

    Raises
    ------
    DataError
        Naming every field that differs.
    """
    names = [field.name for field in fields(cfg)]
    pairs = [(name, getattr(saved.cfg, name), getattr(cfg, name)) for name in names]
    differ = [f"{name} {old!r} where {new!r} is asked for" for name, old, new in pairs if old != new]
    odd = sorted(set(saved.tasks) ^ {task.id for task in tasks})
    if odd:
        differ.append(f"another split of tasks ({odd[0]} is in one of them)")
    if differ:
        raise DataError(f"was made with {', '.join(differ)}", where=where, fix="take another folder, or its settings")


class Trainer:
    """A training run that can stop after any step, and go on as if it had not.

    Parameters
    ----------
    agent : Agent
        It is trained in place.
    tasks : sequence of Task
        All of them are sampled in every step.
    cfg : RLConfig
    held_out : sequence of Task, optional
        Looked at every ``cfg.eval_every`` steps, for the log alone.
    """

    def __init__(self, agent: Agent, tasks: Sequence[Task], cfg: RLConfig, *, held_out: Sequence[Task] = ()) -> None:
        self.agent = agent
        self.tasks = tuple(tasks)
        self.cfg = cfg
        self.held_out = tuple(held_out)
        self.step = 0
        self.reference = copy.deepcopy(agent.model) if cfg.kl > 0 else None
        self.restart_optimizer()

    def restart_optimizer(self) -> None:
        """Forget the optimizer's moments."""
        self.optimizer = torch.optim.AdamW(
            self.agent.model.parameters(),
            lr=self.cfg.learning_rate,
            betas=self.cfg.betas,
            weight_decay=0.0,
            fused=True,
        )

    def advance(self) -> StepMetrics:
        """Sample one batch, learn from it, and say what happened."""
        begun = time.process_time()
        cfg = self.cfg
        seed = sample_seed(cfg.seed, "tinyagent/training", self.step)
        rollouts = sample_groups(self.agent, self.tasks, cfg, seed=seed, one_name=True)
        advantages = group_advantages(rollouts.reward, cfg.group_size, normalize_std=cfg.normalize_std)
        surrogate = make_surrogate(rollouts, advantages, everything=cfg.kl > 0, device=self.agent.device)
        said = {"kl": 0.0, "grad_norm": 0.0}
        if surrogate is not None:
            for group in self.optimizer.param_groups:
                group["lr"] = cfg.learning_rate_at(self.step)
            said = update(self.agent.model, self.optimizer, surrogate, cfg, self.reference)
        self.step += 1
        spent = time.process_time() - begun
        looks = bool(self.held_out) and cfg.eval_every > 0 and self.step % cfg.eval_every == 0
        assert rollouts.tree is not None
        return StepMetrics(
            step=self.step,
            reward=float(rollouts.reward.mean()),
            success=float(rollouts.success.mean()),
            family_success=dict(family_success(rollouts)),
            first_edit_entropy=dict(first_edit_entropy(rollouts)),
            nodes=len(rollouts.tree),
            kl=said["kl"],
            grad_norm=said["grad_norm"],
            cpu_s=spent,
            held_out=self._look() if looks else None,
        )

    def _look(self) -> Estimate:
        n = self.cfg.eval_episodes
        seed = sample_seed(self.cfg.seed, "tinyagent/look", self.step)
        return pass_rate_interval(sample_counts(self.agent, self.held_out, self.cfg, n=n, seed=seed), n)

    def snapshot(self, path: Path, moments: dict[str, torch.Tensor] | None = None) -> None:
        """Write the agent as it is now."""
        save_checkpoint(path, self.agent, self.cfg, self.step, moments, tasks=[task.id for task in self.tasks])

    def save(self, folder: Path) -> None:
        """Write what `resume` needs."""
        moments = {
            f"{place}.{name}": moment
            for place, state in self.optimizer.state_dict()["state"].items()
            for name, moment in state.items()
        }
        self.snapshot(folder / STATE, moments)
        if self.reference is not None and not (folder / checkpoint_name(0)).exists():
            raise DataError("the agent that training began with is gone", where=str(folder / checkpoint_name(0)))

    def resume(self, folder: Path) -> None:
        """Go on from where `save` was called last.

        Raises
        ------
        DataError
            Where the saved run had another configuration or other tasks.
        """
        saved = load_checkpoint(folder / STATE, device=str(self.agent.device))
        check_same_run(saved, self.cfg, self.tasks, str(folder / STATE))
        self.agent.model.load_state_dict(saved.agent.model.state_dict())
        if self.reference is not None:
            began = load_checkpoint(folder / checkpoint_name(0), device=str(self.agent.device))
            self.reference.load_state_dict(began.agent.model.state_dict())
        state: dict[int, dict[str, torch.Tensor]] = {}
        for key, moment in saved.optimizer.items():
            place, _, name = key.partition(".")
            state.setdefault(int(place), {})[name] = moment
        self.optimizer.load_state_dict({"state": state, "param_groups": self.optimizer.state_dict()["param_groups"]})
        self.step = saved.step


def train_rl(
    agent: Agent,
    tasks: Sequence[Task],
    cfg: RLConfig,
    *,
    steps: int | None = None,
    held_out: Sequence[Task] = (),
    folder: Path | None = None,
    on_step: Callable[[StepMetrics], None] | None = None,
) -> list[StepMetrics]:
    """Train an agent in place.

    Parameters
    ----------
    agent : Agent
    tasks : sequence of Task
    cfg : RLConfig
    steps : int, optional
        The step to stop at; ``cfg.steps``, the length of the whole run, by default.
    held_out : sequence of Task, optional
        See `Trainer`.
    folder : Path, optional
        Keeps ``step-N.safetensors`` of step 0 and of every tenth step, and the state to go on from, written at the same
        steps: a run that finds one there goes on from it, with the same result as an uninterrupted one.
    on_step : callable, optional
        Called after every step, before anything is saved.

    Returns
    -------
    list of StepMetrics
        Of the steps that this call made.
    """
    trainer = Trainer(agent, tasks, cfg, held_out=held_out)
    steps = cfg.steps if steps is None else steps
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / STATE).exists():
            trainer.resume(folder)
        else:
            trainer.snapshot(folder / checkpoint_name(0))
    history = []
    while trainer.step < steps:
        history.append(trainer.advance())
        if on_step is not None:
            on_step(history[-1])
        if folder is not None and (trainer.step % 10 == 0 or trainer.step == steps):
            trainer.snapshot(folder / checkpoint_name(trainer.step))
            trainer.save(folder)
    return history


def train_snapshots(
    agent: Agent,
    tasks: Sequence[Task],
    cfg: RLConfig,
    *,
    steps: int | None = None,
    every: int = 10,
    restart_adam: bool = False,
) -> dict[int, Agent]:
    """Train in chunks and keep a frozen copy after each.

    Parameters
    ----------
    agent : Agent
        It is trained in place.
    tasks : sequence of Task
    cfg : RLConfig
    steps : int, optional
        As for `train_rl`.
    every : int
    restart_adam : bool
        Begin every chunk with a new optimizer, as the experiments that this laboratory repeats did. By default one
        optimizer is carried through, and the last snapshot equals the end of one uninterrupted `train_rl`.

    Returns
    -------
    dict of int to Agent
        Step → agent, step 0 included.
    """
    trainer = Trainer(agent, tasks, cfg)
    steps = cfg.steps if steps is None else steps
    snapshots = {0: copy.deepcopy(agent)}
    while trainer.step < steps:
        trainer.advance()
        if trainer.step % every == 0:
            snapshots[trainer.step] = copy.deepcopy(agent)
            if restart_adam:
                trainer.restart_optimizer()
    return snapshots
