import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import confint_proportions_2indep

from passband.errors import InvalidInputError
from passband.stats import pass_rate_interval, unpaired_difference

RATES = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=80, deadline=None)
@given(RATES, RATES)
def test_single_rates_are_newcombe(a, b):
    """Two numbers give statsmodels' "newcomb" interval."""
    found = unpaired_difference(*a, *b)
    low, high = confint_proportions_2indep(*b, *a, method="newcomb", compare="diff")
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low, high), abs=1e-9)
    assert found.estimate.method == "newcombe"


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [((56, 70), (48, 80), 0.0524, 0.3339), ((9, 10), (3, 10), 0.1705, 0.8090), ((10, 10), (0, 20), 0.6791, 1.0)],
)
def test_the_published_values(first, second, low, high):
    """Newcombe (1998), table II, method 10, contrasts (a), (b), and (g): p1 - p2."""
    found = unpaired_difference(*second, *first)
    assert (found.estimate.low, found.estimate.high) == (pytest.approx(low, abs=6e-5), pytest.approx(high, abs=6e-5))


@settings(max_examples=60, deadline=None)
@given(RATES, RATES, st.floats(0.8, 0.999))
def test_p_is_below_alpha_exactly_where_zero_is_out(a, b, level):
    """Interval and p never disagree, for single rates; swapping the sides mirrors both."""
    found, swapped = unpaired_difference(*a, *b, level=level), unpaired_difference(*b, *a, level=level)
    low, high = found.estimate.low, found.estimate.high
    if min(abs(low), abs(high)) > 1e-9:
        assert (found.p_value < 1 - level) == (low > 0 or high < 0)
    assert (low, high) == pytest.approx((-swapped.estimate.high, -swapped.estimate.low), abs=1e-9)
    assert found.p_value == pytest.approx(swapped.p_value, abs=1e-9)
    assert low <= found.estimate.value <= high


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=8), st.lists(st.integers(0, 8), min_size=2, max_size=8))
def test_with_tasks_it_joins_the_two_pass_rate_intervals(a, b):
    """Ends are the squares of the distances to the ends of each side's own interval; p agrees with them."""
    found = unpaired_difference(a, 8, b, 8)
    one, two = pass_rate_interval(a, 8), pass_rate_interval(b, 8)
    value = two.value - one.value
    assert found.estimate.low == pytest.approx(value - np.hypot(two.value - two.low, one.high - one.value))
    assert found.estimate.high == pytest.approx(value + np.hypot(two.high - two.value, one.value - one.low))
    if min(abs(found.estimate.low), abs(found.estimate.high)) > 1e-9:
        assert (found.p_value < 0.05) == (found.estimate.low > 0 or found.estimate.high < 0)


def test_degenerate_sides_keep_a_width():
    """All fail against all pass: a difference of 1 with a lower end well below it and a p above 0."""
    found = unpaired_difference([0] * 5, 4, [4] * 5, 4)
    assert found.estimate.value == 1.0
    assert found.estimate.low < 0.6
    assert 0 < found.p_value < 0.05


def test_one_task_has_no_interval_and_batches_are_rows():
    """A side of one task gives a value and a warning; leading axes stand alone."""
    found = unpaired_difference([3], [8], [5, 2], 8)
    assert (found.estimate.low, found.p_value, found.law) == (None, None, None)
    rng = np.random.default_rng(0)
    a, b = rng.binomial(8, 0.4, (3, 6)), rng.binomial(8, 0.6, (3, 9))
    batch = unpaired_difference(a, 8, b, 8)
    assert batch.p_value == pytest.approx([unpaired_difference(x, 8, y, 8).p_value for x, y in zip(a, b, strict=True)])


def test_a_rate_is_not_compared_with_tasks():
    """One side a single number and the other tasks raises."""
    with pytest.raises(InvalidInputError, match="single rate"):
        unpaired_difference(3, 8, [1, 2], 8)
