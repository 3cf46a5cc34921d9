"""17.3: intervals for one task and for a benchmark, and which unit to resample."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from passband.stats import (
    bootstrap_ci,
    design_effect,
    intra_task_correlation,
    pass_rate_interval,
    wald_interval,
    wilson_interval,
)
from tinyagent.chapter.artifacts import BLUE, GREEN, RED, Figure, Published, Section, Table
from tinyagent.chapter.s17_1 import N, base_and_trained
from tinyagent.chapter.words import between
from tinyagent.gym import make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from passband.stats import Estimate
    from tinyagent.chapter.lab import Lab

__all__ = ["episode_bootstrap", "run"]

TRUE = (0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97)
EVALUATIONS, EPISODES = 20_000, 40
BETA, TASKS = (0.4, 0.3), 10
BENCHMARKS = 4_000
SAMPLES = (1, 2, 4, 8, 16, 32, 64)


class _Covered(NamedTuple):
    """Shares of simulated benchmarks whose interval holds the truth."""

    episodes: float
    tasks: float
    default: float
    episodes_these: float


class _Both(NamedTuple):
    """One evaluation's two bootstraps, and how alike its tasks are."""

    rate: float
    episodes_low: float
    episodes_high: float
    tasks_low: float
    tasks_high: float
    icc: float
    effect: float
    ratio: float
    """Width over tasks to width over episodes."""


