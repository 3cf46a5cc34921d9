import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln

from passband.errors import InvalidInputError
from passband.stats import confidence_sequence, e_value, wilson_interval


def test_the_mixture_is_the_ratio_of_beta_functions():
    """Against p = 1/2 the two-sided e-value of S passes in t is B(S + 1/2, t - S + 1/2) / B(1/2, 1/2) × 2^t."""
    values = np.array([1, 1, 0, 1, 1, 0, 1, 1])
    passed, t = values.cumsum(), np.arange(1, 9)
    expected = np.exp(betaln(passed + 0.5, t - passed + 0.5) - betaln(0.5, 0.5)) * 2.0**t
    np.testing.assert_allclose(e_value(values, 0.5).path, expected, rtol=1e-12)


def test_the_one_sided_mixture_by_quadrature():
    """Against p <= 0.4 the alternatives are those of the Beta law above 0.4, by numerical integration."""
    from scipy.integrate import quad

    passed, failed, null = 7, 3, 0.4
    values = [1] * passed + [0] * failed

    def prior(q):
        return q**-0.5 * (1 - q) ** -0.5

    top = quad(lambda q: prior(q) * (q / null) ** passed * ((1 - q) / (1 - null)) ** failed, null, 1)[0]
    bottom = quad(prior, null, 1)[0]
    assert e_value(values, null, alternative="greater").value == pytest.approx(top / bottom, rel=1e-6)


def test_betting_capital_by_hand():
    """The first bets of the hedged gambler, from Waudby-Smith and Ramdas's formulas."""
    x, null, alpha = [0.9, 0.2, 0.7], 0.5, 0.05
    up = down = 1.0
    total, squares = 0.5, 0.25
    for t, value in enumerate(x, start=1):
        variance = squares / t if t > 1 else 0.25
        stake = min(math.sqrt(2 * math.log(2 / alpha) / (variance * t * math.log(t + 1))), 0.5 / 0.5)
        up *= 1 + stake * (value - null)
        down *= 1 - stake * (value - null)
        total += value
        squares += (value - total / (t + 1)) ** 2
    expected = max(up, down) / 2
    assert e_value(x, null, method="betting").value == pytest.approx(expected, rel=1e-12)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=40),
    st.floats(0.02, 0.98),
    st.sampled_from(["mixture", "betting"]),
    st.sampled_from([0.8, 0.95]),
)
def test_interval_and_e_value_agree(values, null, method, level):
    """The sequence excludes a mean exactly when its e-value has reached 1 / alpha."""
    sequence = confidence_sequence(values, method=method, level=level)
    found = e_value(values, null, method=method, level=level)
    margin = 2e-3 if method == "betting" else 1e-9  # betting ends are interpolated on a grid
    if found.p <= (1 - level) / 1.02:
        assert not sequence.low[-1] + margin < null < sequence.high[-1] - margin
    elif found.p > (1 - level) * 1.02:
        assert sequence.low[-1] - margin <= null <= sequence.high[-1] + margin


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 1), min_size=1, max_size=60), st.sampled_from(["mixture", "betting"]))
def test_ends_move_inwards_and_swap_with_failures(values, method):
    """Ends never move outwards, lie in [0, 1], and failures mirror passes."""
    one = confidence_sequence(values, method=method)
    other = confidence_sequence([1 - v for v in values], method=method)
    assert (np.diff(one.low) >= 0).all()
    assert (np.diff(one.high) <= 0).all()
    assert (one.low >= 0).all()
    assert (one.high <= 1).all()
    np.testing.assert_allclose(one.low, 1 - other.high, atol=1e-9)


def test_all_alike_stays_open_on_one_side():
    """Passes only: the upper end stays 1 and the lower one rises."""
    sequence = confidence_sequence([1] * 50)
    assert (sequence.high == 1).all()
    assert sequence.low[-1] > 0.85
    assert confidence_sequence([0] * 50).low[-1] == 0


def test_the_price_of_looking_is_bounded():
    """At a thousand looks the interval is less than twice as wide as Wilson's for one look."""
    values = np.random.default_rng(0).random(1000) < 0.7
    sequence = confidence_sequence(values)
    fixed = wilson_interval(int(values.sum()), 1000)
    ratio = (sequence.high[-1] - sequence.low[-1]) / (fixed.high - fixed.low)
    assert 1 < ratio < 2


