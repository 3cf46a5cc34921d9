"""What a reported improvement can support, from the numbers of its report alone."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Literal

import msgspec

from passband.compare.asks import impossible_rates, questions
from passband.compare.needs import SampleNeed, SeedNeed, sample_needs, seed_needs, suggested_need
from passband.stats import expected_maximum, hiding_training_sd, largest_correlation, reported_difference, task_variance
from passband.stats.recipe import LEAST_SEEDS

if TYPE_CHECKING:
    from passband.compare.claim import Claim
    from passband.stats import Estimate

__all__ = ["ClaimWord", "Review", "ReviewRow", "Support", "review_claim"]

ClaimWord = Literal["supported", "open", "unsupported"]
_SUPPOSED = (0.3, 0.5, 0.7, 0.9)  # correlations to show where none is known


@dataclass(frozen=True)
class ReviewRow:
    """One analysis of the reported difference."""

    correlation: float
    difference: Estimate
    standard_error: float
    p_value: float
    choice: float
    """What choosing the candidate's checkpoint by its own number adds on average, if all were equally good: the most
    that it can be."""
    low: float
    """Lower end with the choice taken off; the same as the interval's where nothing was chosen."""
    high: float
    shown: bool
    """Whether [low, high] leaves 0 out."""


@dataclass(frozen=True)
class Support:
    """What can be said of one reading of the claim."""

    about: Literal["checkpoints", "recipe"]
    word: ClaimWord
    reason: str


@dataclass(frozen=True)
class Review:
    """A claim, read as a reviewer would."""

    claim: Claim
    effect: float
    """Candidate less baseline, a fraction."""
    outcome: ClaimWord
    """Of the reading that the claim is about."""
    exit_code: int
    """0 supported, 3 otherwise."""
    supports: tuple[Support, ...]
    icc: float
    """What the standard errors take for it: 1 where it is not known."""
    rows: tuple[ReviewRow, ...]
    """Unpaired, then paired at the known correlation, or at several."""
    least_correlation: float | None
    """The least at which the difference is shown, the choice taken off; None where none that is possible does."""
    largest_correlation: float
    may_change: int | None
    """With one sample and one run: how many tasks may have changed sides for the difference to be shown."""
    impossible: tuple[str, ...]
    """Rates that no whole number of passed samples gives."""
    asks: tuple[str, ...]
    samples: tuple[SampleNeed, ...]
    suggested: SampleNeed
    """The one to ask for: at the known correlation, or the supposed one next to 0.5, and tasks that do move."""
    seeds: tuple[SeedNeed, ...]


def review_claim(claim: Claim) -> Review:
    """Review a claim.

    Parameters
    ----------
    claim : Claim
        As reported.

    Returns
    -------
    Review
        Where the correlation is not known, the claim is supported only if the unpaired analysis supports it.

    Notes
    -----
    A checkpoint picked as the best of m by its own number overstates by at most sqrt(variance of half a difference of
    two checkpoints) × E[max of m standard normals]; that is taken off the end of the interval that carries the claim,
    with the correlation of the arms for that of the checkpoints. Runs of one arm are pooled as samples of its tasks;
    for the recipe the unit is the run, on these tasks.
    """
    most = largest_correlation(*claim.rates, claim.tasks, icc=_icc(claim))
    supposed = tuple(found for found in _SUPPOSED if found < most) or (most / 2,)
    known = supposed if claim.correlation is None else (claim.correlation,)
    rows = tuple(_row(claim, correlation) for correlation in (0.0, *known))
    least = _least_correlation(claim, most)
    effect = claim.rates[1] - claim.rates[0]
    checkpoints, recipe = _checkpoints(claim, rows, least, most), _recipe(claim)
    outcome = (checkpoints if claim.about == "checkpoints" else recipe).word
    needs = sample_needs(claim, effect, known)
    suggested = suggested_need(needs)
    single = claim.samples * claim.runs == 1
    return Review(
        claim=claim,
        effect=effect,
        outcome=outcome,
        exit_code=0 if outcome == "supported" else 3,
        supports=(checkpoints, recipe),
        icc=_icc(claim),
        rows=rows,
        least_correlation=least,
        largest_correlation=most,
        may_change=_may_change(claim, least) if single and least is not None else None,
        impossible=impossible_rates(claim),
        asks=questions(claim),
        samples=needs,
        suggested=suggested,
        seeds=seed_needs(claim, effect, suggested),
    )


def _icc(claim: Claim) -> float:
    return 1.0 if claim.icc is None else claim.icc


def _row(claim: Claim, correlation: float) -> ReviewRow:
    a, b = claim.rates
    found = reported_difference(
        a,
        b,
        claim.tasks,
        samples=claim.samples * claim.runs,
        correlation=correlation,
        icc=_icc(claim),
        level=claim.level / 100,
    )
    estimate = found.estimate
    up, down = _choice(claim, correlation)
    assert estimate.low is not None
    assert estimate.high is not None
    low, high = float(estimate.low) - up, float(estimate.high) + down
    return ReviewRow(
        correlation=correlation,
        difference=estimate,
        standard_error=found.standard_error,
        p_value=found.p_value,
        choice=up,
        low=low,
        high=high,
        shown=low > 0 if b > a else high < 0,
    )


