"""Every family held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from passband.stats import pass_rate_interval
from tinyagent.chapter.artifacts import BLUE, GREY, Figure, Section, Table
from tinyagent.chapter.cells import number
from tinyagent.chapter.families import EARLY, Apart, N, apart, entropy, first_edit_right
from tinyagent.chapter.words import listed, often
from tinyagent.gym import FAMILY_NAMES, make_tasks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

    from tinyagent.chapter.lab import Lab

__all__ = ["SEEDS", "run"]

SEEDS = 4
"""Training seeds a family."""
_RATES = ("base", f"step {EARLY}", "others, base", f"others, step {EARLY}")
_DOUBT = ("entropy, base", f"entropy, step {EARLY}")


def run(lab: Lab) -> Section:
    """Leave out each family in turn, for a few seeds each."""
    found = {family: apart(lab, family, lab.seeds[:SEEDS]) for family in FAMILY_NAMES}
    return Section(
        "exercise-4",
        "Every family held out",
        (_families(found), _runs(found)),
        (_figure(found),),
        _measured(found),
        (),
        "The exercise publishes no numbers; the chapter's own for the family zero are on the page of 17.6.",
    )


def _mean(runs: list[Apart], what: str, trained: int) -> float:
    return float(np.mean([getattr(one, what)[trained].success.mean() for one in runs]))


def _families(found: dict[str, list[Apart]]) -> Table:
    rows: list[tuple[str | float, ...]] = []
    for family, runs in found.items():
        doubt = [float(np.mean([entropy(one.unseen[trained]) for one in runs])) for trained in (0, 1)]
        tasks = make_tasks(f"family:{family}")
        right = float(np.mean([first_edit_right(one.unseen[1], tasks) for one in runs]))
        rates = [_mean(runs, what, at) for what in ("unseen", "variants") for at in (0, 1)]
        fell = sum(one.collapsed for one in runs)
        rows.append((family, *rates, fell, right, *doubt))
    return Table(
        "families",
        f"Means of {SEEDS} seeds: pass@1 of the base agent and of step {EARLY} on the family that was left out and on "
        f"the held-out variants of the others; how many of the {SEEDS} fell; how often the first edit was right at "
        f"step {EARLY}; entropy of the first edit on the family, in nats",
        ("family", *_RATES, "fell", "right", *_DOUBT),
        rows,
    )


def _runs(found: dict[str, list[Apart]]) -> Table:
    rows = []
    for family, runs in found.items():
        for one in runs:
            counts = one.unseen[1].counts
            interval = pass_rate_interval(counts, N)
            rates = (one.unseen[0].success.mean(), counts.mean() / N, number(interval.low), number(interval.high))
            rows.append((family, one.seed, *rates, *(entropy(evaluation) for evaluation in one.unseen)))
    return Table(
        "runs",
        f"Every run: pass@1 on the family left out, with the 95% interval of step {EARLY} for tasks like these, and "
        "the entropy of the first edit",
        ("family", "seed", "base", f"step {EARLY}", "low", "high", *_DOUBT),
        rows,
    )


def _figure(found: dict[str, list[Apart]]) -> Figure:
    def draw(canvas: Canvas) -> None:
        axes = canvas.subplots()
        for trained, colour, label in ((0, GREY, "base"), (1, BLUE, f"step {EARLY}")):
            points = [
                (entropy(one.unseen[trained]), one.unseen[trained].success.mean())
                for runs in found.values()
                for one in runs
            ]
            doubt, rate = np.array(points).T
            axes.scatter(doubt, rate, s=18, color=colour, label=label)
        axes.axvline(np.log(6), color=GREY, lw=0.8, ls=":")
        axes.set(
            xlabel="entropy of the first edit (nats)", ylabel="pass@1 on the unseen family", xlim=(0, 2), ylim=(0, None)
        )
        axes.legend()

    return Figure(
        "entropy",
        "Pass@1 on the family left out against the entropy of the first edit there, a point a run. Dotted: the entropy "
        "of a uniform draw from six operators.",
        draw,
    )


def _measured(found: dict[str, list[Apart]]) -> str:
    runs = [one for family in found.values() for one in family]
    fell = sum(one.collapsed for one in runs)
    always = [family for family, some in found.items() if all(one.collapsed for one in some)]
    before, after = (np.array([entropy(one.unseen[at]) for one in runs]) for at in (0, 1))
    base, trained = (float(np.mean([one.unseen[at].success.mean() for one in runs])) for at in (0, 1))
    zero = sum(int(one.unseen[1].counts.sum()) == 0 for one in runs)
    points = [(entropy(found), found.success.mean()) for one in runs for found in one.unseen]
    together = float(np.corrcoef(np.array(points).T)[0, 1])
    by_family = {family: float(np.mean([entropy(one.unseen[0]) for one in some])) for family, some in found.items()}
    least = min(by_family, key=by_family.__getitem__)
    return (
        f"The family that was left out ends below the base agent's guessing in {often(fell, len(runs), 'runs')}; in "
        f"every run for {listed(always)}. Its pass@1 goes from {base:.3f} to {trained:.3f} on average, to exactly zero "
        f"in {zero} runs.\n\n"
        f"The entropy of the first edit says how. The base agent begins an episode of a family it was never shown at "
        f"{before.mean():.2f} nats on average, where a uniform draw of six has {np.log(6):.2f}, and so it hits by "
        f"chance; least on {least} ({by_family[least]:.2f}). After {EARLY} steps on the four others the entropy is "
        f"{after.mean():.2f} ({after.min():.2f} to {after.max():.2f}): the agent has made up its mind, for an operator "
        f"that was rewarded elsewhere, and what it no longer draws cannot hit. Over all {len(points)} points, base "
        f"agents and trained ones, entropy and pass@1 correlate at {together:.2f}."
    )
