"""Comparing two runs."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from passband.stats import paired_difference, required_units, seed_variance
from tinyagent.chapter.artifacts import Published, Section, Table
from tinyagent.chapter.cells import ends, number
from tinyagent.chapter.words import between, count, estimate, listed, often
from tinyagent.gym import make_tasks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from passband.stats import PairedDifference, SeedVariance
    from tinyagent.chapter.lab import Lab

__all__ = ["EARLY", "N", "early_counts", "late_pair", "run"]

N = 32
EARLY = 30
"""Step at which training seeds are compared."""
_PAIR = (60, 80)
_FEW = 4
_EFFECTS = (0.02, 0.05)
_ALIKE = 0.9


def early_counts(lab: Lab) -> NDArray[np.int64]:
    """Successes of two independent evaluations of each seed at step `EARLY`, shape (seeds, tasks, 2)."""
    lab.train()
    tasks = make_tasks("held-out")
    return np.array(
        [
            np.transpose(
                [
                    lab.counts(lab.agent(seed, EARLY), tasks, n=N, seed=lab.derive("17.4 early", 2 * place + again))
                    for again in (0, 1)
                ]
            )
            for place, seed in enumerate(lab.seeds)
        ]
    )


def late_pair(lab: Lab, seed: int) -> PairedDifference:
    """Step 80 less step 60 of a training seed, both given the same random numbers."""
    before, after = (
        lab.counts(lab.agent(seed, step), make_tasks("held-out"), n=N, seed=lab.derive("17.4 pair", seed))
        for step in _PAIR
    )
    return paired_difference(before, N, after, N)


def run(lab: Lab) -> Section:
    """Two evaluations of every seed; two checkpoints of every seed in pairs; what a comparison takes."""
    counts = early_counts(lab)
    few, all_seeds = seed_variance(counts[:_FEW], N), seed_variance(counts, N)
    fours = seed_variance(counts[list(combinations(range(len(counts)), _FEW))], N)
    none = int((np.asarray(fours.training_variance) <= 0).sum())
    pairs = [late_pair(lab, seed) for seed in lab.seeds]
    needed = _needed(pairs, all_seeds)
    return Section(
        "17.4",
        "Comparing two runs",
        (_evaluations(lab, counts), _noise(few, all_seeds), _paired(lab, pairs), needed),
        (),
        "\n\n".join(
            (
                _on_noise(few, all_seeds, none, np.size(fours.training_sd)),
                _on_pairs(lab, pairs),
                _on_size(pairs, all_seeds),
            )
        ),
        _published(few, pairs),
        "The chapter's four seeds agreed better than two evaluations of one seed, and its training noise came out as "
        "zero. That a recipe may do so is no law: ours is still climbing at this step, and its seeds are apart by more "
        "than their evaluations are. The chapter's pair had one nearly unsolved task in both checkpoints, which is "
        "what made pairing gain so much; so do those of our seeds that have one.",
    )


def _evaluations(lab: Lab, counts: NDArray[np.int64]) -> Table:
    rates = counts.mean(axis=1) / N
    return Table(
        "evaluations",
        f"Step {EARLY} of {count(lab.seeds, 'training seed')}, each evaluated twice with independent episodes ({N} a "
        f"task)",
        ("seed", "first", "second", "mean"),
        [(seed, one, two, (one + two) / 2) for seed, (one, two) in zip(lab.seeds, rates.tolist(), strict=True)],
    )


def _noise(few: SeedVariance, every: SeedVariance) -> Table:
    def row(name: str, found: SeedVariance) -> tuple[str | float, ...]:
        ends = (found.training_sd_low, found.training_sd_high)
        assert found.sampling_variance is not None
        numbers = (found.mean.value, found.evaluation_sd, np.sqrt(found.sampling_variance), found.training_sd, *ends)
        return (name, *(float(number) for number in numbers))

    return Table(
        "noise",
        "Standard deviation of one evaluation of a fixed checkpoint, what independent episodes would give, and the "
        "standard deviation between checkpoints of the recipe with its 95% interval",
        ("seeds", "mean", "evaluation", "independent", "training", "low", "high"),
        [row(f"first {_FEW}", few), row(f"all {every.n_seeds}", every)],
    )


def _paired(lab: Lab, pairs: list[PairedDifference]) -> Table:
    rows = []
    for seed, found in zip(lab.seeds, pairs, strict=True):
        errors = (found.se_paired, found.se_unpaired, found.correlation)
        rows.append((seed, *ends(found.estimate), *map(number, errors)))
    return Table(
        "pairs",
        f"Step {_PAIR[1]} less step {_PAIR[0]} with common random numbers: difference, 95% interval, its standard "
        "error with and without pairing, correlation of the task rates",
        ("seed", "difference", "low", "high", "SE paired", "SE unpaired", "correlation"),
        rows,
    )


def _spreads(pairs: list[PairedDifference]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Standard deviation, for each seed, of the per-task difference and of a task's rate in one arm."""
    tasks = pairs[0].estimate.n_tasks
    paired = np.array([found.se_paired for found in pairs], np.float64) * np.sqrt(tasks)
    unpaired = np.array([found.se_unpaired for found in pairs], np.float64) * np.sqrt(tasks / 2)
    return paired, unpaired


