from math import sqrt

import numpy as np
import pytest
from scipy import stats

from passband.errors import InvalidInputError
from passband.stats import hiding_training_sd, largest_correlation, reported_difference, task_variance

A, B, N = 0.410, 0.434, 500


def test_unpaired_is_the_binomial_formula():
    """With one sample a task the error is sqrt((p q + p' q') / N), the interval Student's t around it, p its tail."""
    found = reported_difference(A, B, N)
    error = sqrt((0.410 * 0.590 + 0.434 * 0.566) / 500)
    assert found.standard_error == pytest.approx(error)
    reach = stats.t.ppf(0.975, 499) * error
    assert (found.estimate.low, found.estimate.high) == pytest.approx((0.024 - reach, 0.024 + reach))
    assert found.p_value == pytest.approx(2 * stats.t.sf(0.024 / error, 499))


def test_pairing_takes_the_covariance_off():
    """The paired error is sqrt((p q + p' q' - 2 r sqrt(p q p' q')) / N)."""
    v, w = 0.410 * 0.590, 0.434 * 0.566
    for r in (0.3, 0.7, 0.9):
        found = reported_difference(A, B, N, correlation=r)
        assert found.standard_error == pytest.approx(sqrt((v + w - 2 * r * sqrt(v * w)) / 500))


def test_it_is_the_paired_t_of_the_table_it_stands_for():
    """For 0/1 results the error is that of the paired t on the table itself, but for N against N - 1."""
    a = np.repeat([1, 1, 0, 0], [180, 25, 37, 258])
    b = np.repeat([1, 0, 1, 0], [180, 25, 37, 258])
    r = np.corrcoef(a, b)[0, 1]
    found = reported_difference(a.mean(), b.mean(), N, correlation=r)
    assert found.standard_error == pytest.approx((b - a).std(ddof=0) / sqrt(N))


def test_more_samples_shrink_what_is_not_of_the_task():
    """The mean of n samples of a task has the variance p q (icc + (1 - icc) / n): at icc 1 more samples buy nothing."""
    assert task_variance(0.4, 100, 8, icc=0.5) == pytest.approx(0.24 * (0.5 + 0.5 / 8))
    assert task_variance(0.4, 100, 8) == pytest.approx(0.24)


def test_a_rate_of_nothing_keeps_some_variance():
    """A rate of 0 or 1 is taken half a success off, so that its error is not 0."""
    assert task_variance(0.0, 100) == pytest.approx(0.005 * 0.995) == task_variance(1.0, 100)
    assert reported_difference(0.0, 1.0, 100).standard_error > 0


def test_rates_bound_their_correlation():
    """The most is that of 205 passes among 217 of 500, as numpy has it; an icc bounds it too."""
    a, b = (np.arange(500) < passed for passed in (205, 217))
    assert largest_correlation(A, B, N) == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert largest_correlation(A, B, N, icc=0.6) == 0.6
    with pytest.raises(InvalidInputError, match=r"0.96 is more than these rates allow, 0.952"):
        reported_difference(A, B, N, correlation=0.96)


def test_interval_and_p_agree():
    """The p-value is below 1 - level exactly where the interval leaves 0 out."""
    rng = np.random.default_rng(1)
    for _ in range(300):
        a, b = rng.uniform(0.05, 0.95, 2)
        tasks = int(rng.integers(2, 2000))
        r = rng.uniform(0, 0.99) * largest_correlation(a, b, tasks)
        found = reported_difference(a, b, tasks, correlation=r)
        assert (found.p_value < 0.05) == (found.estimate.low > 0 or found.estimate.high < 0)


def test_training_noise_that_hides_a_difference():
    """At the spread that is returned, Welch's t of such runs has p = 1 - level."""
    sd = hiding_training_sd(0.024, 5, 0.0001)
    t = 0.024 / sqrt(2 * (sd**2 + 0.0001) / 5)
    assert 2 * stats.t.sf(t, 8) == pytest.approx(0.05)
    assert hiding_training_sd(0.024, 5, 0.01) is None


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: reported_difference(0.4, 0.5, 1),
        lambda: reported_difference(-0.1, 0.5, 10),
        lambda: reported_difference(0.4, 0.5, 10, icc=1.5),
        lambda: task_variance(0.4, 10, 0),
        lambda: hiding_training_sd(0.1, 1, 0.01),
    ],
)
def test_what_is_no_report_is_refused(wrong):
    """One task, a rate or icc outside [0, 1], no sample, one run: errors."""
    with pytest.raises(InvalidInputError):
        wrong()
