"""Draw the figures of the pages on estimators, intervals and comparisons. Seeded: the same files every time.

python docs/methods/figures.py [NAME…]
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from coverage import DESIGNS, NULL_PAIRS, ONE_TO_SIXTEEN, POPULATIONS, SKEWED_PAIRS, UNSEEN, coverage, rejections
from scipy import stats as scipy_stats

from passband import stats
from passband.stats._t_law import t_law
from passband.stats.paired import _doubt
from tinyagent.chapter.artifacts import BLUE, GREEN, GREY, RED, STYLE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

mpl.use("svg")
mpl.rcParams.update(STYLE | {"figure.constrained_layout.use": True})
import matplotlib.pyplot as plt  # noqa: E402 - the back end is chosen first

HERE = Path(__file__).parent / "figures"
EVALUATIONS = 4_000


def plug_in_bias() -> Figure:
    """Exact bias of both estimators at n = 10, k = 5."""
    p = np.linspace(0, 1, 201)
    chance = scipy_stats.binom.pmf(np.arange(11), 10, p[:, None])
    truth = 1 - (1 - p) ** 5
    figure, axes = plt.subplots(figsize=(6, 3))
    for function, colour, name in (
        (stats.plug_in_pass_at_k, RED, "plug-in 1 − (1 − c/n)^k"),
        (stats.pass_at_k, GREEN, "1 − C(n−c, k) / C(n, k)"),
    ):
        axes.plot(p, chance @ function(10, np.arange(11), 5) - truth, color=colour, label=name)
    axes.set(xlabel="true pass rate of the task", ylabel="bias of pass@5 at n = 10")
    axes.legend()
    return figure


def variance_of_pass_at_k() -> Figure:
    """Exercise 1: the estimates of one task over 100,000 evaluations, n = 64, p = 0.05."""
    c = np.random.default_rng(1).binomial(64, 0.05, 100_000)
    figure, axes = plt.subplots(1, 2, figsize=(7, 2.8), sharey=True)
    for axis, k in zip(axes, (4, 32), strict=True):
        values, tallies = np.unique(stats.pass_at_k(64, c, k), return_counts=True)
        axis.bar(values, tallies / len(c), width=0.02, color=BLUE)
        axis.axvline(1 - 0.95**k, color=RED, linewidth=1)
        simulated, exact = stats.pass_at_k(64, c, k).std(), np.sqrt(stats.pass_at_k_variance(64, k, p=0.05))
        axis.set(
            title=f"k = {k}: sd {simulated:.4f}, exact {exact:.4f}", xlabel=f"estimate of pass@{k}", xlim=(-0.03, 1.03)
        )
    axes[0].set_ylabel("share of evaluations")
    return figure


def binomial_coverage() -> Figure:
    """Exact coverage over p at 40 samples, and of the default interval at 40 tasks with one sample each."""
    n, p = 40, np.linspace(0.002, 0.998, 997)
    c = np.arange(n + 1)
    chance = scipy_stats.binom.pmf(c, n, p[:, None])
    tasks = (np.arange(n) < c[:, None]).astype(int)
    rows = {
        "Wald": (stats.wald_interval(c, n), RED),
        "Wilson": (stats.wilson_interval(c, n), BLUE),
        "Clopper–Pearson": (stats.clopper_pearson_interval(c, n), GREY),
        "default (40 tasks × 1)": (stats.pass_rate_interval(tasks, 1), GREEN),
    }
    figure, axes = plt.subplots(2, 2, figsize=(7.5, 4.5), sharex=True, sharey=True)
    for axis, (name, (found, colour)) in zip(axes.flat, rows.items(), strict=True):
        covered = (chance * ((found.low <= p[:, None]) & (p[:, None] <= found.high))).sum(axis=1)
        axis.plot(p, covered, color=colour, linewidth=0.8)
        axis.axhline(0.95, color="black", linewidth=0.6)
        axis.set(title=f"{name}: at least {100 * covered.min():.1f}%", ylim=(0.6, 1.005))
    for axis in axes[1]:
        axis.set_xlabel("true pass rate")
    return figure


def _dots(axis: Axes, rows: list[tuple[str, list[float]]], methods: list[tuple[str, str]], floor: float) -> None:
    """One line a population, one dot a design and method."""
    for y, (_, per_method) in enumerate(rows):
        for place, (shares, (_, colour)) in enumerate(zip(per_method, methods, strict=True)):
            axis.plot(
                np.maximum(shares, floor), [y + 0.18 * (place - 1)] * len(shares), "o", ms=3.2, color=colour, alpha=0.7
            )
    axis.set(yticks=range(len(rows)), yticklabels=[name for name, _ in rows])
    axis.invert_yaxis()
    for name, colour in methods:
        axis.plot([], [], "o", color=colour, label=name)
    axis.figure.legend(loc="outside upper center", ncols=len(methods))


def coverage_grid() -> Figure:
    """Coverage of tasks like these over the grid of the tests, three methods."""
    methods = [("wilson-cluster (default)", GREEN), ("t", BLUE), ("percentile bootstrap", RED)]
    rows = []
    for name, population in {**POPULATIONS, **UNSEEN}.items():
        truth = population.expectation(lambda p: p)
        shares = []
        for method in ("wilson-cluster", "t", "percentile"):
            interval = partial(stats.pass_rate_interval, method=method)
            # Unequal samples have no small lattice, which makes a bootstrap of thousands of evaluations slow.
            designs = [d for d in DESIGNS if method != "percentile" or d[1] != ONE_TO_SIXTEEN]
            shares.append([coverage(population, *d, interval, truth, EVALUATIONS)[0] for d in designs])
        rows.append((name, shares))
    figure, axis = plt.subplots(figsize=(7.5, 5))
    _dots(axis, rows, methods, 0.5)
    axis.axvline(0.94, color="black", linewidth=0.6)
    axis.axhline(len(POPULATIONS) - 0.5, color=GREY, linewidth=0.6, linestyle="--")
    axis.set(xlabel="coverage of a nominal 95% (a dot a design; below 50% drawn at 50%)", xlim=(0.49, 1.005))
    return figure


def at_k_coverage() -> Figure:
    """Coverage of pass@k and pass^k: the default, and Student's t over the same per-task values."""
    methods = [("default", GREEN), ("t over per-task values", BLUE)]
    designs = [(10, 8, 4), (10, 32, 16), (50, 32, 4), (200, 32, 16)]
    rows = []
    for name, population in POPULATIONS.items():
        shares: list[list[float]] = [[], []]
        for tasks, samples, k in designs:
            for hat in (False, True):
                truth = population.expectation((lambda p, k=k: p**k) if hat else (lambda p, k=k: 1 - (1 - p) ** k))
                ours = stats.pass_hat_k_interval if hat else stats.pass_at_k_interval
                for place, interval in enumerate((partial(ours, k=k), partial(_student_at_k, k=k, hat=hat))):
                    shares[place].append(coverage(population, tasks, samples, interval, truth, 2_000)[0])
        rows.append((name, shares))
    figure, axis = plt.subplots(figsize=(7.5, 4.5))
    _dots(axis, rows, methods, 0.3)
    axis.axvline(0.94, color="black", linewidth=0.6)
    axis.set(xlabel="coverage of a nominal 95% (below 30% drawn at 30%)", xlim=(0.29, 1.005))
    return figure


