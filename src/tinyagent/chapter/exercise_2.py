"""Exercise 2: 17.7 with four times the episodes, k to 128, and every checkpoint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats import pass_at_k, wilson_interval
from tinyagent.chapter.artifacts import BLUE, GREY, RED, Figure, Published, Section, Table
from tinyagent.chapter.recorded import narrowing_of_counts
from tinyagent.chapter.s17_7 import GUESS
from tinyagent.chapter.words import listed, often
from tinyagent.gym import make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from passband.compare import Narrowing
    from tinyagent.chapter.lab import Lab

__all__ = ["run"]

N, FEW = 256, 64
KS = tuple(2**i for i in range(8))
STEPS = tuple(range(0, 81, 10))
SHOWN = (0, 20, 40, 80)


@dataclass(frozen=True)
class _Run:
    """One training seed."""

    seed: int
    counts: NDArray[np.int64]
    """Successes of `N` episodes, shape (steps, tasks)."""
    few: Narrowing
    """Step 80 against the base agent by the first `FEW` episodes …"""
    many: Narrowing
    """… and by all."""

    @property
    def lost(self) -> NDArray[np.int64]:
        """Tasks whose count at step 80 lies below that at step 0 by more than chance: Wilson's intervals are apart."""
        found = wilson_interval(self.counts[[0, -1]], N)
        low, high = np.asarray(found.low), np.asarray(found.high)
        return np.flatnonzero(high[1] < low[0])

    def falls_from(self, task: int) -> int:
        """Step of the highest count from which on no count reaches it again."""
        counts = self.counts[:, task]
        return STEPS[len(STEPS) - 1 - int(counts[::-1].argmax())]

    def below_from(self, task: int) -> int:
        """First step from which on every count is below that of the base agent."""
        reached = np.flatnonzero(self.counts[:, task] >= self.counts[0, task])
        return STEPS[int(reached[-1]) + 1]


def run(lab: Lab) -> Section:
    """Count every checkpoint of every seed, and compare both ends."""
    lab.train()
    tasks = make_tasks("held-out")
    names = [task.id for task in tasks]
    runs = []
    for seed in lab.seeds:
        played = [lab.evaluate(lab.agent(seed, step), tasks, n=N, seed=lab.seed) for step in STEPS]
        few = [np.asarray(played[end].success[:, :FEW].sum(axis=1), np.int64) for end in (0, -1)]
        counts = np.array([one.counts for one in played])
        runs.append(
            _Run(
                seed,
                counts,
                narrowing_of_counts(names, few[0], few[1], FEW),
                narrowing_of_counts(names, counts[0], counts[-1], N),
            )
        )
    first = runs[0]
    falling = [(one, int(task)) for one in runs for task in one.lost]
    tables = (
        Table(
            "curves",
            f"pass@k over the held-out tasks from {N} episodes a task: first run, and mean of all seeds",
            ("k", "guess", *(_name(step) for step in SHOWN), *(f"{_name(step)}, all" for step in SHOWN)),
            [
                (
                    k,
                    1 - (1 - GUESS) ** k,
                    *(_at(first, step, k) for step in SHOWN),
                    *(float(np.mean([_at(one, step, k) for one in runs])) for step in SHOWN),
                )
                for k in KS
            ],
        ),
        Table(
            "crossings",
            f"First k at which step 80 falls behind the base agent, observed from {FEW} and from {N} episodes a task; "
            "the k by which that is shown at 95% over all k; the share of resampled tasks in which it happens",
            ("seed", f"k, n = {FEW}", f"k, n = {N}", "shown by", "resampled", "tasks that lost"),
            [
                (
                    one.seed,
                    one.few.crossing.observed,
                    one.many.crossing.observed,
                    one.many.crossing.by,
                    one.many.crossing.resampled,
                    listed([names[task] for task in one.lost]),
                )
                for one in runs
            ],
        ),
        Table(
            "lost",
            f"Successes of {N} at every checkpoint, for each task that a seed lost; the step of its last peak, and the "
            "first from which on it stays below the base agent",
            ("seed", "task", *(_name(step) for step in STEPS), "falls after", "below from"),
            [
                (one.seed, names[task], *one.counts[:, task].tolist(), one.falls_from(task), one.below_from(task))
                for one, task in falling
            ],
        ),
        Table(
            "counts",
            f"Successes of {N} at every checkpoint of the first run",
            ("task", *(_name(step) for step in STEPS)),
            [(name, *first.counts[:, row].tolist()) for row, name in enumerate(names)],
        ),
    )
    return Section(
        "exercise-2",
        "More episodes, larger k, every checkpoint",
        tables,
        (
            Figure(
                "counts",
                f"Successes of {N} at every checkpoint: one line a seed, coloured where the seed lost the task.",
                _drawing(runs, names),
                (7.5, 4.2),
            ),
        ),
        _measured(runs, falling, names),
        (
            Published("crossing in 17.7, n = 64", 32, listed([str(k) for k in _crossings(runs, "few")])),
            Published("tasks that lose", "zero/speed", listed(sorted({names[task] for _, task in falling}))),
        ),
        "The exercise publishes no numbers; beside it stands what it starts from, the chapter's 17.7, which has one "
        "run. Whether and where curves cross is a matter of the seed here, and the table has all ten.",
    )


