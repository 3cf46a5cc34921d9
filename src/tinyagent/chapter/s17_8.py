"""Choosing a checkpoint without touching the test set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import bootstrap_ci, expected_maximum, pass_rate_interval, select_checkpoint, standard_error
from tinyagent.chapter.artifacts import BLUE, GREEN, GREY, Figure, Published, Section, Table
from tinyagent.chapter.cells import ends, number
from tinyagent.chapter.s17_4 import EARLY, early_counts
from tinyagent.chapter.s17_4 import N as EARLY_N
from tinyagent.chapter.words import count, estimate, often
from tinyagent.gym import make_tasks
from tinyagent.gym.tasks import HELD_OUT_VARIANTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from passband.stats import CheckpointChoice
    from tinyagent.chapter.lab import Lab

__all__ = ["PARTS", "STEPS", "choose", "counts_of", "run", "simulate"]

N = 80
"""Episodes a task: ten small evaluations of eight."""
PARTS = 10
STEPS = tuple(range(10, 81, 10))
_SIMULATED = 160
_ROUNDS = 20_000
_SEEDS_SHOWN = 4


def counts_of(lab: Lab, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Successes of `N` episodes at each of `STEPS`: on the validation half of the held-out tasks, and on the test half.

    A half has one variant of each family.

    Returns
    -------
    tuple of two ndarrays of int64, shape (checkpoints, 5)
    """
    lab.train()
    tasks = make_tasks("held-out")
    # Checkpoints are evaluated apart, as they would be: no common random numbers.
    counts = np.array(
        [lab.counts(lab.agent(seed, step), tasks, n=N, seed=lab.derive(f"17.8 step {step}", seed)) for step in STEPS]
    )
    validation, test = (np.array([task.variant == variant for task in tasks]) for variant in HELD_OUT_VARIANTS)
    return counts[:, validation], counts[:, test]


def choose(lab: Lab, validation: NDArray[np.int64], test: NDArray[np.int64]) -> CheckpointChoice:
    """Choose by validation, and see what choosing by small test evaluations does."""
    return select_checkpoint(
        (validation, N), (test, N), estimand="these-tasks", parts=PARTS, splits=1000, seed=lab.derive("17.8 splits")
    )


def simulate(lab: Lab, rate: float, checkpoints: int) -> float:
    """Mean excess of the best of several equally good checkpoints over their rate, by simulation."""
    scores = lab.rng("17.8 equals").binomial(_SIMULATED, rate, size=(_ROUNDS, checkpoints)) / _SIMULATED
    return float(scores.max(axis=1).mean() - rate)


def run(lab: Lab) -> Section:
    """Validation and test over checkpoints; both choices; what choosing on test adds, for every seed."""
    counts = [counts_of(lab, seed) for seed in lab.seeds]
    choices = [choose(lab, validation, test) for validation, test in counts]
    truth = float(counts[0][1][-1].mean() / N)
    equals = simulate(lab, truth, len(STEPS))
    early = early_counts(lab)[:_SEEDS_SHOWN, :, 0]
    return Section(
        "17.8",
        "Choosing a checkpoint without touching the test set",
        (_checkpoints(*counts[0]), _choices(lab, choices), _picks(choices)),
        (_figure(lab, counts[0], early),),
        _measured(counts, choices, truth, equals),
        _published(counts[0], choices, equals),
        "Which half is the easier one is decided by where the unsolved tasks of a seed fall, as in the chapter. The "
        "inflation is of the chapter's size though our evaluations scatter less, being nearer to one: the late "
        "checkpoints lie so close together that choosing among them chooses noise.",
    )


def _checkpoints(validation: NDArray[np.int64], test: NDArray[np.int64]) -> Table:
    rows = []
    for step, chosen, reported in zip(STEPS, validation, test, strict=True):
        rows.append((step, *(cell for half in (chosen, reported) for cell in ends(pass_rate_interval(half, N)))))
    return Table(
        "checkpoints",
        f"Pass@1 of the first seed's checkpoints on both halves of the held-out tasks ({N} episodes each of five "
        "tasks), with 95% intervals for tasks like these",
        ("step", "validation", "low", "high", "test", "low", "high"),
        rows,
    )


def _choices(lab: Lab, choices: list[CheckpointChoice]) -> Table:
    rows = []
    for seed, choice in zip(lab.seeds, choices, strict=True):
        chosen = (STEPS[choice.chosen], choice.validation, *ends(choice.test))
        rows.append((seed, *chosen, STEPS[choice.best_on_test], choice.best_test, number(choice.inflation)))
    return Table(
        "choices",
        f"Ten seeds: the step that validation chooses and its test score; the step that test would choose and what it "
        f"would report; and the inflation of choosing by a test evaluation of {N // PARTS} episodes a task",
        ("seed", "by validation", "validation", "test", "low", "high", "by test", "best test", "inflation"),
        rows,
    )


