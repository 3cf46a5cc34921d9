import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.power import TTestIndPower, TTestPower

from passband.errors import InvalidInputError
from passband.stats import minimum_detectable_effect, power_of, required_units

Z = NormalDist()


def test_the_chapters_table():
    """Paired tasks of spread 0.0723 need 103 for 2 points and 17 for 5; unpaired ones of 0.2913 need 533 an arm."""
    assert required_units([0.02, 0.05], 0.0723).tolist() == [103, 17]
    assert required_units(0.05, 0.2913, paired=False) == 533


def test_the_design_review_of_exercise_7():
    """A gap of 2.4 points on 500 tasks of one sample each, unpaired, needs thirteen times as many tasks."""
    sd = math.sqrt((0.41 * 0.59 + 0.434 * 0.566) / 2)
    assert math.isclose(sd * math.sqrt(2 / 500), 0.0312, abs_tol=1e-4)  # the standard error of the difference
    needed = required_units(0.024, sd, paired=False)
    by_hand = 2 * ((Z.inv_cdf(0.975) + Z.inv_cdf(0.8)) * sd / 0.024) ** 2
    assert needed == math.ceil(by_hand) == 6644


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("effect", [0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_t_method_agrees_with_statsmodels(paired, effect, power):
    """The exact power, and the fewest units that reach one, are those of statsmodels."""
    oracle = TTestPower() if paired else TTestIndPower()
    units = required_units(effect, 1.0, power=power, paired=paired, method="t")
    expected = oracle.power(effect, units, 0.05)
    assert math.isclose(power_of(units, effect, 1.0, paired=paired, method="t"), expected, abs_tol=1e-9)
    assert oracle.power(effect, units, 0.05) >= power
    if units > 2:
        assert oracle.power(effect, units - 1, 0.05) < power


@settings(deadline=None, max_examples=60)
@given(
    units=st.integers(2, 3000),
    sd=st.floats(1e-3, 10.0),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
    power=st.sampled_from([0.3, 0.8, 0.99]),
    paired=st.booleans(),
    method=st.sampled_from(["normal", "t"]),
)
def test_effect_power_and_units_are_one_relation(units, sd, alpha, power, paired, method):
    """The effect that some units detect has the wanted power there, and needs those units."""
    kwargs = {"paired": paired, "method": method}
    effect = minimum_detectable_effect(units, sd, alpha, power, **kwargs)
    far_tail = alpha / 2 if method == "normal" else 1e-8  # the formula neglects it
    assert power - 1e-8 <= power_of(units, effect, sd, alpha, **kwargs) <= power + far_tail
    assert abs(required_units(effect, sd, alpha, power, **kwargs) - units) <= 1


@given(st.floats(0.001, 1.0), st.floats(0.01, 1.0))
@settings(deadline=None, max_examples=50)
def test_units_grow_as_effects_shrink(effect, sd):
    """Half the effect needs about four times the units, and exact power never needs fewer than the formula."""
    normal, exact = (required_units(effect, sd, method=method) for method in ("normal", "t"))
    assert exact >= normal * (1 - 1e-5)  # it counts the far tail too, which is worth a little
    assert required_units(effect / 2, sd) >= 4 * (normal - 1)
    assert required_units(-effect, sd) == normal


def test_the_power_of_no_effect_is_the_size():
    """Without a difference a two-sided test rejects with probability alpha."""
    np.testing.assert_allclose(power_of([2, 10, 1000], 0.0, 1.0, 0.05), 0.05, atol=1e-12)
    np.testing.assert_allclose(power_of([2, 10, 1000], 0.0, 1.0, 0.05, method="t"), 0.05, atol=1e-12)


def test_without_spread_any_effect_is_found():
    """A measured spread of 0 makes the formula answer one unit, and the t-test two."""
    assert required_units(0.01, 0.0) == 1
    assert required_units(0.01, 0.0, method="t") == 2
    assert power_of(2, 0.01, 0.0) == 1.0
    assert power_of(2, 0.0, 0.0) == pytest.approx(0.05)
    assert minimum_detectable_effect(2, 0.0) == 0.0


def test_whole_quotients_are_not_rounded_up():
    """Where the formula gives a whole number but for float rounding, that is the answer."""
    z = Z.inv_cdf(0.975) + Z.inv_cdf(0.8)
    for units in (4, 9, 100, 12345):
        assert required_units(z / math.sqrt(units), 1.0) == units


def test_arrays_broadcast():
    """Effects and spreads broadcast to one table."""
    table = required_units([[0.02], [0.05]], [0.05, 0.1, 0.2], method="t")
    assert table.shape == (2, 3)
    assert (np.diff(table, axis=1) > 0).all()
    assert (table[0] > table[1]).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: required_units(0.0, 1.0), "effect"),
        (lambda: required_units(0.1, -1.0), "sd"),
        (lambda: required_units(math.nan, 1.0), "finite"),
        (lambda: required_units(0.1, 1.0, alpha=0.0), "alpha"),
        (lambda: required_units(0.1, 1.0, power=1.0), "power"),
        (lambda: required_units(0.1, 1.0, alpha=0.3, power=0.2), "no more than the size"),
        (lambda: required_units(1e-12, 1.0), "units would be needed"),
        (lambda: required_units([0.1, 0.2], [1.0, 1.0, 1.0]), "do not fit"),
        (lambda: required_units(0.1, 1.0, method="z"), "method"),
        (lambda: power_of(1, 0.1, 1.0, method="t"), "units"),
        (lambda: power_of(2.5, 0.1, 1.0), "whole"),
        (lambda: minimum_detectable_effect(0, 1.0), "units"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    """An error says which argument is off."""
    with pytest.raises(InvalidInputError, match=words):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("paired", [True, False])
def test_the_planned_power_is_reached(paired):
    """Simulated t-tests on the planned number of units reject in 80% of evaluations."""
    from scipy.special import stdtr

    units = required_units(0.05, 0.1, paired=paired, method="t")
    rng = np.random.default_rng(17)
    a, b = rng.normal(0.0, 0.1, (2, 40_000, units))
    if paired:
        d = a + 0.05
        t, df = d.mean(1) / (d.std(1, ddof=1) / math.sqrt(units)), units - 1
    else:
        t = (a.mean(1) + 0.05 - b.mean(1)) / np.sqrt((a.var(1, ddof=1) + b.var(1, ddof=1)) / units)
        df = 2 * units - 2
    rejected = np.mean(2 * stdtr(df, -np.abs(t)) < 0.05)
    assert abs(rejected - power_of(units, 0.05, 0.1, paired=paired, method="t")) < 0.008
    assert rejected > 0.795
