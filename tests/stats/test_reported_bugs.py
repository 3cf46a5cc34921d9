"""Public reports of numbers gone wrong, each with the right answer."""

import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import (
    clopper_pearson_interval,
    missing_bounds,
    paired_difference,
    pass_at_k,
    pass_hat_k_interval,
    pass_rate_interval,
    standard_error,
    wilson_interval,
)


@pytest.mark.parametrize(("n", "c", "k"), [(2, 0, 5), (2, 1, 5), (99, 0, 100)])
def test_fewer_samples_than_attempts_is_no_hundred_percent(n, c, k):
    """human-eval printed 1 for n < k (openai/human-eval#35); there is no estimate, and it is refused."""
    with pytest.raises(InvalidInputError, match="draw at least k samples"):
        pass_at_k(n, c, k)


def test_no_pass_in_exactly_k_samples_is_zero():
    """N = k = 4 and c = 0 is estimable and 0."""
    assert pass_at_k(4, 0, 4) == 0.0


@pytest.mark.parametrize(
    ("passes", "samples", "error"), [(3, 10, 0.1528), (30, 100, 0.0461), (1, 3, 0.3333), (3, 7, 0.2020)]
)
def test_the_standard_error_of_a_mean_accuracy(passes, samples, error):
    """Half-sampling is wrong for odd n (openai/evals#1834): s / sqrt(n) is right for all."""
    c = np.r_[np.ones(passes, int), np.zeros(samples - passes, int)]
    assert standard_error(c, 1) == pytest.approx(error, abs=5e-5)


def test_one_sample_has_no_standard_error():
    """A single value gives an error that says why, neither 0 nor NaN (openai/evals#1834)."""
    with pytest.raises(InvalidInputError, match="one task says nothing"):
        standard_error([1], 1)


def test_errors_do_not_leave_the_denominator():
    """80 passed, 10 errored of 100 (UKGovernmentBEIS/inspect_ai#3781): 0.80 to 0.90, not 88.9%."""
    assert missing_bounds([80], [90], [100]) == (0.8, 0.9)


def test_equal_totals_have_p_1():
    """A leaderboard showed p = 0.868 for equal totals (SWE-bench/SWE-bench#621)."""
    tie = paired_difference([0] * 18 + [1] * 18 + [1] * 464, 1, [1] * 18 + [0] * 18 + [1] * 464, 1)
    assert (tie.p_value, tie.sign_flip_p, tie.mcnemar_mid_p) == (1.0, 1.0, 1.0)


def test_no_success_has_an_upper_bound():
    """0 of 25 (stats.stackexchange.com/questions/82720): Clopper-Pearson 0.1372, Wilson 0.1332, one-sided 0.1129."""
    assert round(clopper_pearson_interval(0, 25).high, 4) == 0.1372
    assert round(wilson_interval(0, 25).high, 4) == 0.1332
    assert round(clopper_pearson_interval(0, 25, alternative="upper").high, 4) == 0.1129


def test_one_task_that_always_fails_shows_in_pass_hat_k():
    """49 tasks at 10/10 and one at 0/10 (promptfoo/promptfoo#5847): 0.98 each; of ten groups pass^2 0.9."""
    c = [10] * 49 + [0]
    assert pass_rate_interval(c, 10).value == pytest.approx(0.98)
    assert pass_hat_k_interval(c, 10, 10).value == pytest.approx(0.98)
    assert pass_hat_k_interval([2] * 9 + [0], 2, 2).value == pytest.approx(0.9)
