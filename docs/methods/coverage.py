"""Populations of tasks, and how often an interval covers over many evaluations of them.

The pages of this folder and the slow tests share it, so that a page shows what a test asserts. Everything is seeded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from passband.stats import Estimate

Shape = tuple[int, ...]
Draw = Callable[[np.random.Generator, Shape], np.ndarray]
Pair = Callable[[np.random.Generator, Shape], tuple[np.ndarray, np.ndarray]]
Interval = Callable[..., Estimate]
Test = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]
ONE_TO_SIXTEEN = 0  # samples a task: a number, or this for 1 to 16 at random


@dataclass(frozen=True)
class Population:
    """Task pass rates: how to draw them, and E[f(p)]."""

    draw: Draw

    def expectation(self, function: Callable[[np.ndarray], np.ndarray]) -> float:
        """E[f(p)] from four million draws, the same ones each time."""
        return float(function(self.draw(np.random.default_rng(99), (4_000_000,))).mean())


def beta(a: float, b: float) -> Population:
    """Beta(a, b)."""
    return Population(lambda rng, shape: rng.beta(a, b, shape))


def always(p: float) -> Population:
    """Every task alike."""
    return Population(lambda _, shape: np.full(shape, p))


def mixture(share: float, first: Population, second: Population) -> Population:
    """`share` of the tasks from the first, the rest from the second."""

    def draw(rng: np.random.Generator, shape: Shape) -> np.ndarray:
        return np.where(rng.random(shape) < share, first.draw(rng, shape), second.draw(rng, shape))

    return Population(draw)


POPULATIONS = {
    "Beta(0.4, 0.3)": beta(0.4, 0.3),
    "Beta(5, 5)": beta(5, 5),
    "Beta(1, 30)": beta(1, 30),
    "Beta(0.1, 0.1)": beta(0.1, 0.1),
    "Beta(2, 8)": beta(2, 8),
    "Beta(0.5, 4)": beta(0.5, 4),
    "two points, 0.1 and 0.9": mixture(0.5, always(0.1), always(0.9)),
    "70% never, else Beta(2, 2)": mixture(0.7, always(0.0), beta(2, 2)),
    "90% always, else uniform": mixture(0.9, always(1.0), beta(1, 1)),
    "Beta(30, 1)": beta(30, 1),
    "all at 0.2": always(0.2),
    "all at 0.5": always(0.5),
}
"""What benchmarks look like: solved or not, in between, hard, saturated, two kinds, all alike."""

UNSEEN = {
    "90% at 0.02, 10% at 0.8": mixture(0.9, always(0.02), always(0.8)),
    "Beta(0.05, 1)": beta(0.05, 1),
}
"""A few tasks decide the mean and are seldom drawn: no interval from few tasks can know of them."""

DESIGNS = [(5, 8), (5, 32), (10, 1), (10, 32), (20, 4), (30, 1), (30, 8), (50, 32), (100, ONE_TO_SIXTEEN), (500, 2)]
"""Tasks, and samples a task."""


def sample_numbers(rng: np.random.Generator, tasks: int, samples: int) -> np.ndarray:
    """Samples of each task."""
    return rng.integers(1, 17, tasks) if samples == ONE_TO_SIXTEEN else np.full(tasks, samples)


def coverage(
    population: Population, tasks: int, samples: int, interval: Interval, truth: float, evaluations: int
) -> tuple[float, float]:
    """Share of evaluations whose interval covers `truth`, and the mean width."""
    rng = np.random.default_rng([tasks, samples])
    batch = max(1, 2_000_000 // tasks)
    hits = width = 0.0
    done = 0
    while done < evaluations:
        rows = min(batch, evaluations - done)
        n = sample_numbers(rng, tasks, samples)
        c = rng.binomial(n, population.draw(rng, (rows, tasks)))
        found = interval(c, n)
        hits += float(((found.low <= truth) & (truth <= found.high)).sum())
        width += float((found.high - found.low).sum())
        done += rows
    return hits / evaluations, width / evaluations


def same(population: Population) -> Pair:
    """Both systems have each task's rate: no difference at all."""

    def draw(rng: np.random.Generator, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
        p = population.draw(rng, shape)
        return p, p

    return draw


def apart(population: Population) -> Pair:
    """Rates drawn for each system on its own: differences, but none on average."""
    return lambda rng, shape: (population.draw(rng, shape), population.draw(rng, shape))


NULL_PAIRS = {
    f"{name}, {kind}": make(p) for name, p in POPULATIONS.items() for kind, make in (("same", same), ("apart", apart))
}
"""Pairs of systems with no difference on average, differences symmetric about 0."""


def _swap(share: float, rise: float) -> Pair:
    def draw(rng: np.random.Generator, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
        up = rng.random(shape) < share
        return np.where(up, 0.05, 0.9), np.where(up, 0.05 + rise, 0.9 - share * rise / (1 - share))

    return draw


SKEWED_PAIRS = {
    "10% rise by 0.9, the rest fall by 0.1": _swap(0.1, 0.9),
    "30% rise by 0.9, the rest fall by 0.39": _swap(0.3, 0.9),
    "70% never, else Beta(2, 2), against Beta(1.5, 8.5)": lambda rng, shape: (
        POPULATIONS["70% never, else Beta(2, 2)"].draw(rng, shape),
        rng.beta(1.5, 8.5, shape),
    ),
}
"""No difference on average, but few large gains against many small losses."""


def rejections(pair: Pair, tasks: int, samples: int, test: Test, evaluations: int) -> float:
    """Share of evaluations in which `test` calls a difference where there is none on average."""
    rng = np.random.default_rng([tasks, samples, 1])
    a, b = pair(rng, (evaluations, tasks))
    n = sample_numbers(rng, tasks, samples)
    return float(test(rng.binomial(n, a), n, rng.binomial(n, b), n).mean())
