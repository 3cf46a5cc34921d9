"""How many samples, tasks and training runs would show a reported difference."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import TYPE_CHECKING

from passband.stats import minimum_detectable_effect, required_units, task_variance
from passband.stats.recipe import LEAST_SEEDS

if TYPE_CHECKING:
    from passband.compare.claim import Claim

__all__ = ["SampleNeed", "SeedNeed", "sample_needs", "seed_needs", "suggested_need"]

_MOVED = (0.0, 0.1)  # supposed spreads of a task's true change, where the icc is not known
_TRAINING = (0.005, 0.01, 0.02)  # supposed spreads between training runs, where none is known


@dataclass(frozen=True)
class SampleNeed:
    """What tells two checkpoints apart, paired, with the wanted probability."""

    correlation: float
    moved: float
    """Supposed, or from the icc: the spread over tasks of how much the true pass rate of a task differs."""
    samples: int | None
    """Of each of the claim's tasks in each arm; None where no number of them would do."""
    tasks: int
    """With as many samples each as the claim's."""


@dataclass(frozen=True)
class SeedNeed:
    """Training runs of each arm that tell two recipes apart, on the claim's tasks."""

    training_sd: float
    samples: int
    """Samples of each task, of each run."""
    runs: int


def sample_needs(claim: Claim, effect: float, correlations: tuple[float, ...]) -> tuple[SampleNeed, ...]:
    """Plan the evaluation of two checkpoints at each correlation.

    Parameters
    ----------
    claim : Claim
        Its tasks and rates, the difference to detect, level and power.
    effect : float
        The claimed difference, planned for where the claim names no other.
    correlations : tuple of float
        Between one sample of each arm on one task.

    Notes
    -----
    The variance of a task's difference at n samples is moved² + 2 within / n. At one sample it is known from the rates
    and the correlation, so that a supposed `moved`, or the icc, gives the rest.
    """
    wanted, alpha, power = _aim(claim, effect)
    allowed = (wanted / float(minimum_detectable_effect(claim.tasks, 1.0, alpha, power, method="t"))) ** 2
    one, two = (task_variance(rate, claim.tasks) for rate in claim.rates)
    out = []
    for correlation in correlations:
        single = one + two - 2 * correlation * sqrt(one * two)
        for moved in _moved(claim, single, one + two):
            within = (single - moved**2) / 2
            spread = sqrt(moved**2 + 2 * within / claim.samples)
            room = allowed - moved**2  # where none is left, the spread between tasks alone hides the difference
            samples = ceil(2 * within / room - 1e-9) if room > 0 else None
            tasks = int(required_units(wanted, spread, alpha, power, method="t"))
            out.append(SampleNeed(correlation, moved, samples, tasks))
    return tuple(out)


def suggested_need(needs: tuple[SampleNeed, ...]) -> SampleNeed:
    """Pick the plan to ask for: the correlation next to 0.5, and the larger supposed change of tasks."""
    return min(needs, key=lambda need: (abs(need.correlation - 0.5), -need.moved))


def seed_needs(claim: Claim, effect: float, suggested: SampleNeed) -> tuple[SeedNeed, ...]:
    """Plan the training runs of two recipes, at the claim's samples and at those that the checkpoints need.

    Notes
    -----
    A run's rate on these tasks varies by the training variance and by v (1 - icc) / (tasks × samples). Where the icc is
    not known, the correlation of the arms stands for it: it can't be larger than the icc.
    """
    wanted, alpha, power = _aim(claim, effect)
    variance = sum(task_variance(rate, claim.tasks) for rate in claim.rates) / 2
    alike = claim.icc if claim.icc is not None else max(suggested.correlation, 0.0)
    spreads = _TRAINING if claim.training_sd is None else (claim.training_sd / 100,)
    sizes = sorted({claim.samples, suggested.samples or claim.samples})
    out = []
    for spread in spreads:
        for samples in sizes:
            sd = sqrt(spread**2 + variance * (1 - alike) / (claim.tasks * samples))
            runs = int(required_units(wanted, sd, alpha, power, paired=False, method="t"))
            out.append(SeedNeed(spread, samples, max(runs, LEAST_SEEDS)))
    return tuple(out)


def _aim(claim: Claim, effect: float) -> tuple[float, float, float]:
    wanted = abs(effect) if claim.detect is None else claim.detect / 100
    return wanted, 1 - claim.level / 100, claim.power / 100


def _moved(claim: Claim, single: float, arms: float) -> tuple[float, ...]:
    if claim.icc is None:
        return tuple(moved for moved in _MOVED if moved**2 < single)
    return (sqrt(max(single - (1 - claim.icc) * arms, 0.0)),)
