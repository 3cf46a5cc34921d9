"""What to ask of a claim before it is accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.stats.recipe import LEAST_SEEDS

if TYPE_CHECKING:
    from passband.compare.claim import Claim

__all__ = ["impossible_rates", "questions"]


def impossible_rates(claim: Claim) -> tuple[str, ...]:
    """Say which rates no count gives: the GRIM test of Brown and Heathers (2017), doi:10.1177/1948550616673876."""
    total = claim.tasks * claim.samples * claim.runs
    out = []
    for arm, rate in (("baseline", claim.baseline), ("candidate", claim.candidate)):
        digits = len(repr(rate).partition(".")[2])
        passed = round(rate * total / 100)
        if abs(100 * passed / total - rate) > 0.5 * 10.0**-digits + 1e-9:
            near = f"{100 * passed / total:.{digits}f}"
            out.append(f"{arm} {rate:g}% is no whole number of {total:,} samples; the nearest is {near}%")
    return tuple(out)


def questions(claim: Claim) -> tuple[str, ...]:
    """List what a claim leaves out and a reviewer needs, what can be had for free first."""
    out = []
    if claim.correlation is None:
        out.append("the results of every task in both arms: pairing them is free, and tells the correlation")
    if claim.runs < LEAST_SEEDS and claim.about == "recipe":
        out.append(
            f"{LEAST_SEEDS} training runs an arm at least, and the rate of each: what a recipe does varies with them"
        )
    elif claim.training_sd is None and claim.about == "recipe":
        out.append("the rate of every run: their spread is the noise of training")
    if claim.samples == 1 or claim.icc is None:
        out.append("several samples of each task, to tell tasks that moved from samples that differ")
    if claim.chosen == "unsaid":
        out.append("on which tasks the checkpoint was chosen, out of how many, by which rule, written when")
    elif claim.chosen == "test":
        out.append("the choice made again on other tasks, and these evaluated once, by a rule written before")
    if claim.picked > 1 and claim.baseline_of == 1:
        out.append("whether the baseline was chosen alike, and the rates of all checkpoints of both arms")
    elif claim.picked > 1:
        out.append("the rates of all checkpoints of both arms")
    out.append("both arms under one harness: prompt, tools, budgets, temperature, grader, sandbox, versions")
    out.append("samples without a verdict in each arm, and what was done with them")
    out.append("how many models these tasks have seen, and an audit of the training data for leaks")
    return tuple(out)
