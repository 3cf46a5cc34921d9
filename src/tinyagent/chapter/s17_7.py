"""17.7: does training narrow the distribution? pass@k before and after, and the tasks that pay for the gain."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.stats import paired_mean_difference, pass_at_k, pass_at_k_band
from tinyagent.chapter.artifacts import BLUE, GREEN, GREY, RED, Figure, Published, Section, Table
from tinyagent.chapter.recorded import recorder
from tinyagent.chapter.words import estimate, listed, often
from tinyagent.gym import OPERATORS, make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from passband.compare import Narrowing
    from passband.stats import Estimate
    from tinyagent.chapter.lab import Evaluation, Lab

__all__ = ["EDIT", "GUESS", "KS", "run"]

N = 64
KS = (1, 2, 4, 8, 16, 32)
STEPS = (0, 20, 80)
GUESS = 0.2
"""Pass rate of a uniform guess among the five repairs."""
EDIT = re.compile(r"edit (\w+)")


@dataclass(frozen=True)
class _Run:
    """One training seed."""

    seed: int
    at: dict[int, Evaluation]
    """Step → evaluation."""
    found: Narrowing
    """Of step 80 against the base agent."""

    def curve(self, step: int) -> NDArray[np.float64]:
        return np.array([np.mean(pass_at_k(N, self.at[step].counts, k)) for k in KS])

    @property
    def crossing(self) -> int | None:
        """First k up to 32 at which the base agent, having been behind, is ahead."""
        observed = self.found.crossing.observed
        return observed if observed is not None and observed <= KS[-1] else None


def run(lab: Lab) -> Section:
    """Compare curves within the first run and over all seeds, and look at the task that is lost."""
    lab.train()
    tasks = make_tasks("held-out")
    names = [task.id for task in tasks]
    with recorder(lab) as record:
        runs = [
            _Run(
                seed,
                {step: lab.evaluate(lab.agent(seed, step), tasks, n=N, seed=lab.seed) for step in STEPS},
                record.narrowing(record.run(seed, 0, n=N), record.run(seed, STEPS[-1], n=N), EDIT),
            )
            for seed in lab.seeds
        ]
    first = runs[0]
    bands = {step: pass_at_k_band(first.at[step].counts, N, KS) for step in STEPS}
    fell = np.array([one.at[80].counts < one.at[0].counts for one in runs])
    place = int(fell.sum(axis=0).argmax())
    tables = (
        Table(
            "curves",
            f"pass@k of the first run from {N} episodes a task, with bands that hold for all k at once, and a uniform "
            "guess among five",
            ("k", "guess", *(f"{_name(step)}{part}" for step in STEPS for part in ("", ", low", ", high"))),
            [
                (k, 1 - (1 - GUESS) ** k, *(end for step in STEPS for end in _ends(bands[step][row])))
                for row, k in enumerate(KS)
            ],
        ),
        Table(
            "counts",
            f"Successes of {N} in the first run, and how many seeds succeed less at step 80 than at step 0",
            ("task", *(_name(step) for step in STEPS), "seeds in which it fell"),
            [
                (name, *(int(first.at[step].counts[row]) for step in STEPS), int(fell[:, row].sum()))
                for row, name in enumerate(names)
            ],
        ),
        Table(
            "seeds",
            "Step 80 against the base agent, every training seed: the word of `passband compare --narrowing`; the k at "
            "which the curves cross as observed, the k up to which step 80 is shown to be ahead, the k by which it is "
            "shown to be behind, and the share of resampled tasks in which they cross; the tasks that lost",
            (
                "seed",
                "verdict",
                "crosses at",
                "ahead up to",
                "behind by",
                "resampled",
                "base pass@32",
                "step 80 pass@32",
                "tasks that lost",
            ),
            [
                (
                    one.seed,
                    one.found.verdict,
                    one.crossing,
                    one.found.crossing.after,
                    one.found.crossing.by,
                    one.found.crossing.resampled,
                    float(one.curve(0)[-1]),
                    float(one.curve(80)[-1]),
                    listed(
                        [
                            _lost(entry.case.id, entry.case.baseline[0], entry.case.candidate[0])
                            for entry in one.found.lost
                        ]
                    ),
                )
                for one in runs
            ],
        ),
        Table(
            "first-edit",
            f"First edit on {names[place]}, episodes of {N}: base agent and step 80 of each seed; "
            f"{tasks[place].repair} is the right one",
            ("seed", "step", *OPERATORS, "none"),
            [(one.seed, step, *_edits(one.at[step], place)) for one in runs for step in (0, 80)],
        ),
    )
    return Section(
        "17.7",
        "Does training narrow the distribution?",
        tables,
        (
            Figure(
                "curves",
                "Figure 17.3. Left: pass@k on the held-out tasks, first run, bands that hold for all k at once; dashed,"
                f" a uniform guess among five. Right: {names[place]} alone, every seed; thick, their mean.",
                _drawing(runs, bands, place, names[place]),
                (7.5, 3.4),
            ),
        ),
        _measured(runs, fell, names, [task.repair for task in tasks], place),
        _published(runs, names, place),
        _differs(runs),
    )


def _name(step: int) -> str:
    return f"step {step}" if step else "base"


def _ends(found: Estimate) -> tuple[float, float, float]:
    assert found.low is not None
    assert found.high is not None
    return float(found.value), float(found.low), float(found.high)


def _lost(task: str, before: int, after: int) -> str:
    return f"{task} {before}→{after}"


def _edits(played: Evaluation, place: int) -> tuple[int, ...]:
    first = played.first_edit[place]
    return (*(int((first == operator).sum()) for operator in range(len(OPERATORS))), int((first < 0).sum()))


def _measured(runs: list[_Run], fell: NDArray[np.bool_], names: list[str], repairs: list[str], place: int) -> str:
    first = runs[0]
    base, early, late = (first.curve(step) for step in STEPS)
    crossing = [one.crossing is not None for one in runs]
    shown = sum(one.found.crossing.by is not None for one in runs)
    dominating = sum(bool((one.curve(20) >= one.curve(0) - 1e-12).all()) for one in runs)
    carried = sorted({entry.case.id for one in runs if one.crossing is not None for entry in one.found.lost})
    ks = sorted({one.crossing for one in runs if one.crossing is not None})
    shares = [one.found.crossing.resampled for one in runs if one.crossing is not None]
    gap = paired_mean_difference([one.curve(0)[-1] for one in runs], [one.curve(80)[-1] for one in runs])
    lost = [one for one, flags in zip(runs, fell, strict=True) if flags[place]]
    told = (
        f"In the first run step 80 leads the base agent by {late[0] - base[0]:.2f} at k = 1; at k = 16 it stands at "
        f"{late[4]:.3f} against {base[4]:.3f}, at k = 32 at {late[5]:.3f} against {base[5]:.3f}, and the curves "
        + (f"cross at k = {first.crossing}. " if first.crossing else "do not cross. ")
        + f"Step 20 is {'' if (early >= base - 1e-12).all() else 'not '}at or above the base agent at every k."
    )
    if len(runs) == 1:
        return told
    over = (
        f"Over the training seeds the curves cross, as observed, in {often(sum(crossing), len(runs))}"
        + (
            f", at k = {listed([str(k) for k in ks])}; what is lost there is lost on {listed(carried)}. "
            if ks
            else ". "
        )
        + (f"Over resampled tasks such a crossing recurs in {min(shares):.2f} of the draws or more. " if ks else "")
        + f"Step 80 less the base agent at k = 32 is {estimate(gap.estimate)} over seeds. "
        f"That the base agent is ahead at some k is shown, at 95% over all k, in {shown} of {len(runs)}. Some task "
        f"succeeds less often at step 80 than at the start in {often(int(fell.any(axis=1).sum()), len(runs))}; step 20 "
        f"is at or above the base agent at every k in {often(dominating, len(runs))}."
    )
    if not lost:
        return f"{told}\n\n{over}"
    before = np.sum([_edits(one.at[0], place)[:-1] for one in lost], axis=0)
    after = np.sum([_edits(one.at[80], place)[:-1] for one in lost], axis=0)
    right, drawn = OPERATORS.index(repairs[place]), N * len(lost)
    new = int(after.argmax())
    why = (
        f"The task that falls most often is {names[place]}, in {often(len(lost), len(runs))}. In those, the base "
        f"agent's first edit is spread over all six operators, {repairs[place]}, the right one, in "
        f"{before[right] / drawn:.2f} of the episodes; at step 80 it is {repairs[place]} in {after[right] / drawn:.2f} "
        f"and {OPERATORS[new]} in {after[new] / drawn:.2f}, from {before[new] / drawn:.2f}. The probability went to an "
        "action that other tasks reward."
    )
    return f"{told}\n\n{over}\n\n{why}"


def _differs(runs: list[_Run]) -> str:
    crossed = sum(one.crossing is not None for one in runs)
    shown = sum(one.found.crossing.by is not None for one in runs)
    why = " for the chapter's reason: a task is lost whose right repair a guesser still draws" if crossed else ""
    return (
        "The chapter shows one run, which crosses; whether one does hangs on the training seed, and on which task on "
        f"the gym. Of ours {crossed} of {len(runs)} cross{why}. As there, it rests on single tasks: with ten of "
        f"them the band of the difference shows it beyond doubt in {shown} runs."
    )


def _published(runs: list[_Run], names: list[str], place: int) -> tuple[Published, ...]:
    first = runs[0]
    base, late = first.curve(0), first.curve(80)
    crossed = [one for one in runs if one.crossing is not None]
    lead = [float(one.curve(80)[0] - one.curve(0)[0]) for one in runs]
    worst = min(runs, key=lambda one: float(one.curve(80)[-1] - one.curve(0)[-1]))
    return (
        Published(
            "lead of step 80 at k = 1",
            "0.70",
            f"{late[0] - base[0]:.2f}; {min(lead):.2f} to {max(lead):.2f} over seeds",
        ),
        Published("k = 16, step 80 and base", "0.958, 0.941", f"{late[4]:.3f}, {base[4]:.3f}"),
        Published("k = 32, step 80 and base", "0.988, 0.998", f"{late[5]:.3f}, {base[5]:.3f}"),
        Published("the same, the seed furthest behind", None, f"{worst.curve(80)[-1]:.3f}, {worst.curve(0)[-1]:.3f}"),
        Published("runs that cross by k = 32", "1 of 1", f"{len(crossed)} of {len(runs)}"),
        Published("the task that is lost", "zero/speed", names[place]),
        Published(
            "its successes of 64, base, step 20, step 80",
            "10, 13, 3",
            ", ".join(f"{np.mean([one.at[step].counts[place] for one in runs]):.0f}" for step in STEPS)
            + " (mean of seeds)",
        ),
    )


def _drawing(
    runs: list[_Run], bands: dict[int, tuple[Estimate, ...]], place: int, name: str
) -> Callable[[Canvas], None]:
    colours = dict(zip(STEPS, (BLUE, GREY, GREEN), strict=True))

    def draw(canvas: Canvas) -> None:
        left, right = canvas.subplots(1, 2, sharey=True)
        guess = [1 - (1 - GUESS) ** k for k in KS]
        for step, band in bands.items():
            ends = np.array([_ends(one) for one in band])
            left.plot(KS, ends[:, 0], "o-", ms=3, color=colours[step], label=_name(step))
            if step != STEPS[1]:
                left.fill_between(KS, ends[:, 1], ends[:, 2], color=colours[step], alpha=0.15)
        for step in (0, 80):
            curves = np.array([[pass_at_k(N, int(one.at[step].counts[place]), k) for k in KS] for one in runs])
            right.plot(KS, curves.T, color=colours[step], linewidth=0.7, alpha=0.6)
            right.plot(KS, curves.mean(axis=0), "o-", ms=3, color=colours[step], linewidth=2)
        for axis in (left, right):
            axis.plot(KS, guess, "--", color=RED, linewidth=1, label="uniform guess")
            axis.set(xscale="log", xticks=KS, xticklabels=KS, xlabel="k", ylim=(0, 1.02))
            axis.minorticks_off()
        left.set(ylabel="pass@k", title="ten held-out tasks, first run")
        right.set(title=f"{name}, every seed")
        left.legend(loc="lower right")

    return draw