def _student_at_k(c: np.ndarray, n: np.ndarray, k: int, *, hat: bool) -> stats.Estimate:
    values = (stats.pass_hat_k if hat else stats.pass_at_k)(n, c, k)
    half = scipy_stats.t.ppf(0.975, values.shape[-1] - 1) * values.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
    mean = values.mean(axis=-1)
    return stats.Estimate(mean, mean - half, mean + half, 0.95, "t", "tasks-like-these", values.shape[-1], 0)


def unit() -> Figure:
    """Figure 17.1 of the chapter: which unit to resample, from 1 to 64 samples a task."""
    samples = [1, 2, 4, 8, 16, 32, 64]
    lines: dict[str, list[float]] = {"samples": [], "tasks": [], "default interval": []}
    for n in samples:
        rng = np.random.default_rng(n)
        c = rng.binomial(n, rng.beta(0.4, 0.3, (EVALUATIONS, 10)))
        pooled = c.sum(axis=1) / (10 * n)
        low, high = (scipy_stats.binom.ppf(q, 10 * n, pooled) / (10 * n) for q in (0.025, 0.975))
        ends = {"samples": (low, high)}
        for name, found in (("tasks", stats.bootstrap_ci(c / n)), ("default interval", stats.pass_rate_interval(c, n))):
            ends[name] = (found.low, found.high)
        for name, (low, high) in ends.items():
            lines[name].append(float(((low <= 4 / 7) & (high >= 4 / 7)).mean()))
    figure, axis = plt.subplots(figsize=(6, 3.2))
    for (name, shares), colour in zip(lines.items(), (RED, BLUE, GREEN), strict=True):
        axis.plot(
            samples,
            shares,
            "o-",
            ms=3,
            color=colour,
            label=f"resampling {name}" if name != "default interval" else name,
        )
    axis.axhline(0.95, color="black", linewidth=0.6)
    axis.set(xscale="log", xticks=samples, xticklabels=samples, xlabel="samples a task, 10 tasks from Beta(0.4, 0.3)")
    axis.set(ylabel="coverage of a nominal 95%", ylim=(0, 1))
    axis.minorticks_off()
    axis.legend()
    return figure


