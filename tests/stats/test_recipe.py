import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import recipe_difference


def test_it_is_welch_over_seed_means():
    """With a spread between seeds above the evaluation's, interval and p are scipy's Welch test of the seed means."""
    from scipy import stats

    a = np.array([[10, 12], [20, 22], [28, 30]])
    b = np.array([[30, 31], [18, 20], [25, 25], [31, 30]])
    found = recipe_difference((a, 32), (b, 32))
    oracle = stats.ttest_ind((b / 32).mean(axis=1), (a / 32).mean(axis=1), equal_var=False)
    interval = oracle.confidence_interval(0.95)
    assert found.p_value == pytest.approx(oracle.pvalue)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((interval.low, interval.high))
    assert found.df == pytest.approx(oracle.df)


def test_two_seeds_support_no_claim():
    """Fewer than three seeds in an arm give a difference, a warning, and neither interval nor p."""
    found = recipe_difference((np.full((2, 5), 3), 8), (np.full((4, 5), 6), 8))
    assert found.estimate.value == pytest.approx(3 / 8)
    assert found.estimate.low is None
    assert found.p_value is None
    assert "support no claim" in found.estimate.warnings[0]


def test_seeds_that_agree_claim_no_certainty():
    """Equal seed means leave the noise of the evaluation in the interval."""
    found = recipe_difference((np.full((3, 10), 4), 8), (np.full((3, 10), 5), 8))
    assert found.estimate.high - found.estimate.low > 0.1


def test_no_noise_at_all_gives_no_interval():
    """Where all samples of all seeds are alike nothing bounds the noise, and that is said."""
    found = recipe_difference((np.zeros((3, 4), int), 8), (np.full((3, 4), 8), 8))
    assert found.estimate.low is None
    assert found.estimate.warnings


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1, 2]), ([[1], [2], [1]], [[1, 1]] * 3)])
def test_other_shapes_are_refused(a, b):
    """Seeds by tasks, the same tasks: anything else is an error."""
    with pytest.raises(InvalidInputError):
        recipe_difference((a, 4), (b, 4))


@pytest.mark.slow
def test_its_size_is_nominal():
    """Two equal recipes of three seeds are told apart in at most 5.5% of 4,000 experiments."""
    rng = np.random.default_rng(5)
    wrong = 0
    for _ in range(4000):
        p = np.clip(rng.normal(0.6, 0.05, (2, 3, 1)) + rng.uniform(-0.3, 0.3, 10), 0, 1)
        c = rng.binomial(16, p)
        wrong += recipe_difference((c[0], 16), (c[1], 16)).p_value < 0.05
    assert wrong / 4000 <= 0.055
