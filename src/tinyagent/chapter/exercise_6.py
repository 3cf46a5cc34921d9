"""Common random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats import bootstrap_ci, paired_difference
from tinyagent.chapter.artifacts import Section, Table
from tinyagent.chapter.words import count, estimate
from tinyagent.gym import make_tasks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyagent.chapter.lab import Lab

__all__ = ["Sharing", "run", "sharing"]

N = 32
_REPEATS = 8
_PAIR = (60, 80)


@dataclass(frozen=True)
class Sharing:
    """What the same random numbers do for the difference of two checkpoints."""

    se_same: float
    """Standard error over tasks, of one evaluation of each, both with one generator; root mean square of repeats."""
    se_different: float
    variances: float
    """Var(p60) + Var(p80) over tasks, with either."""
    covariance_same: float
    """2 Cov(p60, p80) over tasks with one generator."""
    covariance_different: float
    correlation: float
    """Of the success of episode i of both checkpoints under one generator, within tasks."""
    noise_same: float
    """Standard deviation of the difference on these tasks: what a repeated evaluation would scatter by."""
    noise_different: float


def sharing(success: NDArray[np.bool_]) -> Sharing:
    """Compare the pairs that share random numbers with the pairs that do not.

    Parameters
    ----------
    success : ndarray of bool, shape (2, repeats, tasks, n)
        Of both checkpoints; equal places share their random numbers.
    """
    counts = success.sum(axis=-1)
    repeats, tasks, n = success.shape[1:]
    before, after = counts[0], counts[1]
    same = paired_difference(before, n, after, n)
    # The next repeat's evaluation has other numbers.
    different = paired_difference(before, n, np.roll(after, 1, axis=0), n)
    rates = counts / n
    variances = rates.var(axis=-1, ddof=1).sum(axis=0).mean()
    episodes = success.transpose(0, 2, 1, 3).reshape(2, tasks, repeats * n).astype(np.float64)
    centred = episodes - episodes.mean(axis=-1, keepdims=True)
    own = (centred**2).sum(axis=-1) / (repeats * n - 1)
    shared = (centred[0] * centred[1]).sum(axis=-1) / (repeats * n - 1)
    scale = np.sqrt(own.sum(axis=-1).prod())

    def root_mean_square(values: object) -> float:
        return float(np.sqrt(np.mean(np.square(np.asarray(values, np.float64)))))

    se_same, se_different = root_mean_square(same.se_paired), root_mean_square(different.se_paired)
    return Sharing(
        se_same=se_same,
        se_different=se_different,
        variances=float(variances),
        covariance_same=float(variances) - tasks * se_same**2,
        covariance_different=float(variances) - tasks * se_different**2,
        correlation=float(shared.sum() / scale) if scale > 0 else 0.0,
        noise_same=float(np.sqrt((own.sum(axis=0) - 2 * shared).sum() / n)) / tasks,
        noise_different=float(np.sqrt(own.sum() / n)) / tasks,
    )


def run(lab: Lab) -> Section:
    """Both ways for every seed."""
    lab.train()
    tasks = make_tasks("held-out")
    found = []
    for seed in lab.seeds:
        agents = [lab.agent(seed, step) for step in _PAIR]
        found.append(
            sharing(
                np.array(
                    [
                        [
                            lab.evaluate(agent, tasks, n=N, seed=lab.derive("exercise-6", again)).success
                            for again in range(_REPEATS)
                        ]
                        for agent in agents
                    ]
                )
            )
        )
    return Section(
        "exercise-6",
        "Common random numbers",
        (_errors(lab, found), _terms(lab, found)),
        (),
        _measured(found),
        (),
        "The exercise publishes no numbers.",
    )


def _errors(lab: Lab, found: list[Sharing]) -> Table:
    return Table(
        "errors",
        f"Step {_PAIR[1]} less step {_PAIR[0]}, {N} episodes a task, root mean square of {_REPEATS} evaluations: its "
        "standard error over tasks, and its scatter on these tasks, with one generator for both and with two",
        ("seed", "SE one", "SE two", "scatter one", "scatter two", "episodes correlate"),
        [
            (seed, one.se_same, one.se_different, one.noise_same, one.noise_different, one.correlation)
            for seed, one in zip(lab.seeds, found, strict=True)
        ],
        digits=4,
    )


def _terms(lab: Lab, found: list[Sharing]) -> Table:
    return Table(
        "terms",
        "The terms of the variance formula over tasks: Var(p60) + Var(p80) − 2 Cov(p60, p80)",
        ("seed", "variances", "2 Cov, one generator", "2 Cov, two"),
        [
            (seed, one.variances, one.covariance_same, one.covariance_different)
            for seed, one in zip(lab.seeds, found, strict=True)
        ],
        digits=4,
    )


def _measured(found: list[Sharing]) -> str:
    scatter = [1 - one.noise_same / one.noise_different for one in found if one.noise_different > 0]
    error = [1 - one.se_same / one.se_different for one in found if one.se_different > 0]
    first = found[0]
    share = np.array([one.covariance_different / one.variances for one in found if one.variances > 0])
    added = np.array([one.covariance_same - one.covariance_different for one in found])
    return (
        f"With one generator for both checkpoints the standard error over tasks of the first seed is "
        f"{first.se_same:.4f}, with two {first.se_different:.4f}. Over {count(found)} one generator takes "
        f"{estimate(bootstrap_ci(error), 2)} of the standard error away (a share; the interval is over seeds), and "
        f"{estimate(bootstrap_ci(scatter), 2)} of the scatter on these tasks.\n\n"
        f"The formula says why. With two generators the covariance is that of difficulty alone: 2 Cov is between "
        f"{share.min():.2f} and {share.max():.2f} of the variances, much where a task is unsolved in both checkpoints. "
        f"One generator adds a covariance of its own, since episode i of one checkpoint and episode i of the other "
        f"then correlate, at {np.mean([one.correlation for one in found]):.2f} on average: {added.mean():.4f} more in "
        f"2 Cov ({added.min():.4f} to {added.max():.4f} by seed). Where checkpoints differ by task, the "
        "spread of those differences is most of the standard error, and no generator touches it; where they hardly "
        "differ, the scatter of episodes is what is left, and the generator takes a good part of it."
    )
