"""Design problems in practice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import bootstrap_ci, expected_maximum, paired_difference, required_units, select_checkpoint
from tinyagent.chapter.artifacts import Published, Section, Table
from tinyagent.chapter.cells import number
from tinyagent.chapter.s17_8 import PARTS, STEPS, counts_of
from tinyagent.chapter.s17_8 import N as EPISODES
from tinyagent.chapter.words import count, estimate
from tinyagent.config import RLConfig
from tinyagent.gym import PLAIN_HARNESS, GymHarness, make_tasks
from tinyagent.rollouts import eval_pass, sample_groups
from tinyagent.scripted import HACKER, STACKER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tinyagent.chapter.lab import Lab

__all__ = ["run", "scripted"]

_AGAIN = 8
_SMALL = 4
"""Episodes a task that `RLConfig` looks with: 40 on the held-out tasks."""
_EFFECT = 0.05
_CANDIDATES = (2, 4, 8)


def run(lab: Lab) -> Section:
    """A noisy evaluation, a drifting harness, a reused reward, a choice by test: each in numbers."""
    again = _small_evaluations(lab)
    stacker, hacker = scripted()
    inflated = _inflation(lab)
    drift = Table(
        "drift",
        "Held-out pass@1 of the stacker, which applies three fixed operators and submits",
        ("harness", "pass@1"),
        list(zip(("one edit, as in training", "edits without limit"), stacker, strict=True)),
    )
    reward = Table(
        "reward",
        "The hacker, which special-cases the public tests: its mean reward by them, and its pass@1",
        ("by", "rate"),
        list(zip(("public tests, its own reward", "hidden tests"), hacker, strict=True)),
    )
    return Section(
        "17.9",
        "Design problems in practice",
        (_noise(lab, again), drift, reward, _selection(inflated)),
        (),
        _measured(lab, again, (*stacker, *hacker), inflated),
        (
            Published("lowest of eight small evaluations", 0.80, float(again[0].min())),
            Published("highest", 0.90, float(again[0].max())),
            Published("stacker under the training harness", 0.20, stacker[0]),
            Published("stacker without an edit limit", 0.60, stacker[1]),
            Published("hacker by the public tests", 1.00, hacker[0]),
            Published("hacker by the hidden tests", 0.00, hacker[1]),
        ),
        "Stacker and hacker are scripted and score what the chapter's do, to the digit: the gym keeps its promises. "
        "The range of small evaluations follows from the rate of the checkpoint, and ours is nearer to one, where "
        "episodes scatter less.",
    )


def _small_evaluations(lab: Lab) -> NDArray[np.float64]:
    """Pass@1 of step 80 by evaluations of 40 episodes, shape (seeds, `_AGAIN`)."""
    lab.train()
    tasks = make_tasks("held-out")
    return np.array(
        [
            [
                lab.counts(agent, tasks, n=_SMALL, seed=lab.derive(f"17.9 again {seed}", again)).mean() / _SMALL
                for again in range(_AGAIN)
            ]
            for seed, agent in ((seed, lab.agent(seed, 80)) for seed in lab.seeds)
        ]
    )


def scripted() -> tuple[tuple[float, float], tuple[float, float]]:
    """The stacker's pass rate under two harnesses; the hacker's reward by public tests and its pass rate."""
    tasks = make_tasks("held-out")
    stacked = [eval_pass(STACKER, tasks, RLConfig(harness=harness)) for harness in (GymHarness(), PLAIN_HARNESS)]
    hacked = sample_groups(HACKER, tasks, RLConfig(harness=GymHarness(reward="public")))
    return (stacked[0], stacked[1]), (float(hacked.reward.mean()), float(hacked.success.mean()))


def _inflation(lab: Lab) -> dict[int, NDArray[np.float64]]:
    """Inflation of choosing the best of the last m checkpoints by a small test evaluation: m → one number a seed."""
    counts = [counts_of(lab, seed) for seed in lab.seeds]
    found = {}
    for m in _CANDIDATES:
        choices = [
            select_checkpoint(
                (validation[-m:], EPISODES),
                (test[-m:], EPISODES),
                estimand="these-tasks",
                parts=PARTS,
                seed=lab.derive("17.9 splits", m),
            )
            for validation, test in counts
        ]
        found[m] = np.array([choice.inflation for choice in choices], np.float64)
    return found


def _noise(lab: Lab, again: NDArray[np.float64]) -> Table:
    return Table(
        "noise",
        f"Step 80 of {count(lab.seeds)}, each evaluated {_AGAIN} times with {_SMALL} episodes of each held-out task",
        ("seed", *(f"{place + 1}" for place in range(_AGAIN)), "range"),
        [(seed, *row.tolist(), np.ptp(row)) for seed, row in zip(lab.seeds, again, strict=True)],
    )


def _selection(inflated: dict[int, NDArray[np.float64]]) -> Table:
    rows = []
    for m, by_seed in inflated.items():
        found = bootstrap_ci(by_seed)
        ends = (number(found.value), number(found.low), number(found.high))
        rows.append((f"the last {m} of {len(STEPS)}", by_seed[0], *ends, float(expected_maximum(m))))
    return Table(
        "selection",
        f"Choosing by a test evaluation of {EPISODES // PARTS} episodes a task: inflation for the first seed, mean of "
        "ten with its 95% interval over seeds, and E[max] of so many standard normal numbers",
        ("checkpoints", "first seed", "mean", "low", "high", "E[max]"),
        rows,
    )


def _measured(
    lab: Lab,
    again: NDArray[np.float64],
    rates: tuple[float, ...],
    inflated: dict[int, NDArray[np.float64]],
) -> str:
    ranges = np.ptp(again, axis=1)
    limited, unlimited, rewarded, passed = rates
    tasks = make_tasks("held-out")
    before, after = (
        np.array(
            [
                lab.counts(lab.agent(seed, step), tasks, n=_SMALL, seed=lab.derive("17.9 pilot", seed))
                for seed in lab.seeds
            ]
        )
        for step in (60, 80)
    )
    pilots = paired_difference(before, _SMALL, after, _SMALL)
    sd = float(np.median(np.asarray(pilots.se_paired, np.float64))) * np.sqrt(len(tasks))
    few, many = min(inflated), max(inflated)
    return (
        f"One checkpoint, evaluated {_AGAIN} times with {_SMALL * len(tasks)} episodes, scores between "
        f"{again[0].min():.3f} and {again[0].max():.3f}; over {count(lab.seeds)} the range is {ranges.mean():.3f} on "
        f"average and {ranges.max():.3f} at most. A pilot of that size, steps 60 and 80 in pairs, has a standard "
        f"deviation of {sd:.3f} a task at the median seed: {required_units(_EFFECT, sd)} tasks would detect "
        f"{100 * _EFFECT:.0f} points.\n\nThe stacker passes {limited:.2f} under the training harness and "
        f"{unlimited:.2f} without an edit limit, with no skill at all in either. The hacker earns "
        f"{rewarded:.2f} by the reward it was made for and {passed:.2f} by "
        f"hidden tests.\n\n"
        f"Choosing by a small test evaluation inflates the report by {estimate(bootstrap_ci(inflated[few]))} where the "
        f"last {few} checkpoints are tried, and by {estimate(bootstrap_ci(inflated[many]))} where {many} are, on "
        f"average over {count(lab.seeds)}."
    )
