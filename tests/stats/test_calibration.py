import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from passband.errors import InvalidInputError
from passband.stats import reliability_curve, wilson_interval


def test_the_curve_by_hand():
    """Two bins, three quarters and none: the error weighs their gaps by their samples."""
    curve = reliability_curve([0.9, 0.9, 0.9, 0.9, 0.2, 0.2], [1, 1, 0, 1, 0, 0], bins=5)
    np.testing.assert_allclose(curve.confidence, [0.2, 0.9])
    np.testing.assert_allclose(curve.rate, [0.0, 0.75])
    assert curve.count.tolist() == [2, 4]
    assert curve.ece == pytest.approx((2 * 0.2 + 4 * 0.15) / 6)
    assert curve.brier == pytest.approx((3 * 0.01 + 0.81 + 2 * 0.04) / 6)
    expected = wilson_interval(3, 4)
    assert (curve.low[1], curve.high[1]) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("q", [0.05, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_error_of_chance_alone(q, n):
    """For one bin of equal confidences it is E|B / n - q|, summed over scipy's binomial."""
    passed = np.arange(n) < round(q * n)
    k = np.arange(n + 1)
    expected = (np.abs(k / n - q) * binom.pmf(k, n, q)).sum()
    found = reliability_curve(np.full(n, q), passed.astype(int), bins=1)
    assert found.ece_if_calibrated == pytest.approx(expected, abs=1e-12)


def test_a_calibrated_judge_shows_the_error_of_chance():
    """Simulated calibrated judges have, on average, at most the stated error, and not much less."""
    rng = np.random.default_rng(0)
    gaps = []
    for _ in range(300):
        stated = rng.random(200)
        curve = reliability_curve(stated, (rng.random(200) < stated).astype(int))
        gaps.append((curve.ece, curve.ece_if_calibrated))
    seen, stated = np.mean(gaps, axis=0)
    assert 0.97 * stated < seen < 1.01 * stated


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=40),
    st.integers(1, 12),
    st.sampled_from(["uniform", "quantile"]),
)
def test_bins_hold_every_sample_once(pairs, bins, strategy):
    """Counts add up, rates average to the mean, and nothing is NaN; order does not matter."""
    stated, passed = np.array([p for p, _ in pairs]), np.array([k for _, k in pairs])
    curve = reliability_curve(stated, passed, bins=bins, strategy=strategy)
    assert curve.count.sum() == len(pairs)
    assert (curve.count > 0).all()
    assert len(curve.count) <= bins
    assert curve.count @ curve.rate == pytest.approx(passed.sum())
    assert curve.count @ curve.confidence == pytest.approx(stated.sum())
    assert np.isfinite([curve.ece, curve.ece_if_calibrated, curve.brier]).all()
    assert ((curve.low <= curve.rate) & (curve.rate <= curve.high)).all()
    again = reliability_curve(stated[::-1], passed[::-1], bins=bins, strategy=strategy)
    assert again.ece == pytest.approx(curve.ece)


def test_quantile_bins_are_evenly_filled():
    """A judge that is nearly always sure gets bins of equal size, not one full bin."""
    stated = 1 - np.random.default_rng(0).random(1000) ** 4
    curve = reliability_curve(stated, np.ones(1000, dtype=int), strategy="quantile")
    assert curve.count.min() >= 95
    assert curve.warnings == ()
    assert reliability_curve(stated, np.ones(1000, dtype=int), bins=200).warnings


@pytest.mark.parametrize(
    "call",
    [
        lambda: reliability_curve([], []),
        lambda: reliability_curve([0.5], [2]),
        lambda: reliability_curve([1.5], [1]),
        lambda: reliability_curve([0.5, 0.5], [1]),
        lambda: reliability_curve([0.5], [1], bins=0),
        lambda: reliability_curve([0.5], [1], strategy="kmeans"),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """No samples, outcomes other than 0 and 1, and confidences outside [0, 1] are errors."""
    with pytest.raises(InvalidInputError):
        call()
