import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from passband.errors import InvalidInputError
from passband.stats import clopper_pearson_interval, jeffreys_interval, wald_interval, wilson_interval

INTERVALS = [wilson_interval, wald_interval, clopper_pearson_interval, jeffreys_interval]
PAIRS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@pytest.mark.parametrize(
    ("interval", "method"),
    [(wilson_interval, "wilson"), (wald_interval, "normal"), (clopper_pearson_interval, "beta")],
)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_agrees_with_statsmodels(interval, method, level):
    """For every c of several n, both ends are statsmodels' to 1e-12."""
    for n in (1, 2, 7, 40, 1000):
        c = np.arange(n + 1)
        low, high = proportion_confint(c, n, 1 - level, method)
        found = interval(c, n, level=level)
        assert found.low == pytest.approx(np.clip(low, 0, 1), abs=1e-12)
        assert found.high == pytest.approx(np.clip(high, 0, 1), abs=1e-12)


def test_jeffreys_is_the_posterior_of_beta_half_half():
    """Ends are quantiles of Beta(c + 1/2, n - c + 1/2), and 0 and 1 at the borders."""
    found = jeffreys_interval(np.arange(11), 10)
    c = np.arange(1, 10)
    assert found.low[1:-1] == pytest.approx(stats.beta.ppf(0.025, c + 0.5, 10.5 - c))
    assert found.high[1:-1] == pytest.approx(stats.beta.ppf(0.975, c + 0.5, 10.5 - c))
    assert (found.low[0], found.high[-1]) == (0.0, 1.0)


def test_no_success_in_25():
    """0 of 25: Wilson [0, 0.1332], Clopper-Pearson [0, 0.1372], one-sided upper bound 1 - 0.05^(1/25)."""
    assert wilson_interval(0, 25).high == pytest.approx(0.1332, abs=5e-5)
    assert clopper_pearson_interval(0, 25).high == pytest.approx(0.1372, abs=5e-5)
    upper = clopper_pearson_interval(0, 25, alternative="upper")
    assert (upper.low, upper.high) == (0.0, pytest.approx(1 - 0.05 ** (1 / 25)))


@pytest.mark.parametrize("interval", INTERVALS)
@settings(max_examples=60, deadline=None)
@given(pair=PAIRS, level=st.floats(0.5, 0.999))
def test_contains_the_estimate_and_mirrors(interval, pair, level):
    """The interval holds c/n, lies in [0, 1], and swapping passes and failures mirrors it."""
    c, n = pair
    found, mirrored = interval(c, n, level=level), interval(n - c, n, level=level)
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high, abs=1e-9)
    assert found.high == pytest.approx(1 - mirrored.low, abs=1e-9)


@pytest.mark.parametrize("interval", INTERVALS)
def test_ends_are_exactly_0_and_1_where_they_must_be(interval):
    """No pass gives a lower end of exactly 0, all passes an upper end of exactly 1, for any n."""
    n = np.array([1, 3, 10, 1000, 10**6, 10**12])
    assert (interval(0, n).low == 0).all()
    assert (interval(n, n).high == 1).all()


@pytest.mark.parametrize("interval", [wilson_interval, clopper_pearson_interval, jeffreys_interval])
def test_an_interval_has_a_width_where_all_agree(interval):
    """At c = 0 and c = n the interval is not a point; Wald's is, which is why it is not the default."""
    assert interval(0, 40).high > 0.04
    assert interval(40, 40).low < 0.96
    assert wald_interval(0, 40).high == 0.0


def test_one_sided_bounds_put_the_whole_error_on_one_side():
    """The lower bound at 95% is the lower end of the two-sided 90% interval, and its upper end is 1."""
    for interval in INTERVALS:
        two = interval(3, 10, level=0.9)
        lower, upper = interval(3, 10, alternative="lower"), interval(3, 10, alternative="upper")
        assert (lower.low, lower.high) == (pytest.approx(two.low), 1.0)
        assert (upper.low, upper.high) == (0.0, pytest.approx(two.high))
        assert "lower bound" in lower.method


def test_what_makes_no_sense_is_refused():
    """An impossible level, an unknown side and c > n raise."""
    with pytest.raises(InvalidInputError, match="95% is 0.95"):
        wilson_interval(3, 10, level=95)
    with pytest.raises(InvalidInputError, match="'both' is unknown"):
        wilson_interval(3, 10, alternative="both")
    with pytest.raises(InvalidInputError, match="11 successes of 10"):
        clopper_pearson_interval(11, 10)


def test_the_result_says_what_it_is():
    """One rate gives floats, a method, an estimand and counts; an array of rates gives arrays."""
    one, many = wilson_interval(3, 10), wilson_interval([3, 4], [10, 12])
    assert isinstance(one.low, float)
    assert (one.method, one.estimand, one.n_tasks, one.n_samples, one.level) == ("wilson", "these-tasks", 1, 10, 0.95)
    assert many.low.shape == (2,)
    assert many.n_samples.tolist() == [10, 12]


@pytest.mark.slow
def test_wald_fails_at_the_edges_where_wilson_holds():
    """Over 20,000 evaluations of 40 samples Wald covers p = 0.03 and 0.97 in 70%; Wilson covers all p in 93 to 97%."""
    rng = np.random.default_rng(0)
    for p in (0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97):
        c = rng.binomial(40, p, 20_000)
        wald, wilson = wald_interval(c, 40), wilson_interval(c, 40)
        covered = ((wilson.low <= p) & (p <= wilson.high)).mean()
        assert 0.93 <= covered <= 0.97
        if p in (0.03, 0.97):
            assert ((wald.low <= p) & (p <= wald.high)).mean() == pytest.approx(0.70, abs=0.015)
