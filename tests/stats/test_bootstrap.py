import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from passband.errors import InvalidInputError
from passband.stats import bootstrap_ci, bootstrap_distribution, paired_bootstrap_diff


def enumerate_means(values):
    """Every resample of a few values, with its mean."""
    return np.array([np.mean(draw) for draw in itertools.product(values, repeat=len(values))])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([0, 1 / 8, 0.25, 0.5, 7 / 8, 1]), min_size=1, max_size=5))
def test_the_law_is_that_of_all_resamples(values):
    """Support and probabilities are those of the N^N resamples, listed one by one."""
    means, tallies = np.unique(np.round(enumerate_means(values), 12), return_counts=True)
    law = bootstrap_distribution(values)
    shown = law.probability > 1e-12
    assert law.error == 0.0
    assert law.support[shown] == pytest.approx(means, abs=1e-12)
    assert law.probability[shown] == pytest.approx(tallies / tallies.sum(), abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=5), st.sampled_from([0.8, 0.9, 0.95]))
def test_percentile_ends_are_quantiles_of_all_resamples(counts, level):
    """The lower end is the least mean with at least the tail at or below it; the upper end mirrors it."""
    values = np.array(counts) / 8
    means = np.sort(enumerate_means(values))
    tail = (1 - level) / 2
    place = int(np.ceil(tail * len(means) - 1e-9)) - 1
    found = bootstrap_ci(values, level)
    assert found.low == pytest.approx(means[place], abs=1e-12)
    assert found.high == pytest.approx(means[len(means) - 1 - place], abs=1e-12)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_agrees_with_scipys_resampling(method):
    """200,000 resamples of scipy give the same ends to three standard errors of theirs."""
    rng = np.random.default_rng(0)
    values = rng.binomial(32, rng.beta(0.4, 0.3, 40)) / 32
    found = bootstrap_ci(values, method=method)
    oracle = stats.bootstrap((values,), np.mean, n_resamples=200_000, method=method, rng=rng, batch=10_000)
    assert found.low == pytest.approx(oracle.confidence_interval.low, abs=0.003)
    assert found.high == pytest.approx(oracle.confidence_interval.high, abs=0.003)
    assert found.method == f"bootstrap-{method}"


def test_agrees_with_arch():
    """The percentile interval of arch's IID bootstrap is the same to Monte Carlo error."""
    from arch.bootstrap import IIDBootstrap

    values = np.array([0, 0.25, 1, 1, 0.75, 0.5, 0, 1, 0.25, 0.5])
    resampler = IIDBootstrap(values, seed=1)
    low, high = resampler.conf_int(np.mean, 50_000, method="percentile")[:, 0]
    found = bootstrap_ci(values)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.01)


def test_long_laws_are_folded_without_loss():
    """10,000 units: mean and variance of the law are those of resampling, and tails those of the normal law."""
    rng = np.random.default_rng(1)
    values = rng.binomial(32, rng.beta(0.4, 0.3, 10_000)) / 32
    law = bootstrap_distribution(values)
    mean = law.probability @ law.support
    assert law.probability.sum() == pytest.approx(1, abs=1e-12)
    assert mean == pytest.approx(values.mean(), abs=1e-12)
    assert law.probability @ (law.support - mean) ** 2 == pytest.approx(values.var() / 10_000, rel=1e-9)
    found = bootstrap_ci(values)
    assert found.low == pytest.approx(values.mean() - 1.96 * values.std() / 100, abs=2e-5)


def test_rare_successes_keep_their_long_tail():
    """One success in 100,000 units: resampling gives the Poisson law of mean 1, far out too."""
    values = np.zeros(100_000)
    values[7] = 1.0
    law = bootstrap_distribution(values)
    counts = np.rint(law.support * 100_000).astype(int)
    for count in (0, 1, 5, 10):
        found = law.probability[counts == count].sum()
        assert found == pytest.approx(stats.binom.pmf(count, 100_000, 1e-5), rel=1e-6, abs=1e-11)


def test_real_scores_are_binned_and_say_so():
    """Values without a common denominator go on a grid; the bound on the error is stated and kept."""
    values = np.random.default_rng(2).normal(size=300)
    found, law = bootstrap_ci(values), bootstrap_distribution(values)
    assert 0 < law.error < 0.005
    assert "off by at most" in found.warnings[0]
    normal = stats.norm.interval(0.95, values.mean(), values.std() / np.sqrt(300))
    assert found.low == pytest.approx(normal[0], abs=0.01)
    assert law.probability @ law.support == pytest.approx(values.mean(), abs=1e-12)


def test_no_spread_is_no_certainty():
    """Equal values give a point and a warning, one value no interval."""
    flat = bootstrap_ci([0.5, 0.5, 0.5])
    assert (flat.low, flat.high) == (0.5, 0.5)
    assert "no certainty" in flat.warnings[0]
    one = bootstrap_ci([0.5])
    assert (one.value, one.low, one.high) == (0.5, None, None)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 8), min_size=2, max_size=30), st.sampled_from(["percentile", "bca"]))
def test_mirrors_and_stays_within_the_values(counts, method):
    """Ends lie within the values, and mirror as the values do."""
    values = np.array(counts) / 8
    found, mirrored = bootstrap_ci(values, method=method), bootstrap_ci(1 - values, method=method)
    assert values.min() <= found.low + 1e-12
    assert found.low <= found.high
    assert found.high <= values.max() + 1e-12
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


def test_pairs_are_resampled_together():
    """The paired interval is that of the differences b - a, and much narrower than the spread of either side."""
    rng = np.random.default_rng(3)
    a = rng.beta(0.4, 0.3, 50).round(2)
    b = np.clip(a + 0.05, 0, 1)
    found, direct = paired_bootstrap_diff(a, b), bootstrap_ci(b - a)
    assert (found.low, found.high) == pytest.approx((direct.low, direct.high))
    assert found.high - found.low < 0.02
    assert found.low > 0


def test_batches_are_rows():
    """Leading axes are evaluations, flat rows among them."""
    counts = np.random.default_rng(4).binomial(8, 0.5, (5, 6))
    counts[2] = 4
    for method in ("percentile", "bca"):
        found = bootstrap_ci(counts / 8, method=method)
        alone = [bootstrap_ci(row / 8, method=method) for row in counts]
        assert found.low == pytest.approx([e.low for e in alone])
        assert found.high == pytest.approx([e.high for e in alone])


def test_what_makes_no_sense_is_refused():
    """No value, NaN, an unknown method and unlike pairs raise."""
    with pytest.raises(InvalidInputError, match="no value"):
        bootstrap_ci([])
    with pytest.raises(InvalidInputError, match="nan"):
        bootstrap_ci([0.5, float("nan")])
    with pytest.raises(InvalidInputError, match="'basic' is unknown"):
        bootstrap_ci([0.5, 0.6], method="basic")
    with pytest.raises(InvalidInputError, match="same units"):
        paired_bootstrap_diff([1, 2], [1, 2, 3])
    with pytest.raises(InvalidInputError, match="one number a unit"):
        bootstrap_distribution([[1, 2]])