def test_betting_learns_small_variances():
    """Differences that are mostly 0 give a sequence less than half as wide as one that ignores their variance."""
    d = np.random.default_rng(0).choice([-1, 0, 1], p=[0.05, 0.9, 0.05], size=600)
    betting, mixture = (confidence_sequence(d, bounds=(-1, 1), method=m) for m in ("auto", "mixture"))
    assert betting.method == "betting"
    assert betting.high[-1] - betting.low[-1] < 0.5 * (mixture.high[-1] - mixture.low[-1])


def test_an_impossible_null_has_infinite_evidence():
    """A single pass refutes a rate of 0."""
    found = e_value([0, 1], 0.0)
    assert found.value == math.inf
    assert found.p == 0.0
    assert e_value([0, 0], 0.0).p == 1.0


def test_long_series_are_cut_in_blocks_without_seams():
    """A series longer than a block gives the ends that the same values give in one piece."""
    import passband.stats._capital as capital

    y = np.random.default_rng(0).random(3000)
    whole = capital.betting_bounds(y, math.log(40))
    old, capital._BLOCK = capital._BLOCK, capital._GRID * 100
    try:
        pieces = capital.betting_bounds(y, math.log(40))
    finally:
        capital._BLOCK = old
    np.testing.assert_allclose(whole, pieces, atol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda: confidence_sequence([]),
        lambda: confidence_sequence(0.5),
        lambda: confidence_sequence([1.5]),
        lambda: confidence_sequence([math.nan]),
        lambda: confidence_sequence([0.5], bounds=(1.0, 0.0)),
        lambda: confidence_sequence([0.5], method="wald"),
        lambda: e_value([0.5], 2.0),
        lambda: e_value([1, 0], 1.0, alternative="greater"),
        lambda: e_value([1, 0], 0.5, alternative="smaller"),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """Empty or unbounded values, broken bounds and impossible nulls are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("draw", "mean", "bounds", "method"),
    [
        (lambda r, s: r.random(s) < 0.5, 0.5, (0, 1), "mixture"),
        (lambda r, s: r.random(s) < 0.05, 0.05, (0, 1), "mixture"),
        (lambda r, s: r.random(s) < 0.9, 0.9, (0, 1), "betting"),
        (lambda r, s: r.beta(0.4, 0.3, s), 0.4 / 0.7, (0, 1), "betting"),
        (lambda r, s: r.beta(0.4, 0.3, s), 0.4 / 0.7, (0, 1), "mixture"),
        (lambda r, s: r.choice([-1, 0, 1], p=[0.1, 0.8, 0.1], size=s), 0.0, (-1, 1), "betting"),
    ],
)
def test_the_error_over_all_looks(draw, mean, bounds, method):
    """The mean is missed at any of 400 looks in at most 5% of series; Wilson at every look misses far more often."""
    size = 1000
    values = draw(np.random.default_rng(11), (size, 400)).astype(float)
    sequence = confidence_sequence(values, bounds=bounds, method=method)
    missed = ((sequence.low > mean) | (sequence.high < mean)).any(axis=-1).mean()
    assert missed < 0.05 + 3 * math.sqrt(0.05 * 0.95 / size)
    for alternative in ("two-sided", "greater", "less"):
        found = e_value(values, mean, alternative=alternative, bounds=bounds, method=method)
        assert (found.p <= 0.05).mean() < 0.05 + 3 * math.sqrt(0.05 * 0.95 / size)


@pytest.mark.slow
def test_bare_intervals_lie_when_one_looks_often():
    """Wilson's 95% interval after each of 400 samples misses at some look in more than a third of series."""
    values = np.random.default_rng(2).random((1000, 400)) < 0.5
    looks = np.arange(10, 401)
    found = wilson_interval(values.cumsum(axis=-1)[:, 9:], looks)
    missed = ((found.low > 0.5) | (found.high < 0.5)).any(axis=-1).mean()
    assert missed > 1 / 3
