"""Draw the figures of power, seeds, selection, Bayes, sequential analysis, agreement, judges and rankings.

Run it from anywhere: it writes SVG files into the folder ``figures`` beside it. All simulations are seeded, and the
files hold neither dates nor random identifiers, so that two runs give the same bytes. About three minutes on one core.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from passband import stats
from passband.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from matplotlib.axes import Axes

HERE = Path(__file__).parent / "figures"
INK = ["#0969da", "#cf222e", "#1a7f37", "#9a6700", "#8250df"]


def axes(count: int = 1, width: float = 4.6) -> tuple[Figure, list[Axes]]:
    """Make a figure with `count` plots in a row."""
    figure = Figure(figsize=(width * count, 3.2), layout="constrained")
    plots = list(np.atleast_1d(figure.subplots(1, count)))
    for plot in plots:
        plot.grid(alpha=0.3)
        plot.spines[["top", "right"]].set_visible(False)
    return figure, plots


def covered(low: np.ndarray, high: np.ndarray, truth: float | np.ndarray) -> float:
    """Share of intervals that hold the truth."""
    return float(np.mean((np.asarray(low) <= truth) & (truth <= np.asarray(high))))


def nominal(plot: Axes, label: str, level: float = 0.95) -> None:
    """Mark the nominal coverage and name the axes."""
    plot.axhline(level, color="black", linewidth=0.8, linestyle=":")
    plot.set_xlabel(label)
    plot.set_ylabel("coverage")


def power() -> Figure:
    """What tasks and samples buy: the detectable difference, and the cheapest designs."""
    figure, (left, right) = axes(2)
    samples = np.arange(1, 129)
    for tasks, ink in zip((10, 30, 100, 300), INK, strict=False):
        sd = np.sqrt(0.01 + 2 * 0.12 / samples)
        left.plot(samples, stats.minimum_detectable_effect(tasks, sd, method="t"), color=ink, label=f"{tasks} tasks")
        left.axhline(stats.minimum_detectable_effect(tasks, 0.1, method="t"), color=ink, linewidth=0.8, linestyle=":")
    left.set(xscale="log", yscale="log", xlabel="samples a task", ylabel="detectable difference")
    left.legend(frameon=False)
    effects = np.geomspace(0.01, 0.2, 12)
    for price, ink in zip((0.0, 10.0, 100.0), INK, strict=False):
        plans = [stats.plan_design(float(e), between=0.01, within=0.12, unit_cost=price) for e in effects]
        right.plot(effects, [plan.units for plan in plans], color=ink, label=f"a task costs {price:.0f} samples")
        right.plot(effects, [plan.samples for plan in plans], color=ink, linestyle="--")
    right.set(xscale="log", yscale="log", xlabel="difference to detect", ylabel="tasks (samples a task: dashed)")
    right.legend(frameon=False)
    return figure


def seeds() -> Figure:
    """Coverage of the recipe's mean and of the training spread."""
    figure, plots = axes(2)
    rng = np.random.default_rng(1)
    tasks = 1.5 * np.linspace(-1, 1, 10)
    spreads = [0.0, 0.3, 1.0, 2.0]
    numbers = [3, 4, 6, 8, 16]
    for spread, ink in zip(spreads, INK, strict=False):
        many = 1 / (1 + np.exp(-(0.85 + spread * rng.normal(size=(200_000, 1)) + tasks)))
        rates = many.mean(axis=1)
        mean, sd = float(rates.mean()), float(rates.std()) if spread else 0.0
        found = []
        for number in numbers:
            logits = 0.85 + spread * rng.normal(size=(10_000, number, 1, 1)) + tasks[:, None]
            p = np.broadcast_to(1 / (1 + np.exp(-logits)), (10_000, number, 10, 2))
            found.append(stats.seed_variance(rng.binomial(32, p), 32))
        plots[0].plot(numbers, [covered(f.mean.low, f.mean.high, mean) for f in found], "o-", color=ink)
        ends = [covered(f.training_sd_low, np.asarray(f.training_sd_high) + 1e-12, sd) for f in found]
        plots[1].plot(numbers, ends, "o-", color=ink, label=f"training SD {sd:.2f}")
    for plot, name in zip(plots, ("mean of the recipe", "training SD"), strict=True):
        nominal(plot, "seeds")
        plot.set(title=name, ylim=(0.85, 1.005))
    plots[1].legend(frameon=False)
    return figure


