import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import plan_design, power_of


def detects(units, samples, effect, between, within, paired, method="t"):
    """Whether a design reaches 80% power, straight from the definition."""
    per_unit = between + (2 if paired else 1) * within / samples
    return power_of(units, effect, math.sqrt(per_unit), paired=paired, method=method) >= 0.8 - 1e-9


@settings(deadline=None, max_examples=12)
@given(
    effect=st.floats(0.05, 0.3),
    between=st.floats(0.0, 0.02),
    within=st.floats(0.01, 0.25),
    unit_cost=st.sampled_from([0.0, 1.0, 10.0, 100.0]),
    paired=st.booleans(),
)
def test_no_design_is_cheaper(effect, between, within, unit_cost, paired):
    """All designs of a small grid that detect the effect cost at least as much as the plan."""
    plan = plan_design(effect, between, within, unit_cost=unit_cost, paired=paired)
    assert detects(plan.units, plan.samples, effect, between, within, paired)

    def cost(units, samples):
        return units * (unit_cost * (1 if paired else 2) + 2 * samples)

    assert plan.cost == pytest.approx(cost(plan.units, plan.samples))
    for units, samples in itertools.product([2, 3, 5, 8, 13, 21, 34, 55, 89, 144], [1, 2, 3, 5, 8, 13, 21]):
        if cost(units, samples) < plan.cost - 1e-9:
            assert not detects(units, samples, effect, between, within, paired)


def test_doubling_samples_does_not_halve_the_variance_between_tasks():
    """With free samples the units needed fall to what the spread between tasks asks for, and no further."""
    units = [
        plan_design(0.05, between=0.01, within=0.1, sample_cost=0.0, unit_cost=1.0, max_samples=samples).units
        for samples in (4, 8, 16, 1024)
    ]
    assert units[0] > units[1] > units[2] > units[3]
    assert units[1] > units[0] / 2
    assert units[3] == pytest.approx(plan_design(0.05, between=0.01, within=0.0).units, abs=1)


def test_cochrans_ratio_is_approached_for_many_units():
    """Where rounding matters little the samples are sqrt(unit cost × within / (sample cost × between))."""
    plan = plan_design(0.002, between=0.01, within=0.12, unit_cost=40.0)
    # paired: two arms draw samples, so both the noise and the price of a sample count twice
    assert plan.samples == pytest.approx(math.sqrt(40.0 * 2 * 0.12 / (2.0 * 0.01)), abs=1)


def test_the_plan_says_what_it_buys():
    """Standard error, share of the tasks and detectable effects follow from the variance formula."""
    plan = plan_design(0.05, between=0.004, within=0.12, unit_cost=10)
    variance = (0.004 + 2 * 0.12 / plan.samples) / plan.units
    assert plan.standard_error == pytest.approx(math.sqrt(variance))
    assert plan.between_share == pytest.approx(0.004 / plan.units / variance)
    assert plan.detectable_limit < plan.detectable <= 0.05
    assert plan.achieved_power >= 0.8
    assert plan.warnings == ()


def test_seeds_are_units_too():
    """With seeds as units nothing is paired, and a floor of three seeds holds."""
    plan = plan_design(0.5, between=1e-6, within=1e-6, unit_cost=100.0, paired=False, min_units=3)
    assert (plan.units, plan.samples) == (3, 1)
    assert plan.cost == pytest.approx(2 * 3 * (100 + 1))
    assert "normally distributed" in plan.warnings[0]


def test_a_suite_that_is_too_small_says_what_is_within_reach():
    """With a limit on tasks an impossible wish is refused with the smallest effect that is not."""
    with pytest.raises(InvalidInputError, match="however many samples; add units, or ask for 0.0256 or more"):
        plan_design(0.02, between=0.004, within=0.12, max_units=50)
    assert plan_design(0.0257, between=0.004, within=0.12, max_units=50).units == 50
    with pytest.raises(InvalidInputError, match="at most 90 units and 8 samples"):
        plan_design(0.02, between=0.004, within=0.12, max_units=90, max_samples=8)


def test_a_negative_variance_estimate_is_taken_as_none():
    """A moment estimate below 0 counts as 0, and the plan says so."""
    plan = plan_design(0.05, between=-0.001, within=0.12)
    assert plan.between_share == 0.0
    assert "below 0" in plan.warnings[0]


def test_equal_cost_goes_to_more_tasks():
    """Where a task costs nothing but its samples, one sample of many tasks is as good as it gets."""
    plan = plan_design(0.05, between=0.01, within=0.1)
    assert plan.samples == 1


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"effect": 0.0}, "effect"),
        ({"within": -1.0}, "within"),
        ({"between": math.inf}, "between"),
        ({"unit_cost": 0.0, "sample_cost": 0.0}, "nothing is cheapest"),
        ({"min_units": 10, "max_units": 5}, "max_units"),
        ({"max_samples": 0}, "max_samples"),
        ({"method": "exact"}, "method"),
        ({"power": 0.01}, "power"),
    ],
)
def test_what_makes_no_sense_is_refused(kwargs, words):
    """An error says which argument is off."""
    with pytest.raises(InvalidInputError, match=words):
        plan_design(**{"effect": 0.05, "between": 0.01, "within": 0.1, **kwargs})


@pytest.mark.slow
def test_a_planned_comparison_finds_its_effect():
    """Simulated evaluations of the planned size, of pass rates that differ between tasks, reach the planned power."""
    from scipy.special import stdtr

    rng = np.random.default_rng(5)
    truth = rng.beta(2.0, 2.0, (1, 200_000))
    shift = rng.normal(0.05, 0.06, truth.shape)
    better = np.clip(truth + shift, 0.0, 1.0)
    effect, between = float((better - truth).mean()), float((better - truth).var())
    within = float((truth * (1 - truth) + better * (1 - better)).mean() / 2)
    plan = plan_design(effect, between, within, unit_cost=5.0)
    tasks = rng.integers(0, truth.size, (4000, plan.units))
    d = (rng.binomial(plan.samples, better[0][tasks]) - rng.binomial(plan.samples, truth[0][tasks])) / plan.samples
    t = d.mean(1) / (d.std(1, ddof=1) / math.sqrt(plan.units))
    found = np.mean(2 * stdtr(plan.units - 1, -np.abs(t)) < 0.05)
    assert abs(found - plan.achieved_power) < 0.03