def _needed(pairs: list[PairedDifference], seeds: SeedVariance) -> Table:
    paired, unpaired = _spreads(pairs)
    spreads = (
        ("paired tasks, first seed", paired[0], True),
        ("paired tasks, median seed", np.median(paired), True),
        ("tasks in each arm, first seed", unpaired[0], False),
        ("tasks in each arm, median seed", np.median(unpaired), False),
        ("training seeds in each arm", seeds.seed_means.std(ddof=1), False),
    )
    rows = []
    for name, sd, is_paired in spreads:
        normal = required_units(_EFFECTS, sd, paired=is_paired)
        exact = required_units(_EFFECTS, sd, paired=is_paired, method="t")
        rows.append((name, float(sd), *np.asarray(normal).tolist(), *np.asarray(exact).tolist()))
    return Table(
        "needed",
        "Units that detect a difference of 2 or 5 points at 5% with power 80%, by the normal formula and by the t-test",
        ("units", "SD", "2 points", "5 points", "2 points, t", "5 points, t"),
        rows,
    )


def _on_noise(few: SeedVariance, every: SeedVariance, none: int, fours: int) -> str:
    assert every.sampling_variance is not None
    low, high = float(every.training_sd_low), float(every.training_sd_high)
    return (
        f"One evaluation of {N} episodes a task has a standard deviation of {every.evaluation_sd:.3f} around its "
        f"checkpoint's rate; independent episodes would give {np.sqrt(every.sampling_variance):.3f}. The means of "
        f"{count(every.seed_means)} at step {EARLY} go from {every.seed_means.min():.3f} to "
        f"{every.seed_means.max():.3f}, and the training noise is {every.training_sd:.3f} {between(low, high, 3)}. The "
        f"first {_FEW} seeds alone give {few.training_sd:.3f} "
        f"{between(float(few.training_sd_low), float(few.training_sd_high), 3)}; of the {fours} ways to take {_FEW} of "
        f"these seeds, {none} give an estimate of zero. The recipe's rate on these tasks, over seeds, is "
        f"{estimate(every.mean)}."
    )


def _on_pairs(lab: Lab, pairs: list[PairedDifference]) -> str:
    first = pairs[0]
    gain = np.array([found.se_unpaired for found in pairs], np.float64) / np.array(
        [found.se_paired for found in pairs], np.float64
    )
    correlation = np.array([found.correlation for found in pairs], np.float64)
    alike = correlation > _ALIKE
    seeds = [str(seed) for seed, one in zip(lab.seeds, alike, strict=True) if one]
    clear = sum(found.p_value is not None and float(found.p_value) < 0.05 for found in pairs)
    much = (
        f"in {often(len(seeds), len(pairs))} (seeds {listed(seeds)}), where the rates correlate above {_ALIKE}, it "
        f"divides the standard error by {gain[alike].min():.0f} or more"
        if seeds
        else f"no seed's rates correlate above {_ALIKE}"
    )
    return (
        f"Step {_PAIR[1]} of the first seed is {estimate(first.estimate)} above its step {_PAIR[0]}. The paired "
        f"standard error is {first.se_paired:.3f}, the unpaired one {first.se_unpaired:.3f}, with task rates that "
        f"correlate at {first.correlation:.2f}. Pairing subtracts the difficulty that two checkpoints share, so it "
        f"gains where tasks differ: {much}; over all {count(lab.seeds)} it divides by {np.median(gain):.1f} at the "
        f"median, where the correlation is {np.median(correlation):.2f}. The interval of the difference leaves zero "
        f"out in {often(clear, len(pairs))}."
    )


def _on_size(pairs: list[PairedDifference], seeds: SeedVariance) -> str:
    paired, unpaired = (float(np.median(spread)) for spread in _spreads(pairs))
    between_seeds = float(seeds.seed_means.std(ddof=1))
    tasks_2, tasks_5 = np.asarray(required_units(_EFFECTS, paired)).tolist()
    arm_2, arm_5 = np.asarray(required_units(_EFFECTS, unpaired, paired=False)).tolist()
    seeds_2, seeds_5 = np.asarray(required_units(_EFFECTS, between_seeds, paired=False, method="t")).tolist()
    return (
        f"With the median spread of these pairs, a difference of 2 points between two checkpoints takes {tasks_2} "
        f"paired tasks and one of 5 points {tasks_5}; unpaired, {arm_2} and {arm_5} tasks in each arm. A claim about "
        f"two recipes takes {seeds_2} and {seeds_5} training seeds in each arm by the t-test, and never fewer than "
        "three, from which alone a spread between seeds can be seen."
    )


def _published(few: SeedVariance, pairs: list[PairedDifference]) -> tuple[Published, ...]:
    first = pairs[0]
    assert first.estimate.low is not None
    assert first.estimate.high is not None
    paired, unpaired = _spreads(pairs)
    tasks = np.asarray(required_units(_EFFECTS, paired[0])).tolist()
    arm = required_units(_EFFECTS[1], unpaired[0], paired=False)
    seeds = f"{few.seed_means.min():.3f} to {few.seed_means.max():.3f}"
    return (
        Published("SD of one evaluation, four seeds", 0.016, number(few.evaluation_sd)),
        Published("means of four seeds at step 30", "0.706 to 0.720", seeds),
        Published("training SD, four seeds", 0.0, number(few.training_sd)),
        Published("step 80 less step 60", 0.041, number(first.estimate.value)),
        Published(
            "its paired interval",
            "[+0.006, +0.087]",
            f"[{float(first.estimate.low):+.3f}, {float(first.estimate.high):+.3f}]",
        ),
        Published("SE unpaired", 0.132, number(first.se_unpaired)),
        Published("SE paired", 0.023, number(first.se_paired)),
        Published("correlation of the task rates", 0.97, number(first.correlation)),
        Published("paired tasks for 2 points", 103, tasks[0]),
        Published("paired tasks for 5 points", 17, tasks[1]),
        Published("tasks an arm for 5 points, unpaired", 533, int(arm)),
    )