def selection() -> Figure:
    """Coverage after choosing the best, and the inflation of its score."""
    figure, (left, right) = axes(2)
    rng = np.random.default_rng(2)
    sizes = [2, 4, 8, 16, 32]
    adjusted, plain = [], []
    for m in sizes:
        found = stats.selection_interval(rng.binomial(8, rng.beta(5, 5, (4000, m, 30))), 8)
        adjusted.append(covered(found.estimate.low, found.estimate.high, 0.5))
        plain.append(covered(found.unadjusted.low, found.unadjusted.high, 0.5))
    left.plot(sizes, adjusted, "o-", color=INK[0], label="selection_interval")
    left.plot(sizes, plain, "o-", color=INK[1], label="ignoring the choice")
    nominal(left, "systems compared")
    left.set(xscale="log", xticks=sizes, xticklabels=sizes, title="30 tasks, equal systems")
    left.minorticks_off()
    left.legend(frameon=False)
    spreads = np.linspace(0, 5, 11)
    for m, ink in zip((4, 16), INK, strict=False):
        truth = spreads[:, None, None] * rng.normal(size=(len(spreads), 4000, m))
        observed = truth + rng.normal(size=truth.shape)
        best = observed.argmax(axis=-1)[..., None]
        excess = np.take_along_axis(observed - truth, best, -1)[..., 0].mean(axis=1)
        right.plot(spreads, excess, "o", color=ink, label=f"simulated, {m} candidates")
        right.plot(spreads, np.mean(stats.winners_curse(observed, 1.0).inflation, axis=1), color=ink, label="estimated")
    right.set(xlabel="spread of the candidates (standard errors)", ylabel="inflation (standard errors)")
    right.legend(frameon=False)
    return figure


def bayes() -> Figure:
    """Coverage of the posterior beside the bootstrap, and shrinkage."""
    figure, (left, right) = axes(2)
    rng = np.random.default_rng(3)
    cases = [(10, 1, 0.4, 0.3), (10, 32, 0.4, 0.3), (30, 8, 5, 5), (30, 1, 1, 30), (100, 8, 0.1, 0.1)]
    for i, (tasks, n, a, b) in enumerate(cases):
        c = rng.binomial(n, rng.beta(a, b, (400, tasks)))
        posterior = [stats.hierarchical_beta_binomial(row, n).mean for row in c]
        boot = stats.bootstrap_ci(c / n)
        truth = a / (a + b)
        mine = covered(np.array([p.low for p in posterior]), np.array([p.high for p in posterior]), truth)
        left.plot(mine, i, "o", color=INK[0], label=None if i else "posterior")
        left.plot(
            covered(boot.low, boot.high, truth), i, "x", color=INK[1], label=None if i else "percentile bootstrap"
        )
    left.axvline(0.95, color="black", linewidth=0.8, linestyle=":")
    left.set(xlabel="coverage", yticks=range(len(cases)))
    left.set_yticklabels([f"{tasks} × {n}, Beta({a}, {b})" for tasks, n, a, b in cases])
    left.legend(frameon=False)
    c = np.arange(9)
    for counts, name, ink in ((np.tile([3, 4, 5], 3), "alike tasks", INK[0]), (c, "unlike tasks", INK[1])):
        order = np.argsort(counts)
        found = stats.hierarchical_beta_binomial(counts, 8)
        right.plot(counts[order] / 8, found.task_means[order], "o-", color=ink, label=name)
    right.plot([0, 1], [0, 1], color="black", linewidth=0.8, linestyle=":")
    right.set(xlabel="observed rate of a task (8 samples)", ylabel="posterior mean")
    right.legend(frameon=False)
    return figure