def _name(step: int) -> str:
    return f"step {step}" if step else "base"


def _at(one: _Run, step: int, k: int) -> float:
    return float(np.mean(pass_at_k(N, one.counts[STEPS.index(step)], k)))


def _crossings(runs: list[_Run], which: str) -> list[int]:
    found = {getattr(one, which).crossing.observed for one in runs}
    return sorted(k for k in found if k is not None)


def _measured(runs: list[_Run], falling: list[tuple[_Run, int]], names: list[str]) -> str:
    few, many = ([getattr(one, which).crossing.observed is not None for one in runs] for which in ("few", "many"))
    shown = sum(one.many.crossing.by is not None for one in runs)
    moved = [
        f"seed {one.seed} from {one.few.crossing.observed or 'none'} to {one.many.crossing.observed or 'none'}"
        for one in runs
        if one.few.crossing.observed != one.many.crossing.observed
    ]
    text = (
        f"From {FEW} episodes a task the curves of step 80 and of the base agent cross in "
        f"{often(sum(few), len(runs))}, from {N} in {often(sum(many), len(runs))}. "
        + (f"More episodes moved the k of {listed(moved)}. " if moved else "More episodes moved no crossing. ")
        + f"With ten tasks it is shown at 95% over all k in {shown} of {len(runs)}: tasks are what is short, and more "
        "episodes are not."
    )
    if not falling:
        return f"{text}\n\nNo seed lost a task by more than chance."
    seeds = len({one.seed for one, _ in falling})
    each = [
        f"{names[task]} in {often(sum(task == other for _, other in falling), len(runs))}"
        for task in sorted({task for _, task in falling})
    ]
    begins = [
        f"seed {one.seed} after step {one.falls_from(task)} ({one.counts[0, task]} at the start, "
        f"{one.counts[:, task].max()} there, {one.counts[-1, task]} in the end)"
        for one, task in falling
    ]
    return (
        f"{text}\n\nA task is lost by more than chance in {often(seeds, len(runs))}: {listed(each)}. It starts to "
        f"fall, for good, in {listed(begins)}."
    )


def _drawing(runs: list[_Run], names: list[str]) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots(2, 5, sharex=True, sharey=True)
        for task, (axis, name) in enumerate(zip(axes.flat, names, strict=True)):
            for one in runs:
                gone = task in one.lost
                axis.plot(STEPS, one.counts[:, task], color=RED if gone else GREY, linewidth=1.4 if gone else 0.6)
            axis.plot(STEPS, np.mean([one.counts[:, task] for one in runs], axis=0), color=BLUE, linewidth=1.6)
            axis.set_title(name, fontsize=8)
            axis.set_xticks((0, 40, 80))
        axes[0, 0].plot([], [], color=BLUE, label="mean of seeds")
        axes[0, 0].plot([], [], color=RED, label="a seed that lost it")
        axes[0, 0].plot([], [], color=GREY, label="the other seeds")
        canvas.legend(loc="outside upper center", ncols=3)
        canvas.supxlabel("step")
        canvas.supylabel(f"successes of {N}")

    return draw
