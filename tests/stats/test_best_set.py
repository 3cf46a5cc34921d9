import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import best_set, paired_difference, paired_mean_difference


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=2, max_size=5))
def test_the_set_the_gap_and_the_rank_say_the_same(counts):
    """A system is out of the set exactly where it is behind and its best rank is not the first."""
    found = best_set(np.array(counts) / 4)
    assert found.in_set[found.leader]
    np.testing.assert_array_equal(found.in_set, found.behind <= 0)
    np.testing.assert_array_equal(found.in_set, found.rank_low == 1)
    assert (found.rank_low <= found.rank_high).all()


def test_two_systems_are_a_one_sided_paired_test():
    """With two systems the loser leaves where its two-sided 90% paired interval leaves 0 out."""
    rng = np.random.default_rng(1)
    verdicts = set()
    for shift in (0.0, 0.15, 0.3):
        a, b = rng.binomial(8, 0.3, 40), rng.binomial(8, 0.3 + shift, 40)
        low = paired_difference(a, 8, b, 8, level=0.9).estimate.low
        found = best_set([a / 8, b / 8])
        assert found.in_set[0] == (low <= 0)
        verdicts.add(bool(found.in_set[0]))
    assert verdicts == {True, False}


@pytest.mark.parametrize("values", [[[0.5, 0.5]], [[0.5], [0.5]], [0.5, 0.5], [[0.5, 2.0], [0.1, 0.2]]])
def test_too_little_or_impossible_is_refused(values):
    """One system, one task, or values that are no rates are errors."""
    with pytest.raises(InvalidInputError):
        best_set(values)


@pytest.mark.slow
def test_the_best_stays_in_the_set():
    """Over 2,000 evaluations of six systems, two of them equally best, the first of them is in the set in 95%."""
    rng = np.random.default_rng(3)
    kept = 0
    for _ in range(2000):
        task = rng.beta(0.6, 0.6, 60)
        shifts = np.array([0.0, 0.0, -0.02, -0.05, -0.1, -0.3])
        p = np.clip(task + shifts[:, None], 0, 1)
        kept += best_set(rng.binomial(4, p) / 4).in_set[0]
    assert kept / 2000 >= 0.945


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), min_size=2, max_size=30))
def test_values_and_counts_give_one_interval(pairs):
    """Rates as values give the interval and the p of the same rates as counts, if told what a sample weighs."""
    a, b = np.array(pairs).T
    counted, valued = paired_difference(a, 8, b, 8), paired_mean_difference(a / 8, b / 8, grain=1 / 8)
    assert valued.estimate.low == pytest.approx(counted.estimate.low)
    assert valued.estimate.high == pytest.approx(counted.estimate.high)
    assert valued.p_value == pytest.approx(counted.p_value)


def test_one_task_has_a_difference_and_no_interval():
    """One task gives a value, a warning, and neither interval nor p."""
    found = paired_mean_difference([0.2], [0.7])
    assert found.estimate.value == pytest.approx(0.5)
    assert found.estimate.low is None
    assert found.p_value is None
    assert found.estimate.warnings


@pytest.mark.parametrize(("a", "b"), [([0.1], [0.1, 0.2]), ([], []), (0.1, 0.1), ([1.5], [0.5])])
def test_values_that_do_not_pair_are_refused(a, b):
    """Different tasks, no task, no list, no rate: errors."""
    with pytest.raises(InvalidInputError):
        paired_mean_difference(a, b)