def sequential() -> Figure:
    """Error over all looks, and the price of looking."""
    figure, (left, right) = axes(2)
    x = np.random.default_rng(4).random((2000, 1000)) < 0.5
    looks = np.arange(1, 1001)
    wilson = stats.wilson_interval(x.cumsum(axis=1), looks)
    mixture = stats.confidence_sequence(x)
    betting = stats.confidence_sequence(x[:300], method="betting")
    for (low, high), name, ink in (
        ((wilson.low, wilson.high), "Wilson at every look", INK[1]),
        ((mixture.low, mixture.high), "mixture", INK[0]),
        ((betting.low, betting.high), "betting", INK[2]),
    ):
        missed = np.maximum.accumulate((np.asarray(low) > 0.5) | (np.asarray(high) < 0.5), axis=1)
        left.plot(looks, missed.mean(axis=0), color=ink, label=name)
        width = (np.asarray(high) - np.asarray(low)).mean(axis=0)
        right.plot(looks[9:], width[9:], color=ink)
    left.axhline(0.05, color="black", linewidth=0.8, linestyle=":")
    left.set(xscale="log", xlabel="looks so far", ylabel="series that ever missed the truth")
    left.legend(frameon=False)
    right.set(xscale="log", yscale="log", xlabel="samples", ylabel="mean width")
    return figure


def agreement() -> Figure:
    """Coverage of Cohen's kappa beside the textbook interval."""
    figure, plots = axes(2)
    rng = np.random.default_rng(5)
    units = [20, 50, 100, 200]
    for plot, share in zip(plots, (0.5, 0.85), strict=True):
        for accuracy, ink in zip((0.7, 0.9, 0.98), INK, strict=False):
            marked = share * accuracy + (1 - share) * (1 - accuracy)
            chance = share * marked + (1 - share) * (1 - marked)
            truth = (accuracy - chance) / (1 - chance)
            shares = []
            for count in units:
                x = rng.random((1000, count)) < share
                y = np.where(rng.random(x.shape) < accuracy, x, ~x)
                found = [stats.cohen_kappa(a, b) for a, b in zip(x, y, strict=True)]
                known = [f for f in found if f.low is not None and f.high is not None]
                shares.append(covered(np.array([f.low for f in known]), np.array([f.high for f in known]), truth))
            plot.plot(units, shares, "o-", color=ink, label=f"a judge right in {accuracy:.0%}")
        nominal(plot, "units")
        plot.set(title=f"{share:.0%} pass", ylim=(0.8, 1.005))
    plots[1].legend(frameon=False)
    return figure


def judges() -> Figure:
    """Coverage of rates put right with a calibration set."""
    figure, (left, right) = axes(2)
    rng = np.random.default_rng(6)
    rates = [0.02, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98]
    for labels, ink in zip((10, 30, 100), INK, strict=False):
        shares = []
        for p in rates:
            k = rng.binomial(200, p * 0.9 + (1 - p) * 0.2, 20_000)
            good, bad = rng.binomial(labels, 0.9, 20_000), rng.binomial(labels, 0.8, 20_000)
            usable = good + bad > labels
            found = stats.rogan_gladen((k[usable], 200), (good[usable], labels), (bad[usable], labels))
            shares.append(covered(found.low, found.high, p))
        left.plot(rates, shares, "o-", color=ink, label=f"{labels} + {labels} labels")
    nominal(left, "true rate")
    left.set(title="rogan_gladen, sensitivity 0.9, specificity 0.8", ylim=(0.9, 1.005))
    left.legend(frameon=False)
    for labels, ink in zip((10, 30, 100), INK, strict=False):
        shares = []
        for p in rates:
            truth = rng.random((5000, labels + 500)) < p
            judge = np.where(rng.random(truth.shape) < 0.9, truth, ~truth)
            found = stats.prediction_powered_mean(truth[:, :labels], judge[:, :labels], judge[:, labels:])
            shares.append(covered(found.low, found.high, p))
        right.plot(rates, shares, "o-", color=ink, label=f"{labels} labels")
    nominal(right, "true rate")
    right.set(title="prediction_powered_mean, a judge right in 90%", ylim=(0.9, 1.005))
    right.legend(frameon=False)
    return figure