def _choice(claim: Claim, correlation: float) -> tuple[float, float]:
    """How much choosing may have raised the candidate's rate, and the baseline's."""
    raised = []
    picks = (claim.picked, claim.baseline_of if claim.picked > 1 else 1)
    for rate, pick in zip(reversed(claim.rates), picks, strict=True):
        spread = task_variance(rate, claim.tasks, claim.samples, _icc(claim))
        shared = max(correlation, 0.0) * task_variance(rate, claim.tasks)
        raised.append(sqrt(max(spread - shared, 0.0) / claim.tasks) * float(expected_maximum(pick)))
    return raised[0], raised[1]


def _least_correlation(claim: Claim, most: float) -> float | None:
    """Bisect: interval and choice shrink as the correlation grows."""
    low, high = 0.0, most
    if _row(claim, low).shown:
        return low
    if not _row(claim, high).shown:
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if _row(claim, middle).shown else (middle, high)
    return high


def _may_change(claim: Claim, correlation: float) -> int:
    a, b = claim.rates
    covariance = correlation * sqrt(task_variance(a, claim.tasks) * task_variance(b, claim.tasks))
    return int(claim.tasks * (a * (1 - b) + b * (1 - a) - 2 * covariance) + 1e-9)


def _checkpoints(claim: Claim, rows: tuple[ReviewRow, ...], least: float | None, most: float) -> Support:
    unsaid = claim.chosen == "unsaid" and claim.of is None
    last = rows[-1]
    word: ClaimWord
    if claim.correlation is not None:
        word = "supported" if last.shown else "unsupported"
        lies = "outside" if last.shown else "inside"
        reason = f"0 lies {lies} the paired interval at the correlation that is known"
    elif least == 0.0:
        word, reason = "supported", "0 lies outside the interval even unpaired"
    elif least is None:
        word, reason = (
            "unsupported",
            f"0 lies inside the interval at every correlation these rates allow (≤ {most:.2f})",
        )
    else:
        word, reason = "open", f"shown only if the arms correlate by {least:.2f} or more, which per-task results tell"
    if word == "supported" and unsaid:
        word, reason = "open", f"{reason}, but how the checkpoint was chosen is not said"
    icc = _icc_that_shows(claim) if word == "unsupported" else None
    if icc is not None:
        word = "open"
        reason = f"shown only if samples of one task correlate by {icc:.2f} or less (icc), which per-task results tell"
    return Support("checkpoints", word, reason)


def _icc_that_shows(claim: Claim) -> float | None:
    """Find the largest icc with which the difference is shown at some correlation, where it is not known."""
    if claim.icc is not None or claim.samples * claim.runs == 1:
        return None
    for percent in range(99, -1, -1):
        supposed = msgspec.structs.replace(claim, icc=percent / 100)
        most = largest_correlation(*claim.rates, claim.tasks, icc=percent / 100)
        correlation = most if claim.correlation is None else claim.correlation
        if correlation <= most and _row(supposed, correlation).shown:
            return percent / 100
    return None


def _recipe(claim: Claim) -> Support:
    if claim.runs < LEAST_SEEDS:
        ran = "1 run an arm does not show" if claim.runs == 1 else f"{claim.runs} runs an arm hardly show"
        return Support("recipe", "unsupported", f"{ran} the spread between runs: at least {LEAST_SEEDS} are needed")
    left = max(abs(claim.rates[1] - claim.rates[0]) - _choice(claim, claim.correlation or 0.0)[0], 0.0)
    if left == 0.0:
        return Support("recipe", "unsupported", f"choosing the best of {claim.of} may have added all of it")
    hiding = hiding_training_sd(left, claim.runs, _evaluation_variance(claim), level=claim.level / 100)
    if hiding is None:
        return Support("recipe", "unsupported", "0 lies inside the interval over runs, were training without noise")
    most = 100 * hiding
    if claim.training_sd is None:
        return Support(
            "recipe", "open", f"shown only if the training seed moves a rate by {most:.1f} points SD or less"
        )
    if claim.training_sd > most:
        return Support("recipe", "unsupported", f"0 lies inside the interval over {claim.runs} runs an arm")
    if claim.chosen == "unsaid" and claim.of is None:
        how = "but how checkpoints were chosen is not said"
        return Support("recipe", "open", f"0 lies outside the interval over runs, {how}")
    return Support("recipe", "supported", f"0 lies outside the interval over {claim.runs} runs an arm, on these tasks")


def _evaluation_variance(claim: Claim) -> float:
    """Variance of one run's rate on these very tasks: at most, where the icc is not known."""
    single = sum(task_variance(rate, claim.tasks) for rate in claim.rates) / 2
    return single * (1 - (claim.icc or 0.0)) / (claim.tasks * claim.samples)
