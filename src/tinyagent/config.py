"""Settings of a training run."""

from __future__ import annotations

from dataclasses import dataclass, field

from passband.errors import InvalidInputError
from tinyagent.gym import GymHarness

__all__ = ["RLConfig"]


@dataclass(frozen=True)
class RLConfig:
    """Group-relative policy optimisation: every setting that a run depends on.

    Raises
    ------
    InvalidInputError
        For settings that no run can have.
    """

    harness: GymHarness = field(default_factory=GymHarness)
    """The environment, its budgets, its reward and the sampling temperature: those of training *and* of evaluation."""
    group_size: int = 16
    """Episodes a task and step; their mean reward is the baseline."""
    learning_rate: float = 5e-4
    """Of AdamW, without weight decay, at the first step."""
    final_learning_rate: float = 0.1
    """Share of it that is left in the end, falling linearly over `steps`; 1 keeps it as it is."""
    steps: int = 80
    """Length of the whole run, declared beforehand. Steps beyond it go on at the final learning rate."""
    betas: tuple[float, float] = (0.9, 0.999)
    """Of AdamW. With a short memory of squared gradients, the little that late batches teach moves it as far."""
    epochs: int = 6
    """Passes over a step's episodes, one update each."""
    clip: float = 0.2
    """The probability ratio counts only within 1 ± clip (Schulman et al., 2017, eq. 7)."""
    normalize_std: bool = True
    """Divide advantages by the standard deviation of the group (Shao et al., 2024)."""
    kl: float = 0.0
    """Weight of the divergence from the agent that training began with; 0 leaves it out."""
    max_grad_norm: float = 1.0
    """Gradients longer than this are shortened to it."""
    eval_every: int = 10
    """Steps between two looks at the held-out tasks; 0 for none. Looking never changes the training."""
    eval_episodes: int = 4
    """Episodes a task and look."""
    seed: int = 0
    """Of the training episodes."""

    def __post_init__(self) -> None:
        if self.group_size < 2:
            raise InvalidInputError("a group of one has no baseline", where="RLConfig.group_size", fix="take 2 or more")
        if self.steps < 1 or not 0 < self.final_learning_rate <= 1:
            raise InvalidInputError(f"no schedule comes of {self}", where="RLConfig")
        if self.epochs < 1 or self.learning_rate <= 0 or self.clip <= 0 or self.kl < 0:
            raise InvalidInputError(f"no training comes of {self}", where="RLConfig")

    def learning_rate_at(self, step: int) -> float:
        """Learning rate of the update after `step` others: a function of the configuration and the step alone."""
        return self.learning_rate * (1.0 - (1.0 - self.final_learning_rate) * min(step / self.steps, 1.0))
