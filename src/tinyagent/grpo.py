"""Group-relative policy optimisation (Shao et al., 2024) with the clipped objective of PPO (Schulman et al., 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from tinyagent.scoring import pack, tree_log_probs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyagent.config import RLConfig
    from tinyagent.model import Model
    from tinyagent.rollouts import Rollouts
    from tinyagent.scoring import PackedTree

__all__ = ["Surrogate", "group_advantages", "make_surrogate", "update"]

_NO_SPREAD = 1e-4  # added to the standard deviation, as in the original


def group_advantages(rewards: NDArray[np.float64], group_size: int, *, normalize_std: bool) -> NDArray[np.float64]:
    """Reward of each episode relative to its group: minus the mean, over the standard deviation if asked.

    Parameters
    ----------
    rewards : ndarray, shape (groups × group_size,)
    group_size : int
    normalize_std : bool

    Returns
    -------
    ndarray, shape (groups × group_size,)
        0 throughout a group whose rewards are equal.

    Examples
    --------
    >>> group_advantages(np.array([1.0, 0.0, 0.0, 1.0]), 2, normalize_std=False).tolist()
    [0.5, -0.5, -0.5, 0.5]
    """
    groups = rewards.reshape(-1, group_size)
    centred = groups - groups.mean(axis=1, keepdims=True)
    if normalize_std:
        centred = centred / (groups.std(axis=1, keepdims=True) + _NO_SPREAD)
    return np.asarray(centred.reshape(-1), np.float64)


@dataclass(frozen=True)
class Surrogate:
    """The objective of one batch, as sums over the nodes of its tree.

    All episodes through a node share its probability ratio r. Each wants A r, but no further than 1 + clip where its
    A > 0 and 1 − clip where A < 0; so two sums of advantages a node say everything, one for each sign.
    """

    packed: PackedTree
    old: torch.Tensor
    """Log probability of each action when it was sampled."""
    gain: torch.Tensor
    """Sum of the positive advantages through each action, each over its episode's length and the number of episodes."""
    loss: torch.Tensor
    """The same of the negative ones."""
    share: torch.Tensor
    """The same with 1 in place of the advantage: what the divergence is averaged by."""

    def value(self, logp: torch.Tensor, clip: float) -> torch.Tensor:
        """Clipped objective, to be maximised."""
        ratio = (logp - self.old).exp()
        return (self.gain * ratio.clamp(max=1.0 + clip) + self.loss * ratio.clamp(min=1.0 - clip)).sum()


def make_surrogate(
    rollouts: Rollouts, advantages: NDArray[np.float64], *, everything: bool, device: torch.device
) -> Surrogate | None:
    """Sum advantages over the tree.

    Parameters
    ----------
    rollouts : Rollouts
        Of the agent.
    advantages : ndarray, shape (episodes,)
    everything : bool
        Keep the actions of episodes without an advantage too: they have no gradient but through the divergence.
    device : torch.device

    Returns
    -------
    Surrogate or None
        None where nothing is left: every group was of one mind.
    """
    tree = rollouts.tree
    assert tree is not None
    each = 1.0 / (tree.actions_per_episode * len(advantages))
    gain = tree.through(np.maximum(advantages, 0.0) * each)
    loss = tree.through(np.minimum(advantages, 0.0) * each)
    scored = np.flatnonzero(tree.is_action & (everything | (gain > 0.0) | (loss < 0.0)))
    if not len(scored):
        return None

    def on_device(values: NDArray[np.float64]) -> torch.Tensor:
        return torch.from_numpy(values[scored].astype(np.float32)).to(device)

    return Surrogate(
        packed=pack(tree, scored, device),
        old=on_device(tree.logp),
        gain=on_device(gain),
        loss=on_device(loss),
        share=on_device(tree.through(each)),
    )


def update(
    model: Model,
    optimizer: torch.optim.Optimizer,
    surrogate: Surrogate,
    cfg: RLConfig,
    reference: Model | None = None,
) -> dict[str, float]:
    """Climb the objective of one batch for ``cfg.epochs`` steps of the optimizer.

    Parameters
    ----------
    model, optimizer
    surrogate : Surrogate
    cfg : RLConfig
    reference : Model, optional
        Where ``cfg.kl`` > 0: the weights that training began with.

    Returns
    -------
    dict
        ``kl`` to the policy that sampled (mean of r − 1 − log r over actions, Schulman's k3) and ``grad_norm``, both at
        the last step.
    """
    temperature = cfg.harness.temperature
    anchor = None
    if reference is not None:
        with torch.no_grad():
            anchor = tree_log_probs(reference, surrogate.packed, temperature)
    said = {}
    for _ in range(cfg.epochs):
        logp = tree_log_probs(model, surrogate.packed, temperature)
        objective = surrogate.value(logp, cfg.clip)
        if anchor is not None:
            away = anchor - logp
            objective = objective - cfg.kl * (surrogate.share * (away.exp() - 1.0 - away)).sum()
        optimizer.zero_grad()
        torch.autograd.backward(-objective)
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), cfg.max_grad_norm)
        optimizer.step()
        moved = surrogate.old - logp.detach()
        said = {"kl": float((moved.exp() - 1.0 - moved).mean()), "grad_norm": float(norm)}
    return said
