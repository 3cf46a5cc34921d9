import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import betabinom

from passband.errors import InvalidInputError
from passband.stats import bootstrap_ci, hierarchical_beta_binomial

COUNTS = np.array([1, 2, 8, 7, 0, 8, 5, 8])


def brute_force(c, n, nodes=300):
    """Posterior weights on Gauss-Legendre nodes of (mean, icc) in the unit square, from scipy's likelihood."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    x, w = (x + 1) / 2, w / 2
    scale = (1 - x) / x
    log = sum(betabinom.logpmf(k, n, x[:, None] * scale, (1 - x[:, None]) * scale) for k in np.asarray(c))
    weights = np.exp(log - log.max()) * w[:, None] * w
    return x, weights / weights.sum()


def test_posterior_means_agree_with_brute_force():
    """Mean, correlation, pass@k, and every task's mean and spread, against a product rule on the unit square."""
    found = hierarchical_beta_binomial(COUNTS, 8, k=(2, 5))
    x, weights = brute_force(COUNTS, 8)
    scale = (1 - x) / x
    alpha, beta = x[:, None] * scale, (1 - x[:, None]) * scale
    assert found.mean.value == pytest.approx((weights * x[:, None]).sum(), abs=1e-7)
    assert found.icc.value == pytest.approx((weights * x).sum(), abs=1e-7)
    for k in (2, 5):
        missed = np.prod([(beta + i) / (alpha + beta + i) for i in range(k)], axis=0)
        assert found.pass_at_k[k].value == pytest.approx(1 - (weights * missed).sum(), abs=1e-7)
    for task, c in enumerate(COUNTS):
        first = (alpha + c) / (alpha + beta + 8)
        second = first * (alpha + c + 1) / (alpha + beta + 9)
        mean = (weights * first).sum()
        assert found.task_means[task] == pytest.approx(mean, abs=1e-7)
        assert found.task_sds[task] == pytest.approx(np.sqrt((weights * second).sum() - mean**2), abs=1e-6)


def test_interval_ends_agree_with_brute_force():
    """The credible interval holds 95% of the brute-force posterior, half of the rest on each side."""
    found = hierarchical_beta_binomial(COUNTS, 8)
    x, weights = brute_force(COUNTS, 8)
    below = weights.sum(axis=1).cumsum() - weights.sum(axis=1) / 2
    np.testing.assert_allclose([found.mean.low, found.mean.high], np.interp([0.025, 0.975], below, x), atol=5e-4)
    below = weights.sum(axis=0).cumsum() - weights.sum(axis=0) / 2
    np.testing.assert_allclose([found.icc.low, found.icc.high], np.interp([0.025, 0.975], below, x), atol=5e-4)


def test_one_sample_of_one_task_is_a_beta_law():
    """One failure leaves Beta(1, 2) for the mean, whose quantiles are known, and nothing learnt of the correlation."""
    found = hierarchical_beta_binomial([0], 1)
    assert found.mean.value == pytest.approx(1 / 3, abs=1e-9)
    assert found.mean.low == pytest.approx(1 - 0.975**0.5, abs=1e-5)
    assert found.mean.high == pytest.approx(1 - 0.025**0.5, abs=1e-5)
    assert found.icc.value == pytest.approx(0.5, abs=1e-9)
    assert found.icc.low == pytest.approx(0.025, abs=1e-5)


def test_many_tasks_of_one_sample_are_a_beta_law_too():
    """With one sample a task the mean's posterior is Beta(1 + passes, 1 + failures)."""
    from scipy.stats import beta

    found = hierarchical_beta_binomial([1] * 30 + [0] * 70, 1)
    np.testing.assert_allclose([found.mean.low, found.mean.high], beta.ppf([0.025, 0.975], 31, 71), atol=1e-5)


def test_pass_at_1_is_the_mean():
    """pass@1 of a new task is the mean of the law, interval and all, and pass@k grows with k."""
    found = hierarchical_beta_binomial(COUNTS, 8, k=(1, 2, 4, 8))
    values = [found.pass_at_k[k].value for k in (1, 2, 4, 8)]
    lows = [found.pass_at_k[k].low for k in (1, 2, 4, 8)]
    assert found.pass_at_k[1] == found.mean
    assert values == sorted(values)
    assert lows == sorted(lows)
    beyond = hierarchical_beta_binomial(COUNTS, 8, k=9)
    assert any("shape of the Beta law" in warning for warning in beyond.warnings)


@settings(deadline=None, max_examples=12)
@given(data=st.data())
def test_failures_mirror_passes(data):
    """Swapping passes and failures mirrors mean and tasks and keeps the correlation; the order of tasks is nothing."""
    n = np.array(data.draw(st.lists(st.integers(1, 12), min_size=1, max_size=6)))
    c = np.array([data.draw(st.integers(0, int(m))) for m in n])
    one, other = hierarchical_beta_binomial(c, n), hierarchical_beta_binomial(n - c, n)
    assert one.mean.value == pytest.approx(1 - other.mean.value, abs=1e-6)
    assert one.mean.low == pytest.approx(1 - other.mean.high, abs=1e-4)
    assert one.icc.value == pytest.approx(other.icc.value, abs=1e-6)
    np.testing.assert_allclose(one.task_means, 1 - other.task_means, atol=1e-6)
    assert 0 < one.mean.low < one.mean.value < one.mean.high < 1
    order = data.draw(st.permutations(range(len(n))))
    again = hierarchical_beta_binomial(c[order], n[order])
    np.testing.assert_allclose(again.task_means, one.task_means[order], atol=1e-9)