def _picks(choices: list[CheckpointChoice]) -> Table:
    shares = np.array([choice.picks / choice.n_splits for choice in choices])
    return Table(
        "picks",
        f"Which step a test evaluation of {N // PARTS} episodes a task picks: share of all random parts, first seed "
        f"and mean of {count(choices)}",
        ("step", "first seed", f"mean of {count(choices)}"),
        list(zip(STEPS, shares[0].tolist(), shares.mean(axis=0).tolist(), strict=True)),
    )


def _figure(lab: Lab, counts: tuple[NDArray[np.int64], NDArray[np.int64]], early: NDArray[np.int64]) -> Figure:
    def bars(
        axes: Axes, places: NDArray[np.float64], cells: Sequence[tuple[float | None, ...]], colour: str, label: str
    ) -> None:
        value, low, high = np.array(cells, np.float64).T
        axes.errorbar(places, value, yerr=(value - low, high - value), fmt="o", ms=4, color=colour, label=label)

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        steps = np.array(STEPS, np.float64)
        for half, shift, colour, label in ((0, -1.0, GREEN, "validation"), (1, 1.0, BLUE, "test")):
            bars(left, steps + shift, [ends(pass_rate_interval(one, N)) for one in counts[half]], colour, label)
        seeds = np.arange(len(early), dtype=np.float64)
        episodes = [ends(pass_rate_interval(one, EARLY_N, "these-tasks")) for one in early]
        tasks = [ends(pass_rate_interval(one, EARLY_N)) for one in early]
        bars(right, seeds - 0.1, episodes, GREY, "these tasks")
        bars(right, seeds + 0.1, tasks, BLUE, "tasks like these")
        left.set(xlabel="step", ylabel="pass@1", ylim=(0, 1.02))
        right.set(xlabel=f"seed, step {EARLY}")
        right.set_xticks(seeds, [str(seed) for seed in lab.seeds[: len(early)]])
        for axes in (left, right):
            axes.legend(loc="lower right")

    return Figure(
        "figure-17-4",
        f"Left: validation and test pass@1 of the checkpoints of the first seed, five tasks each, with 95% intervals "
        f"for tasks like these. Right: the first {len(early)} seeds at step {EARLY} on all ten held-out tasks, each "
        "with the interval for these tasks and that for tasks like these.",
        draw,
        (7.0, 3.2),
    )


def _measured(
    counts: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
    choices: list[CheckpointChoice],
    truth: float,
    equals: float,
) -> str:
    first = choices[0]
    inflation = np.array([choice.inflation for choice in choices], np.float64)
    same = sum(choice.chosen == choice.best_on_test for choice in choices)
    picked = [step for step, times in zip(STEPS, first.picks, strict=True) if times]
    error = np.sqrt(truth * (1 - truth) / _SIMULATED)
    small = float(standard_error(counts[0][1][first.chosen], N, "these-tasks")) * np.sqrt(PARTS)
    share = often(int((inflation > 0).sum()), len(choices))
    return (
        f"Validation chooses step {STEPS[first.chosen]} of the first seed at {first.validation:.3f}; its test score, "
        f"which no choice has touched, is {estimate(first.test)} on these tasks. Test would choose step "
        f"{STEPS[first.best_on_test]} and report {first.best_test:.3f}. Over {count(choices)} the two choices agree in "
        f"{often(same, len(choices))}.\n\n"
        f"Whether a report is inflated is a matter of the procedure, so it is repeated: a tenth of the test episodes "
        f"picks a checkpoint, the other nine score it. For the first seed such evaluations pick {len(picked)} "
        f"different steps, and the pick scores {first.inflation:+.3f} above itself; the standard error of so small an "
        f"evaluation of the chosen step is {small:.3f}. Over {count(choices)} the inflation is "
        f"{estimate(bootstrap_ci(inflation))} on average, and above zero in {share}. {len(STEPS)} equally good "
        f"checkpoints with a rate of {truth:.3f} and {_SIMULATED} test episodes each give {equals:.3f} by simulation, "
        f"and {error * float(expected_maximum(len(STEPS))):.3f} by σ E[max] with σ = {error:.3f}."
    )


def _published(
    counts: tuple[NDArray[np.int64], NDArray[np.int64]], choices: list[CheckpointChoice], equals: float
) -> tuple[Published, ...]:
    first = choices[0]
    return (
        Published("validation at step 80", 0.975, float(counts[0][-1].mean() / N)),
        Published("step chosen by validation", 80, STEPS[first.chosen]),
        Published("its test score", 0.744, number(first.test.value)),
        Published("step chosen by test", 70, STEPS[first.best_on_test]),
        Published("what it reports", 0.762, first.best_test),
        Published("inflation of small evaluations", 0.03, number(first.inflation)),
        Published("simulation of eight equals", 0.04, equals),
    )