def episode_bootstrap(c: NDArray[np.int64], n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Percentile interval that takes all episodes of an evaluation for independent: what not to do.

    Parameters
    ----------
    c : ndarray of int, shape (evaluations, tasks)
    n : int
        Episodes a task.

    Returns
    -------
    low, high : ndarray, shape (evaluations,)
    """
    totals, place = np.unique(c.sum(axis=-1), return_inverse=True)
    found = bootstrap_ci((np.arange(c.shape[-1] * n) < totals[:, None]).astype(np.float64))
    return np.asarray(found.low)[place], np.asarray(found.high)[place]


def run(lab: Lab) -> Section:
    """Simulate coverage, and compare intervals on the counts of 17.1."""
    binomial = [_binomial(lab, place, p) for place, p in enumerate(TRUE)]
    covered = {n: _benchmarks(lab, n) for n in SAMPLES}
    at = covered[N]
    counts = dict(zip(("base", "step 80"), base_and_trained(lab), strict=True))
    both = {name: _both(c) for name, c in counts.items()}
    lab.train()
    tasks = make_tasks("held-out")
    seeds = {seed: _both(lab.counts(lab.agent(seed, 80), tasks, n=N, seed=lab.seed)) for seed in lab.seeds}
    columns = (
        "pass@1",
        "episodes, low",
        "high ",
        "tasks, low",
        "high",
        "ICC",
        "design effect",
        "width, tasks : episodes",
    )
    tables = (
        Table(
            "binomial",
            f"Coverage of nominal 95% intervals over {EVALUATIONS:,} evaluations of {EPISODES} episodes of one task",
            ("p", "Wald", "Wilson", "Wald of width 0"),
            binomial,
        ),
        Table(
            "unit",
            f"Coverage of nominal 95% intervals over {BENCHMARKS:,} evaluations of {TASKS} tasks from Beta{BETA}",
            (
                "episodes a task",
                "episodes, population",
                "tasks, population",
                "default, population",
                "episodes, these tasks",
            ),
            [(n, *found) for n, found in covered.items()],
        ),
        Table(
            "measured",
            f"The counts of 17.1, {N} episodes a task",
            ("", *columns),
            [(name, *found) for name, found in both.items()],
        ),
        Table(
            "seeds",
            f"Step 80 of every training seed, {N} episodes a task",
            ("seed", *columns),
            [(seed, *found) for seed, found in seeds.items()],
        ),
    )
    ratios = np.array([found.ratio for found in seeds.values()])
    correlations = np.array([found.icc for found in seeds.values()])
    base, trained = both["base"], both["step 80"]
    (low_p, *low_edge), *_, (high_p, *high_edge) = binomial
    wilson = [row[2] for row in binomial]
    measured = (
        f"For one task at p = {low_p} and {high_p}, the Wald interval of {EPISODES} episodes covers the truth in "
        f"{low_edge[0]:.2f} and {high_edge[0]:.2f} of evaluations, because {low_edge[2]:.2f} of them have width zero; "
        f"Wilson stays between {min(wilson):.2f} and {max(wilson):.2f}.\n\n"
        f"For ten tasks from a U-shaped population and {N} episodes each, resampling episodes covers the population's "
        f"mean in {at.episodes:.2f} of evaluations, and the mean of the very tasks in {at.episodes_these:.3f}: that is "
        f"the question it answers. Resampling tasks covers in {at.tasks:.2f}, and the library's default interval in "
        f"{at.default:.2f}. From 1 to {SAMPLES[-1]} episodes a task the first falls from {covered[1].episodes:.2f} to "
        f"{covered[SAMPLES[-1]].episodes:.2f}.\n\n"
        f"On the measured counts: the base agent's tasks are alike (ICC {base.icc:.3f}, design effect "
        f"{base.effect:.1f}), and its two intervals are {between(base.episodes_low, base.episodes_high)} and "
        f"{between(base.tasks_low, base.tasks_high)}. Step 80 of the first seed has ICC {trained.icc:.2f} and design "
        f"effect {trained.effect:.1f}, and its interval over tasks is {trained.ratio:.1f} times as wide as that over "
        f"episodes."
    )
    both_simulate = ((0.38, at.episodes), (0.93, at.tasks), (0.998, at.episodes_these))
    apart = max(abs(theirs - ours) / np.sqrt(ours * (1 - ours) / 300) for theirs, ours in both_simulate)
    over_seeds = (
        f" How alike the tasks are hangs on the seed: over all, the ICC goes from {correlations.min():.2f} to "
        f"{correlations.max():.2f}, and the ratio of widths from {ratios.min():.1f} to {ratios.max():.1f}, "
        f"{np.median(ratios):.1f} at the median."
    )
    return Section(
        "17.3",
        "Confidence intervals",
        tables,
        (
            Figure(
                "unit",
                f"Figure 17.1. Coverage of nominal 95% intervals for the population's pass rate, {TASKS} tasks from "
                f"Beta{BETA}, {BENCHMARKS:,} evaluations a point.",
                _drawing(covered),
            ),
        ),
        measured + (over_seeds if len(seeds) > 1 else ""),
        (
            Published("Wald at p = 0.03, 0.97", "0.70", f"{low_edge[0]:.2f}, {high_edge[0]:.2f}"),
            Published("Wilson, range", "0.93 to 0.97", f"{min(wilson):.2f} to {max(wilson):.2f}"),
            Published("episodes resampled, population", 0.38, at.episodes),
            Published("episodes resampled, these tasks", 0.998, at.episodes_these),
            Published("tasks resampled, population", 0.93, at.tasks),
            Published("base: ICC", 0.01, base.icc),
            Published(
                "base: widths, episodes and tasks",
                "0.075 and 0.081",
                f"{base.episodes_high - base.episodes_low:.3f} and {base.tasks_high - base.tasks_low:.3f}",
            ),
            Published("step 80: ICC", 0.63, trained.icc),
            Published("step 80: design effect", 20, f"{trained.effect:.1f}"),
            Published("step 80: interval over tasks", "[0.60, 0.96]", between(trained.tasks_low, trained.tasks_high)),
            Published("step 80: tasks as wide as episodes, times", "4.4", f"{trained.ratio:.1f}"),
            Published("the same over all seeds", None, f"{ratios.min():.1f} to {ratios.max():.1f}"),
        ),
        f"Of the shares that both simulate, the furthest apart differ by {apart:.1f} standard errors of the chapter's "
        f"300 evaluations a point; ours rest on {BENCHMARKS:,} and on the exact bootstrap. The measured ICC of step 80 "
        "is that of one training run: large where the run leaves a task or two unsolved, small where it solves them "
        "all, as the table over "
        "seeds shows. The chapter's run is of the first kind.",
    )


def _binomial(lab: Lab, place: int, p: float) -> tuple[float, ...]:
    c = lab.rng("17.3 binomial", place).binomial(EPISODES, p, EVALUATIONS)
    wald, wilson = wald_interval(c, EPISODES), wilson_interval(c, EPISODES)
    empty = float(np.mean(np.asarray(wald.low) == np.asarray(wald.high)))
    return p, _holds(wald, p), _holds(wilson, p), empty


def _holds(found: Estimate, truth: float | NDArray[np.float64]) -> float:
    return _inside(np.asarray(found.low), np.asarray(found.high), truth)


def _inside(low: NDArray[np.float64], high: NDArray[np.float64], truth: float | NDArray[np.float64]) -> float:
    return float(np.mean((low <= truth) & (truth <= high)))


def _benchmarks(lab: Lab, n: int) -> _Covered:
    rng = lab.rng("17.3 unit", n)
    p = rng.beta(*BETA, (BENCHMARKS, TASKS))
    c = rng.binomial(n, p)
    mean = BETA[0] / sum(BETA)
    low, high = episode_bootstrap(c, n)
    return _Covered(
        _inside(low, high, mean),
        _holds(bootstrap_ci(c / n), mean),
        _holds(pass_rate_interval(c, n), mean),
        _inside(low, high, p.mean(axis=1)),
    )


def _both(c: NDArray[np.int64]) -> _Both:
    (low,), (high,) = episode_bootstrap(c[None], N)
    tasks = bootstrap_ci(c / N)
    assert tasks.low is not None
    assert tasks.high is not None
    below, above = float(tasks.low), float(tasks.high)
    ratio = (above - below) / float(high - low)
    icc, effect = float(intra_task_correlation(c, N)), float(design_effect(c, N))
    return _Both(float(c.mean() / N), float(low), float(high), below, above, icc, effect, ratio)


def _drawing(covered: dict[int, _Covered]) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        axis = canvas.subplots()
        for name, colour, label in (
            ("episodes", RED, "resampling episodes"),
            ("tasks", BLUE, "resampling tasks"),
            ("default", GREEN, "default interval"),
        ):
            axis.plot(
                SAMPLES, [getattr(found, name) for found in covered.values()], "o-", ms=3, color=colour, label=label
            )
        axis.axhline(0.95, color="black", linewidth=0.6)
        axis.set(
            xscale="log", xticks=SAMPLES, xticklabels=SAMPLES, ylim=(0, 1), xlabel="episodes a task", ylabel="coverage"
        )
        axis.minorticks_off()
        axis.legend()

    return draw