def test_tasks_are_drawn_towards_the_rest():
    """Shrunken rates lie between the observed rate and the mean, and keep their order."""
    found = hierarchical_beta_binomial(COUNTS, 8)
    rates = COUNTS / 8
    between = (found.task_means - rates) * (found.mean.value - rates)
    assert (between >= 0).all()
    assert (np.argsort(found.task_means, kind="stable") == np.argsort(rates, kind="stable")).all()
    many = hierarchical_beta_binomial(COUNTS * 100, 800)
    np.testing.assert_allclose(many.task_means, rates, atol=0.01)


def test_a_large_suite_finds_its_population():
    """A million tasks leave a narrow posterior around the truth."""
    rng = np.random.default_rng(0)
    found = hierarchical_beta_binomial(rng.binomial(8, rng.beta(0.4, 0.3, 10**6)), 8)
    assert found.mean.high - found.mean.low < 0.002
    assert found.mean.low < 4 / 7 < found.mean.high
    assert found.icc.value == pytest.approx(1 / 1.7, abs=0.002)
    assert found.warnings == ()


def test_tasks_that_cannot_be_solved_are_noticed():
    """A third of impossible tasks among fair ones is no Beta law, and the warning says which edge."""
    rng = np.random.default_rng(1)
    p = rng.beta(5, 3, 120) * (rng.random(120) > 1 / 3)
    found = hierarchical_beta_binomial(rng.binomial(32, p), 32)
    assert found.check.never_p < 0.001
    assert found.check.always_p > 0.05
    assert "never pass" in found.warnings[0]
    mirrored = hierarchical_beta_binomial(32 - rng.binomial(32, p), 32)
    assert "always pass" in mirrored.warnings[0]


def test_the_interval_beside_the_bootstrap():
    """Exercise 3: on ten very different tasks the intervals agree roughly; on alike ones the posterior is narrow."""
    c = np.array([1, 17, 31, 32, 32, 30, 31, 32, 29, 32])
    posterior, bootstrap = hierarchical_beta_binomial(c, 32).mean, bootstrap_ci(c / 32)
    assert posterior.low == pytest.approx(bootstrap.low, abs=0.12)
    assert posterior.high == pytest.approx(bootstrap.high, abs=0.08)
    even = np.array([4, 5, 6, 4, 5, 3, 5, 6, 4, 4])
    close = hierarchical_beta_binomial(even, 32).mean
    assert close.high - close.low < 0.12


@pytest.mark.parametrize(
    "call",
    [
        lambda: hierarchical_beta_binomial([3], 2),
        lambda: hierarchical_beta_binomial([[1, 2]], 4),
        lambda: hierarchical_beta_binomial([1], 4, k=0),
        lambda: hierarchical_beta_binomial([1], 4, level=0.0),
        lambda: hierarchical_beta_binomial([], 4),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """Impossible counts, batches, attempts and levels are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
def test_the_posterior_is_calibrated_over_its_prior():
    """Parameters drawn from the prior lie in their 95% intervals 95% of the time, and the check stays quiet."""
    rng = np.random.default_rng(3)
    size, inside, alarms = 600, [], 0
    for _ in range(size):
        mean, icc = rng.random(2)
        scale = (1 - icc) / icc
        p = rng.beta(max(mean * scale, 1e-9), max((1 - mean) * scale, 1e-9), 10)
        found = hierarchical_beta_binomial(rng.binomial(8, p), 8)
        inside.append((found.mean.low <= mean <= found.mean.high, found.icc.low <= icc <= found.icc.high))
        alarms += bool(found.check.warnings)
    slack = 3 * np.sqrt(0.95 * 0.05 / size)
    np.testing.assert_allclose(np.mean(inside, axis=0), 0.95, atol=slack)
    assert alarms / size < 0.025 + slack


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tasks", "n", "alpha", "beta"),
    [(10, 32, 0.4, 0.3), (10, 1, 0.4, 0.3), (30, 8, 5, 5), (30, 1, 1, 30), (100, 8, 0.1, 0.1)],
)
def test_coverage_for_fixed_populations(tasks, n, alpha, beta):
    """For a given population the credible interval covers its mean about as often as it says."""
    rng = np.random.default_rng(tasks + n)
    size, inside = 400, 0
    for _ in range(size):
        found = hierarchical_beta_binomial(rng.binomial(n, rng.beta(alpha, beta, tasks)), n).mean
        inside += found.low <= alpha / (alpha + beta) <= found.high
    assert inside / size > 0.93 - 3 * np.sqrt(0.93 * 0.07 / size)


@pytest.mark.slow
def test_the_power_of_the_check():
    """At 100 tasks of 8 samples it finds a fifth of impossible tasks nine times in ten."""
    rng = np.random.default_rng(9)
    found = 0
    for _ in range(60):
        p = rng.beta(5, 3, 100) * (rng.random(100) > 0.2)
        found += hierarchical_beta_binomial(rng.binomial(8, p), 8).check.never_p < 0.025
    assert found / 60 > 0.85