def _paired(doubt: bool, ca: np.ndarray, na: np.ndarray, cb: np.ndarray, nb: np.ndarray) -> np.ndarray:  # noqa: FBT001
    na, nb = np.broadcast_to(na, ca.shape), np.broadcast_to(nb, cb.shape)
    difference = cb / nb - ca / na
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = _doubt(ca, na, cb, nb) if doubt else np.zeros(len(ca))
        return t_law(difference, weight).p_value() < 0.05


def paired_size() -> Figure:
    """How often the paired test calls a difference where there is none on average."""
    designs = [(5, 8), (10, 1), (10, 32), (20, 4), (50, 8), (100, ONE_TO_SIXTEEN)]
    methods = [("paired_difference", GREEN), ("Student's t", BLUE)]
    rows = []
    for name, pair in {**NULL_PAIRS, **SKEWED_PAIRS}.items():
        shares = [
            [rejections(pair, *d, partial(_paired, doubt), EVALUATIONS) for d in designs] for doubt in (True, False)
        ]
        rows.append((name, shares))
    figure, axis = plt.subplots(figsize=(8, 7))
    _dots(axis, rows, methods, 0.0)
    axis.axvline(0.055, color="black", linewidth=0.6)
    axis.axhline(len(NULL_PAIRS) - 0.5, color=GREY, linewidth=0.6, linestyle="--")
    axis.set(xlabel="share of evaluations called different at a nominal 5%")
    return figure


def bootstrap_law() -> Figure:
    """Exact law of a bootstrapped mean and 10,000 resamples of it."""
    values = np.array([32, 31, 32, 30, 32, 31, 32, 25, 17, 1]) / 32
    law, found = stats.bootstrap_distribution(values), stats.bootstrap_ci(values)
    draws = np.random.default_rng(0).choice(values, (10_000, 10)).mean(axis=1)
    figure, axis = plt.subplots(figsize=(6, 3))
    edges = np.arange(-0.5, 325, 4) / 320  # means lie on multiples of 1/320, none on an edge
    axis.hist(draws, bins=edges, weights=np.full(len(draws), 1e-4), color=GREY, label="10,000 resamples")
    axis.stairs(np.histogram(law.support, edges, weights=law.probability)[0], edges, color=GREEN, label="exact law")
    for end in (found.low, found.high):
        axis.axvline(end, color=RED, linewidth=1)
    axis.set(xlabel="mean of ten resampled tasks", ylabel="probability (in bins of 4 steps)", xlim=(0.45, 1.01))
    axis.legend()
    return figure


def band() -> Figure:
    """Two curves of pass@k that meet, with bands for all k at once."""
    base, trained = [5, 6, 4, 7, 5, 6, 3, 5, 6, 10], [60, 62, 63, 61, 64, 62, 60, 63, 44, 3]
    ks = [1, 2, 4, 8, 16, 32]
    figure, axis = plt.subplots(figsize=(6, 3.4))
    for counts, colour, name in ((base, BLUE, "before training"), (trained, GREEN, "after")):
        found = stats.pass_at_k_band(counts, 64, ks)
        axis.plot(ks, [e.value for e in found], "o-", ms=3, color=colour, label=name)
        axis.fill_between(ks, [e.low for e in found], [e.high for e in found], color=colour, alpha=0.15)
    axis.set(
        xscale="log",
        xticks=ks,
        xticklabels=ks,
        xlabel="k",
        ylabel="pass@k, bands hold for all k at once",
        ylim=(0, 1.01),
    )
    axis.minorticks_off()
    axis.legend(loc="lower right")
    return figure


FIGURES = (
    plug_in_bias,
    variance_of_pass_at_k,
    binomial_coverage,
    coverage_grid,
    at_k_coverage,
    unit,
    paired_size,
    bootstrap_law,
    band,
)


def main() -> None:
    """Draw all figures, or those named."""
    HERE.mkdir(exist_ok=True)
    wanted = set(sys.argv[1:])
    for draw in FIGURES:
        if not wanted or draw.__name__ in wanted:
            figure = draw()
            figure.savefig(HERE / f"{draw.__name__}.svg", metadata={"Date": None, "Creator": None})
            plt.close(figure)


if __name__ == "__main__":
    main()
