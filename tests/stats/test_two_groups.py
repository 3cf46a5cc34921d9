import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import group_difference


def test_it_is_welch():
    """Interval and p are scipy's Welch test."""
    from scipy import stats

    rng = np.random.default_rng(2)
    a, b = rng.random(12), rng.random(30) * 0.5
    found = group_difference(a, b)
    oracle = stats.ttest_ind(b, a, equal_var=False)
    interval = oracle.confidence_interval(0.95)
    assert found.p_value == pytest.approx(oracle.pvalue)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((interval.low, interval.high))


def test_equal_values_claim_no_certainty():
    """Groups without spread still have an interval of some width, and one task has none."""
    found = group_difference([1.0] * 10, [1.0] * 10, spread=0.5)
    assert found.estimate.low < 0 < found.estimate.high
    assert group_difference([1.0], [0.0, 1.0]).estimate.low is None


@pytest.mark.parametrize(("a", "b"), [([], [1.0]), ([[1.0]], [1.0]), ([float("nan")], [1.0])])
def test_what_is_no_group_is_refused(a, b):
    """No task, a table, or NaN: errors."""
    with pytest.raises(InvalidInputError):
        group_difference(a, b)


@pytest.mark.slow
def test_its_size_is_nominal():
    """Small groups of rates from one population are told apart in at most 6% of 4,000 experiments."""
    rng = np.random.default_rng(4)
    wrong = sum(
        group_difference(rng.binomial(8, rng.beta(1, 1, 8)) / 8, rng.binomial(8, rng.beta(1, 1, 30)) / 8).p_value < 0.05
        for _ in range(4000)
    )
    assert wrong / 4000 <= 0.06
