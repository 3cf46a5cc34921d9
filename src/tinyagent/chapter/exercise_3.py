"""Exercise 3: a hierarchical model of task pass rates beside the bootstrap over tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import bootstrap_ci, hierarchical_beta_binomial, pass_rate_interval
from tinyagent.chapter.artifacts import BLUE, GREEN, RED, Figure, Section, Table
from tinyagent.chapter.s17_1 import N, base_and_trained
from tinyagent.chapter.s17_3 import BETA, TASKS
from tinyagent.chapter.words import between
from tinyagent.gym import make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from passband.stats import Estimate
    from tinyagent.chapter.lab import Lab

__all__ = ["run"]

EVALUATIONS = 400
METHODS = ("bootstrap over tasks", "hierarchical model", "default interval")


def run(lab: Lab) -> Section:
    """Compare three intervals on the counts of 17.1, and their coverage on a known population."""
    counts = dict(zip(("base", "step 80"), base_and_trained(lab), strict=True))
    lab.train()
    tasks = make_tasks("held-out")
    seeds = {f"step 80, seed {s}": lab.counts(lab.agent(s, 80), tasks, n=N, seed=lab.seed) for s in lab.seeds[1:]}
    found = {name: _intervals(c) for name, c in {**counts, **seeds}.items()}
    posteriors = {name: hierarchical_beta_binomial(c, N) for name, c in counts.items()}
    rows = [
        (name, method, float(one.value), _low(one), _high(one), _high(one) - _low(one))
        for name, three in found.items()
        for method, one in zip(METHODS, three, strict=True)
    ]
    pulled = [
        (c_base / N, float(mean_base), c_trained / N, float(mean_trained))
        for c_base, mean_base, c_trained, mean_trained in zip(
            counts["base"],
            posteriors["base"].task_means,
            counts["step 80"],
            posteriors["step 80"].task_means,
            strict=True,
        )
    ]
    coverage = _coverage(lab)
    base, trained = found["base"], found["step 80"]
    checks = [text for posterior in posteriors.values() for text in posterior.warnings]
    wider = [_width(three[1]) / _width(three[0]) for three in (base, trained)]
    drawn = [max(abs(row[place] - row[place + 1]) for row in pulled) for place in (0, 2)]
    measured = (
        f"On the counts of the base agent the bootstrap over tasks gives {_said(base[0])} and the hierarchical model "
        f"{_said(base[1])}; on those of step 80, {_said(trained[0])} and {_said(trained[1])}. The model's interval is "
        f"{wider[0]:.1f} and {wider[1]:.1f} times as wide: with ten tasks it allows for a kind of task that none of "
        f"them is, which the bootstrap cannot. It draws tasks towards their mean by at most {drawn[0]:.3f} "
        f"(base) and {drawn[1]:.3f} (step 80), the more the more alike they are.\n\n"
        f"On {EVALUATIONS} evaluations of {TASKS} tasks from Beta{BETA}, {N} episodes each, intervals at 95% cover the "
        "truth in "
        + ", ".join(f"{share:.3f} ({method}, mean width {width:.2f})" for method, share, width in coverage)
        + "."
        + (f" The model's own check says of the measured counts: {'; '.join(dict.fromkeys(checks))}." if checks else "")
    )
    return Section(
        "exercise-3",
        "A hierarchical model beside the bootstrap",
        (
            Table(
                "intervals",
                f"95% intervals for the pass rate on tasks like these, {N} episodes of ten tasks",
                ("counts", "method", "value", "low", "high", "width"),
                rows,
            ),
            Table(
                "tasks",
                "Observed rates of tasks, and their posterior means",
                ("task", "base, observed", "base, posterior", "step 80, observed", "step 80, posterior"),
                [(task.id, *row) for task, row in zip(tasks, pulled, strict=True)],
            ),
            Table(
                "coverage",
                f"{EVALUATIONS} evaluations of {TASKS} tasks from Beta{BETA}, {N} episodes each",
                ("method", "coverage", "mean width"),
                coverage,
            ),
        ),
        (
            Figure(
                "intervals",
                "Three 95% intervals on the same counts: base agent, and step 80 of every training seed.",
                _drawing(found),
                (6.5, 5.0),
            ),
        ),
        measured,
        (),
        "The exercise publishes no numbers. It suggests a sampler, Gibbs or importance sampling in torch; the "
        "posterior has two dimensions, so here it is integrated on a grid, without sampling error and without torch.",
    )


def _intervals(c: NDArray[np.int64]) -> tuple[Estimate, Estimate, Estimate]:
    return bootstrap_ci(c / N), hierarchical_beta_binomial(c, N).mean, pass_rate_interval(c, N)


def _low(one: Estimate) -> float:
    assert one.low is not None
    return float(one.low)


def _high(one: Estimate) -> float:
    assert one.high is not None
    return float(one.high)


def _width(one: Estimate) -> float:
    return _high(one) - _low(one)


def _said(one: Estimate) -> str:
    return between(_low(one), _high(one))


def _coverage(lab: Lab) -> list[tuple[str, float, float]]:
    rng = lab.rng("exercise 3")
    c = rng.binomial(N, rng.beta(*BETA, (EVALUATIONS, TASKS)))
    truth = BETA[0] / sum(BETA)
    out = []
    each = [_intervals(one) for one in c]
    for place, method in enumerate(METHODS):
        ends = np.array([(_low(three[place]), _high(three[place])) for three in each])
        held = (ends[:, 0] <= truth) & (truth <= ends[:, 1])
        out.append((method, float(held.mean()), float((ends[:, 1] - ends[:, 0]).mean())))
    return out


def _drawing(found: dict[str, tuple[Estimate, Estimate, Estimate]]) -> Callable[[Canvas], None]:
    def draw(canvas: Canvas) -> None:
        axis = canvas.subplots()
        for y, three in enumerate(found.values()):
            for place, (one, colour) in enumerate(zip(three, (RED, BLUE, GREEN), strict=True)):
                at = y + 0.22 * (place - 1)
                axis.plot([_low(one), _high(one)], [at, at], color=colour, linewidth=1.5)
                axis.plot([float(one.value)], [at], "o", ms=3, color=colour)
        for method, colour in zip(METHODS, (RED, BLUE, GREEN), strict=True):
            axis.plot([], [], color=colour, label=method)
        axis.set(yticks=range(len(found)), yticklabels=list(found), xlabel="pass@1, tasks like these", xlim=(0, 1.01))
        axis.invert_yaxis()
        canvas.legend(loc="outside upper center", ncols=3)

    return draw
