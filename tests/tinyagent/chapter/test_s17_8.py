"""17.8: choosing on test inflates, choosing on validation does not."""

import numpy as np
import pytest

from passband.stats import expected_maximum
from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent.chapter import Lab, s17_8


@pytest.fixture
def equals():
    """Counts of forty runs of eight equally good checkpoints on five tasks."""
    rates = np.array([0.95, 0.9, 0.97, 0.8, 0.9])
    return np.random.default_rng(5).binomial(s17_8.N, rates, size=(40, 2, len(s17_8.STEPS), 5))


def test_the_best_of_equals_is_luck(tmp_path, equals):
    """Small test evaluations overstate what they choose, on average; validation's test score is right."""
    choices = [s17_8.choose(Lab(cache=tmp_path), validation, test) for validation, test in equals]
    inflation = np.array([choice.inflation for choice in choices])
    sd = np.sqrt(np.mean([0.95 * 0.05, 0.9 * 0.1, 0.97 * 0.03, 0.8 * 0.2, 0.9 * 0.1]) / 5 / 8)
    assert inflation.mean() == pytest.approx(sd * expected_maximum(8), rel=0.25)
    assert np.mean([choice.test.value for choice in choices]) == pytest.approx(0.904, abs=0.005)
    assert np.mean([choice.best_test for choice in choices]) > 0.91


def test_the_simulation_agrees_with_the_formula(tmp_path):
    """The binomial's excess is near σ E[max]; one checkpoint has none; the same seed gives the same number."""
    lab = Lab(cache=tmp_path)
    sigma = np.sqrt(0.75 * 0.25 / 160)
    assert s17_8.simulate(lab, 0.75, 8) == pytest.approx(sigma * expected_maximum(8), rel=0.05)
    assert s17_8.simulate(lab, 0.75, 1) == pytest.approx(0.0, abs=0.001)
    assert s17_8.simulate(lab, 0.75, 8) == s17_8.simulate(Lab(cache=tmp_path), 0.75, 8)


def test_halves_have_one_variant_of_each_family(tmp_path):
    """Five tasks each, their counts those of the shipped run where a step is shipped, and rising from step 20 on."""
    lab = ShippedLab(cache=tmp_path)
    validation, test = s17_8.counts_of(lab, 0)
    assert validation.shape == test.shape == (8, 5)
    assert (validation[-1].mean(), test[-1].mean()) > (validation[0].mean(), test[0].mean())
    assert validation.max() <= s17_8.N
