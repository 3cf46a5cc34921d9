"""The harness defines the number."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from passband.stats import paired_difference, paired_mean_difference, pass_rate_interval
from tinyagent.chapter.artifacts import BLUE, GREY, RED, Figure, Published, Section, Table
from tinyagent.chapter.cells import ends
from tinyagent.chapter.words import count, estimate, often
from tinyagent.config import RLConfig
from tinyagent.gym import GymHarness, make_tasks

if TYPE_CHECKING:
    from typing import Any

    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from passband.stats import PairedDifference, PairedMean
    from tinyagent.chapter.lab import Lab

__all__ = ["CHANGES", "N", "counts_under", "run"]

N = 32
CHANGES: dict[str, dict[str, Any]] = {
    "as in training": {},
    "temperature 1.3": {"temperature": 1.3},
    "temperature 0.7": {"temperature": 0.7},
    "greedy": {"temperature": 0.0},
    "three turns": {"max_turns": 3},
    "ten turns": {"max_turns": 10},
    "no edit limit": {"max_edits": None},
    "names not drawn": {"randomize_names": False},
}
"""The training harness and seven changes of one field."""
_STEPS = (0, 80)
_GUESS = 0.2
_MOVED = 0.05


def counts_under(lab: Lab, seed: int, step: int, **changes: Any) -> NDArray[np.int64]:
    """Successes of `N` episodes of each held-out task under a changed harness, with the same random numbers for all."""
    cfg = RLConfig(harness=replace(GymHarness(), **changes))
    agent = lab.agent(seed, step)
    return lab.counts(agent, make_tasks("held-out"), cfg, n=N, seed=lab.derive("17.5", seed))


def run(lab: Lab) -> Section:
    """Eight harnesses for base and step 80: of the first seed in pairs of tasks, of all in pairs of seeds."""
    lab.train()
    counts = np.array(
        [
            [[counts_under(lab, seed, step, **changes) for changes in CHANGES.values()] for step in _STEPS]
            for seed in lab.seeds
        ]
    )  # (seeds, steps, harnesses, tasks)
    first = counts[0]
    pairs = [paired_difference(first[1, 0], N, changed, N) for changed in first[1]]
    rates = counts.mean(axis=-1) / N
    grain = 1.0 / (N * first.shape[-1])
    over_seeds = [
        paired_mean_difference(rates[:, 1, 0], rates[:, 1, place], grain=grain) for place in range(len(CHANGES))
    ]
    greedy = counts[:, :, list(CHANGES).index("greedy")]
    fixed = np.array(
        [
            [counts_under(lab, seed, step, temperature=0.0, randomize_names=False) for step in _STEPS]
            for seed in lab.seeds
        ]
    )
    return Section(
        "17.5",
        "The harness defines the number",
        (_first(first, pairs), _seeds(rates, over_seeds), _greedy(first, fixed[0])),
        (_figure(first),),
        f"{_on_changes(rates, pairs, over_seeds)}\n\n{_on_greedy(counts[:, :, 0], greedy, fixed)}",
        _published(first),
        "Which field moves the number is the harness of this gym and the habits of this agent, and the signs are the "
        "chapter's: a sharper distribution adds a little, a flatter one takes away, too few turns cost most, names "
        "cost nothing. How much three turns cost hangs on the seed, since nothing in training punishes a spare action."
        + _on_names(greedy[:, 0]),
    )


def _first(first: NDArray[np.int64], pairs: list[PairedDifference]) -> Table:
    rows = []
    for name, base, trained, found in zip(CHANGES, first[0], first[1], pairs, strict=True):
        change: tuple[Any, ...] = (None, None, None)
        if CHANGES[name]:
            change = ends(found.estimate)
        rows.append((name, base.mean() / N, trained.mean() / N, *change))
    return Table(
        "harnesses",
        "Held-out pass@1 of the first seed, and the change of step 80 with its paired interval over tasks",
        ("harness", "base", "step 80", "change", "low", "high"),
        rows,
    )


def _seeds(rates: NDArray[np.float64], over_seeds: list[PairedMean]) -> Table:
    rows = []
    for place, (name, found) in enumerate(zip(CHANGES, over_seeds, strict=True)):
        base, trained = rates[:, 0, place], rates[:, 1, place]
        change: tuple[Any, ...] = (None, None, None, None)
        if CHANGES[name]:
            moved = int((np.abs(trained - rates[:, 1, 0]) > _MOVED).sum())
            change = (*ends(found.estimate), moved)
        rows.append((name, base.mean(), trained.mean(), trained.min(), trained.max(), *change))
    return Table(
        "seeds",
        f"The same over {count(rates)}: means, lowest and highest seed, the mean change of step 80 with its interval "
        f"over seeds, and the seeds that it moves by more than {100 * _MOVED:.0f} points",
        ("harness", "base", "step 80", "lowest", "highest", "change", "low", "high", "moved"),
        rows,
    )


def _greedy(first: NDArray[np.int64], fixed: NDArray[np.int64]) -> Table:
    greedy = list(CHANGES).index("greedy")
    names = [task.id for task in make_tasks("held-out")]
    columns = (first[0, 0], first[0, greedy], fixed[0], first[1, 0], first[1, greedy], fixed[1])
    return Table(
        "greedy",
        f"Successes of {N}, first seed: sampled, greedy, and greedy with names not drawn",
        ("task", "base", "base greedy", "base fixed", "step 80", "step 80 greedy", "step 80 fixed"),
        list(zip(names, *(column.tolist() for column in columns), strict=True)),
    )


def _figure(first: NDArray[np.int64]) -> Figure:
    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        places = np.arange(len(CHANGES), 0, -1)
        for shift, colour, label, counts in ((0.12, GREY, "base", first[0]), (-0.12, BLUE, "step 80", first[1])):
            found = [pass_rate_interval(one, N) for one in counts]
            value, low, high = np.array([(one.value, one.low, one.high) for one in found], np.float64).T
            axes.errorbar(
                value, places + shift, xerr=(value - low, high - value), fmt="o", ms=4, color=colour, label=label
            )
        axes.axvline(_GUESS, color=RED, ls="--", lw=1, label="a blind guess")
        axes.set_yticks(places, list(CHANGES))
        axes.set(xlim=(0, 1), xlabel="held-out pass@1")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)

    return Figure(
        "figure-17-2",
        "Held-out pass@1 of base agent and step 80 of the first seed under the training harness and seven one-field "
        "changes, with 95% intervals for tasks like these. Dashed: a blind single guess.",
        draw,
    )


def _on_changes(rates: NDArray[np.float64], pairs: list[PairedDifference], over_seeds: list[PairedMean]) -> str:
    names = list(CHANGES)
    largest = max(range(1, len(names)), key=lambda place: abs(float(pairs[place].estimate.value)))
    three, hot, cold = (names.index(name) for name in ("three turns", "temperature 1.3", "temperature 0.7"))
    unused = names.index("names not drawn")
    hurt = int((rates[:, 1, three] < rates[:, 1, 0] - _MOVED).sum())
    base = rates[0, 0]
    return (
        f"One field moves step 80 of the first seed by up to {abs(float(pairs[largest].estimate.value)):.2f} "
        f"({names[largest]}), and its base agent between {base.min():.3f} and {base.max():.3f}. Over {count(rates)} a "
        f"temperature of 1.3 changes step 80 by {estimate(over_seeds[hot].estimate)}, one of 0.7 by "
        f"{estimate(over_seeds[cold].estimate)}, three turns by {estimate(over_seeds[three].estimate)}; three turns "
        f"take more than {100 * _MOVED:.0f} points from {often(hurt, len(rates))}. Not drawing names "
        f"changes it by {estimate(over_seeds[unused].estimate)}: what the agent does not use "
        "does not move its number."
    )


def _on_greedy(sampled: NDArray[np.int64], greedy: NDArray[np.int64], fixed: NDArray[np.int64]) -> str:
    """All three of shape (seeds, steps, tasks)."""
    split, split_fixed = (((found > 0) & (found < N)).sum(axis=(0, 2)) for found in (greedy, fixed))
    of = sampled[:, 0].size
    hidden = ((sampled > 0) & (greedy == 0)).sum(axis=(0, 2))
    zero = ((sampled[:, 1] > 0) & (greedy[:, 1] == 0)).any(axis=1)
    names = (
        f"{split[0]} lie strictly between 0 and {N}, where the name that is drawn for the prompt decides: with names "
        f"not drawn {split_fixed[0]} do"
        if split[0]
        else f"none lies strictly between 0 and {N}: not even the name that is drawn for the prompt moves the mode"
    )
    return (
        f"Greedy decoding plays the mode. Of the {of} counts of {count(sampled, 'base agent')} (seed by task) {names}. "
        f"{hidden[0]} of them are a hard zero where sampling succeeds now and then: a base agent's greedy behaviour is "
        f"one guess, and its sampled behaviour is all of them. At step 80 greedy decoding removes the residual "
        f"mistakes of most tasks, and turns some rare success into a hard zero in {often(int(zero.sum()), len(zero))}."
    )


def _on_names(greedy: NDArray[np.int64]) -> str:
    if ((greedy > 0) & (greedy < N)).any():
        return ""
    return (
        " The chapter's base agent let the drawn name decide its greedy guess on some tasks; ours makes the same guess "
        "whatever the name."
    )


def _published(first: NDArray[np.int64]) -> tuple[Published, ...]:
    rate = {name: float(counts.mean() / N) for name, counts in zip(CHANGES, first[1], strict=True)}
    base = first[0].mean(axis=-1) / N
    greedy = first[0, list(CHANGES).index("greedy")]
    start = rate["as in training"]
    return (
        Published("step 80, change at temperature 1.3", -0.10, rate["temperature 1.3"] - start),
        Published("step 80, change at temperature 0.7", "+0.03 to +0.04", f"{rate['temperature 0.7'] - start:+.3f}"),
        Published("step 80, change when greedy", "+0.03 to +0.04", f"{rate['greedy'] - start:+.3f}"),
        Published("step 80, change with three turns", -0.13, rate["three turns"] - start),
        Published("step 80, change without an edit limit", 0.0, rate["no edit limit"] - start),
        Published("step 80, change with names not drawn", 0.0, rate["names not drawn"] - start),
        Published("base, lowest to highest", "0.116 to 0.200", f"{base.min():.3f} to {base.max():.3f}"),
        Published("base, tasks at 0 when greedy", 6, int((greedy == 0).sum())),
    )
