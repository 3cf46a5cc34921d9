import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import seed_variance


def test_the_components_are_those_of_the_analysis_of_variance():
    """Mean squares by hand: duplicates give the evaluation noise, the rest of the seeds' spread is training."""
    c = np.array([[[20, 24], [30, 28]], [[10, 12], [26, 24]], [[16, 20], [29, 31]]])  # 3 seeds, 2 tasks, 2 repeats
    found = seed_variance(c, 32)
    evaluations = c.mean(axis=1) / 32
    within = evaluations.var(axis=1, ddof=1).mean()
    between = evaluations.mean(axis=1).var(ddof=1)
    assert found.evaluation_variance == pytest.approx(within)
    assert found.training_variance == pytest.approx(between - within / 2)
    assert found.training_sd == pytest.approx(math.sqrt(between - within / 2))
    assert found.mean.value == pytest.approx(c.mean() / 32)
    assert (found.mean.estimand, found.mean.n_tasks, found.mean.n_samples) == ("recipe", 3, 12 * 32)
    rates = c / 32
    assert found.sampling_variance == pytest.approx((rates * (1 - rates) / 31).sum(axis=1).mean() / 4)


def test_a_reproducible_recipe_has_no_training_noise():
    """As in the chapter: seeds closer together than duplicates leave a negative variance, shown beside its root 0."""
    c = np.array([[[226, 232]], [[231, 226]], [[228, 230]], [[232, 227]]])  # of 320: means 0.716 to 0.717
    found = seed_variance(c, 320)
    assert found.training_variance < 0
    assert found.training_sd == found.training_sd_low == 0
    assert 0 < found.training_sd_high < 0.05


def test_one_evaluation_takes_its_noise_from_the_samples():
    """Without repeats the sampling noise within tasks is what is taken off."""
    found = seed_variance([[[20], [30]], [[10], [26]]], 32)
    assert found.evaluation_variance == found.sampling_variance > 0
    assert any("2 seeds" in warning for warning in found.warnings)


def test_repeats_that_share_seeds_are_noticed():
    """Repeats that agree to the sample cannot be independent."""
    c = np.repeat(np.random.default_rng(0).binomial(32, 0.5, (4, 10, 1)), 2, axis=2)
    assert any("share sample seeds" in warning for warning in seed_variance(c, 32).warnings)


def test_repeats_that_differ_too_much_are_noticed():
    """A harness that changes between repeats shows as more noise than the samples account for."""
    c = np.stack([np.full((4, 10), 24), np.full((4, 10), 8)], axis=2)
    assert any("something but the samples varies" in warning for warning in seed_variance(c, 32).warnings)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), seeds=st.integers(2, 4), tasks=st.integers(1, 3), repeats=st.integers(1, 3), n=st.integers(2, 5))
def test_every_number_is_finite_and_in_order(data, seeds, tasks, repeats, n):
    """Any counts, all alike included, give ordered finite intervals inside [0, 1]."""
    size = seeds * tasks * repeats
    c = np.array(data.draw(st.lists(st.integers(0, n), min_size=size, max_size=size)))
    found = seed_variance(c.reshape(seeds, tasks, repeats), n)
    assert 0 <= found.mean.low <= found.mean.value <= found.mean.high <= 1
    assert 0 <= found.training_sd_low <= found.training_sd_high <= 0.5
    assert math.isfinite(found.training_variance)
    assert found.mean.low < found.mean.high


@pytest.mark.parametrize("count", [0, 8])
def test_equal_seeds_bound_nothing(count):
    """Where all samples agree the training noise has no upper bound, and the mean still an interval."""
    found = seed_variance(np.full((3, 4, 2), count), 8)
    assert found.training_sd_high == 0.5
    assert found.mean.high - found.mean.low > 0.1
    assert any("means are equal" in warning for warning in found.warnings)


def test_batches_are_many_single_calls():
    """Leading axes are independent experiments, and unequal n is allowed."""
    rng = np.random.default_rng(0)
    n = rng.integers(2, 20, (3, 4, 5, 2))
    c = rng.binomial(n, 0.6)
    batch = seed_variance(c, n)
    for i in range(3):
        one = seed_variance(c[i], n[i])
        assert batch.training_variance[i] == pytest.approx(one.training_variance)
        assert batch.mean.low[i] == pytest.approx(one.mean.low)
        assert batch.training_sd_high[i] == pytest.approx(one.training_sd_high)


@pytest.mark.parametrize(
    ("c", "n", "words"),
    [
        ([[1, 2], [3, 4]], 8, "seeds, tasks, repeats"),
        ([[[1]]], 8, "one seed"),
        ([[[1], [0]], [[1], [1]]], 1, "can't tell"),
        ([[[9]], [[1]]], 8, "9 successes of 8"),
    ],
)
def test_what_makes_no_sense_is_refused(c, n, words):
    """Too few axes, one seed, and data that can't separate the two noises are errors."""
    with pytest.raises(InvalidInputError, match=words):
        seed_variance(c, n)


def simulate(rng, size, seeds, repeats, sd):
    """Counts of recipes whose seeds differ by `sd` on the logit scale, their true mean and training spread."""
    tasks = 1.5 * np.linspace(-1, 1, 10)[:, None]
    shift = sd * rng.normal(size=(size, seeds, 1, 1))
    p = np.broadcast_to(1 / (1 + np.exp(-(0.85 + shift + tasks))), (size, seeds, 10, repeats))
    many = (1 / (1 + np.exp(-(0.85 + sd * rng.normal(size=(100_000, 1)) + tasks[:, 0])))).mean(axis=1)
    return rng.binomial(32, p), many.mean(), many.std() if sd else 0.0


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [3, 4, 8])
@pytest.mark.parametrize("repeats", [1, 2])
@pytest.mark.parametrize("sd", [0.0, 0.3, 1.0])
def test_both_intervals_cover_and_the_estimate_is_unbiased(seeds, repeats, sd):
    """Over recipes from reproducible to wild, mean and training spread are covered at least 94% of the time."""
    size = 5000
    c, mean, spread = simulate(np.random.default_rng(seeds), size, seeds, repeats, sd)
    found = seed_variance(c, 32)
    slack = 3 * math.sqrt(0.94 * 0.06 / size)
    assert np.mean((found.mean.low <= mean) & (mean <= found.mean.high)) > 0.94 - slack
    low, high = found.training_sd_low, found.training_sd_high
    assert np.mean((low <= spread + 1e-12) & (spread <= high)) > 0.94 - slack
    error = np.std(found.training_variance) / math.sqrt(size)
    assert abs(np.mean(found.training_variance) - spread**2) < 4 * error + 1e-5
