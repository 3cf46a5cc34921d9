"""The cheapest evaluation that answers the question: how many units, and how many samples of each.

Units are tasks with samples in them, or training seeds with evaluations in them. A mean over N units of n samples has
the variance ``(between + within / n) / N``: more samples shrink the second term alone, and no number of them does what
more units do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from passband.errors import InvalidInputError
from passband.stats._check import whole_numbers
from passband.stats._numeric import check_choice, check_probability, real_numbers
from passband.stats.power import PowerMethod, minimum_detectable_effect, noncentrality_for, power_of, required_units

if TYPE_CHECKING:
    from passband.stats._result import FloatArray

__all__ = ["Design", "plan_design"]

_SEARCHED = 1024  # every design with at most so many units, or at most so many samples of each, is looked at


@dataclass(frozen=True, slots=True)
class Design:
    """How many units, how many samples of each, and what they buy.

    Attributes
    ----------
    units : int
        Tasks that both arms run on (paired), or units in each arm (unpaired).
    samples : int
        Samples of each unit in each arm.
    cost : float
        Of both arms, in the unit of the given costs.
    effect : float
        The difference that was asked for.
    detectable : float
        The smallest difference this design detects with the wanted power; at most `effect`.
    detectable_limit : float
        The same for these units and ever more samples: what the spread between units alone leaves.
    achieved_power : float
        Power at `effect`; rounding up to whole units makes it at least the wanted one.
    standard_error : float
        Of the difference of means.
    between_share : float
        Share of its square that more samples cannot remove.
    alpha : float
        Two-sided size of the planned test.
    paired : bool
        Whether both arms run on the same units.
    method : str
        ``"t"`` or ``"normal"``.
    warnings : tuple of str
        What a reader must know before trusting the plan.
    """

    units: int
    samples: int
    cost: float
    effect: float
    detectable: float
    detectable_limit: float
    achieved_power: float
    standard_error: float
    between_share: float
    alpha: float
    paired: bool
    method: PowerMethod
    warnings: tuple[str, ...] = ()


def plan_design(
    effect: float,
    between: float,
    within: float,
    *,
    unit_cost: float = 0.0,
    sample_cost: float = 1.0,
    alpha: float = 0.05,
    power: float = 0.8,
    paired: bool = True,
    method: PowerMethod = "t",
    min_units: int = 2,
    max_units: int | None = None,
    max_samples: int | None = None,
) -> Design:
    """Find the cheapest number of units and samples that detects `effect` between two arms.

    Parameters
    ----------
    effect : float
        Difference of means to detect; its sign does not matter.
    between : float
        Variance between units of what no number of samples averages away: of the true per-task *difference* if
        `paired` (the variance of measured differences less ``2 within / n``), of one arm's true value otherwise. A
        negative moment estimate is taken as 0.
    within : float
        Variance of one sample of one unit in one arm, for pass rates the mean of p (1 - p).
    unit_cost : float
        Price of one unit: writing a task (paid once if `paired`), training a seed (paid in each arm).
    sample_cost : float
        Price of one sample of one unit in one arm.
    alpha, power : float
        Two-sided size, and wanted power.
    paired : bool
        Tasks shared by both arms, or separate units (seeds of two recipes) in each.
    method : {"t", "normal"}
        Exact power of the t-test, or the normal formula.
    min_units, max_units, max_samples : int, optional
        Limits: for seeds at least 3, for a suite its size.

    Returns
    -------
    Design
        Of equally cheap designs the one with the fewest samples, then with the most units.

    Raises
    ------
    InvalidInputError
        For impossible input, and where no design within the limits detects `effect`: the message names the smallest
        effect that is within reach.

    Notes
    -----
    Cochran (1977), Sampling Techniques, section 10.6: without rounding, the best number of samples is
    sqrt(unit cost × within / (sample cost × between)), whatever the effect. Here whole numbers are searched.

    Examples
    --------
    >>> plan = plan_design(0.05, between=0.004, within=0.12, unit_cost=10)
    >>> plan.units, plan.samples
    (59, 17)
    """
    delta, spread, noise, costs = _check_plan(
        effect=effect,
        between=between,
        within=within,
        unit_cost=unit_cost,
        sample_cost=sample_cost,
        alpha=alpha,
        power=power,
        method=method,
    )
    least, most, cap = _check_limits(min_units, max_units, max_samples, method)
    arms_of_noise = 2.0 if paired else 1.0

    def variance(samples: FloatArray) -> FloatArray:
        return spread + arms_of_noise * noise / samples

    few_samples = np.arange(1.0, min(_SEARCHED, cap) + 1.0)
    needed = required_units(delta, np.sqrt(variance(few_samples)), alpha, power, paired=paired, method=method)
    few_units = np.arange(least, max(min(_SEARCHED, most), least) + 1.0)
    freedom = few_units - 1.0 if paired else 2.0 * few_units - 2.0
    reach = delta / noncentrality_for(freedom, alpha, power, method)
    room = reach**2 * few_units / (1.0 if paired else 2.0) - spread
    with np.errstate(divide="ignore"):
        wanted = np.where(room > 0.0, np.ceil(arms_of_noise * noise / np.maximum(room, 1e-300) - 1e-9), np.inf)
    units = np.concatenate([np.maximum(needed, least), few_units])
    samples = np.concatenate([few_samples, np.maximum(wanted, 1.0)])
    fits = (units <= most) & (samples <= cap) & np.isfinite(samples)
    if not fits.any():
        floor = np.sqrt(spread if np.isinf(cap) else variance(np.asarray(cap)))
        reachable = minimum_detectable_effect(int(most), floor, alpha, power, paired=paired, method=method)
        raise InvalidInputError(
            f"no design of at most {most:.0f} units and {cap:.0f} samples detects {delta:g}"
            if np.isfinite(cap)
            else f"no design of at most {most:.0f} units detects {delta:g}, however many samples",
            where="plan_design",
            fix=f"add units, or ask for {reachable:.3g} or more",
        )
    units, samples = units[fits], samples[fits]
    cost = units * (costs[0] * (1.0 if paired else 2.0) + 2.0 * costs[1] * samples)
    best = np.lexsort((-units, units * samples, cost))[0]
    return _describe(
        units=int(units[best]),
        samples=int(samples[best]),
        cost=float(cost[best]),
        effect=delta,
        variance=float(variance(samples[best])),
        spread=spread,
        alpha=alpha,
        power=power,
        paired=paired,
        method=method,
        clipped=between < 0.0,
    )


def _describe(
    *,
    units: int,
    samples: int,
    cost: float,
    effect: float,
    variance: float,
    spread: float,
    alpha: float,
    power: float,
    paired: bool,
    method: PowerMethod,
    clipped: bool,
) -> Design:
    def detects(of: float) -> float:
        return float(minimum_detectable_effect(units, np.sqrt(of), alpha, power, paired=paired, method=method))

    warnings = []
    if clipped:
        warnings.append("the variance between units was estimated below 0 and taken as 0: the plan may be too small")
    if units < 10:
        warnings.append(f"{units} units: the t-test leans on their being normally distributed")
    return Design(
        units=units,
        samples=samples,
        cost=cost,
        effect=effect,
        detectable=detects(variance),
        detectable_limit=detects(spread),
        achieved_power=float(power_of(units, effect, np.sqrt(variance), alpha, paired=paired, method=method)),
        standard_error=float(np.sqrt(variance * (1.0 if paired else 2.0) / units)),
        between_share=spread / variance if variance > 0.0 else 0.0,
        alpha=alpha,
        paired=paired,
        method=method,
        warnings=tuple(warnings),
    )


def _check_plan(
    *,
    effect: float,
    between: float,
    within: float,
    unit_cost: float,
    sample_cost: float,
    alpha: float,
    power: float,
    method: str,
) -> tuple[float, float, float, tuple[float, float]]:
    check_choice(method, "method", ("t", "normal"))
    check_probability(alpha, "alpha")
    check_probability(power, "power")
    spread = max(float(real_numbers(between, "between")), 0.0)
    noise = float(real_numbers(within, "within", at_least=0.0))
    costs = (
        float(real_numbers(unit_cost, "unit_cost", at_least=0.0)),
        float(real_numbers(sample_cost, "sample_cost", at_least=0.0)),
    )
    if costs == (0.0, 0.0):
        raise InvalidInputError("nothing costs anything, so nothing is cheapest", where="unit_cost and sample_cost")
    return abs(float(real_numbers(effect, "effect"))), spread, noise, costs


def _check_limits(
    min_units: int, max_units: int | None, max_samples: int | None, method: str
) -> tuple[int, float, float]:
    least = max(int(whole_numbers(min_units, "min_units", minimum=1)), 2 if method == "t" else 1)
    most = np.inf if max_units is None else float(whole_numbers(max_units, "max_units", minimum=1))
    cap = np.inf if max_samples is None else float(whole_numbers(max_samples, "max_samples", minimum=1))
    if most < least:
        raise InvalidInputError(f"at most {most:.0f} units, and at least {least}", where="max_units")
    return least, most, cap