def ranking() -> Figure:
    """Coverage of strengths where tasks favour systems, and of two recipes over runs."""
    figure, (left, right) = axes(2)
    rng = np.random.default_rng(7)
    truth = np.array([1.0, 0.5, 0.0, -0.5, -1.0])
    counts = [5, 10, 20, 50, 100]
    by_task, naive = [], []
    for tasks in counts:
        fits: list[tuple[stats.BradleyTerry, stats.BradleyTerry]] = []
        for _ in range(600):
            at = truth + rng.normal(size=(tasks, 5))
            above = np.triu(rng.binomial(4, 1 / (1 + np.exp(-(at[:, :, None] - at[:, None, :])))), 1)
            wins = above + np.triu(4 - above, 1).swapaxes(1, 2)
            try:
                fits.append((stats.bradley_terry(wins), stats.bradley_terry(wins.sum(axis=0))))
            except InvalidInputError:
                continue
        centre = np.mean([fit.strength for fit, _ in fits], axis=0)
        for where, kind in ((by_task, 0), (naive, 1)):
            where.append(np.mean([(f[kind].low <= centre) & (centre <= f[kind].high) for f in fits]))
    left.plot(counts, by_task, "o-", color=INK[0], label="clustered by task")
    left.plot(counts, naive, "o-", color=INK[1], label="comparisons taken as independent")
    nominal(left, "tasks")
    left.set(xscale="log", xticks=counts, xticklabels=counts, title="bradley_terry")
    left.minorticks_off()
    left.legend(frameon=False)
    runs = [2, 3, 5, 10, 20]
    for name, ink in (("interquartile_mean", INK[0]), ("probability_of_improvement", INK[2])):
        right.plot(runs, [_runs_coverage(rng, count, name) for count in runs], "o-", color=ink, label=name)
    nominal(right, "runs of each recipe")
    right.set(
        xscale="log", xticks=runs, xticklabels=runs, ylim=(0.9, 1.005), title="10 tasks, runs good or bad as a whole"
    )
    right.legend(frameon=False)
    return figure


def _runs_coverage(rng: np.random.Generator, runs: int, name: str) -> float:
    def draw(size: int, count: int, shift: float = 0.0) -> np.ndarray:
        return shift + np.linspace(-2, 2, 10) + rng.normal(size=(size, count, 1)) + rng.normal(size=(size, count, 10))

    if name == "interquartile_mean":
        truth = float(np.mean(stats.interquartile_mean(draw(200, 1000)).value))
        found = stats.interquartile_mean(draw(8000, runs))
    else:
        truth = NormalDist().cdf(0.5 / 2.0)  # the difference of two runs has variance 4
        found = stats.probability_of_improvement(draw(8000, runs, 0.5), draw(8000, runs))
    assert found.low is not None
    assert found.high is not None
    return covered(np.asarray(found.low), np.asarray(found.high), truth)


FIGURES: dict[str, Callable[[], Figure]] = {
    "power": power,
    "seeds": seeds,
    "selection": selection,
    "bayes": bayes,
    "sequential": sequential,
    "agreement": agreement,
    "judges": judges,
    "ranking": ranking,
}


def draw(names: Iterable[str]) -> None:
    """Draw the named figures."""
    HERE.mkdir(exist_ok=True)
    with mpl.rc_context({"svg.hashsalt": "passband", "svg.fonttype": "none", "font.size": 9}):
        for name in names:
            FIGURES[name]().savefig(HERE / f"{name}.svg", metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    draw(sys.argv[1:] or FIGURES)
