import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import norm

from passband.errors import InvalidInputError
from passband.stats import expected_maximum, winners_curse


def test_the_expected_maximum_of_a_few_normals():
    """Closed forms for 1 to 3, Harter's (1961) table for 4 to 10, and the chapter's 1.42 for 8."""
    assert expected_maximum(1) == 0.0
    assert expected_maximum(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-12)
    assert expected_maximum(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-12)
    table = {4: 1.02938, 5: 1.16296, 6: 1.26721, 7: 1.35218, 8: 1.42360, 9: 1.48501, 10: 1.53875}
    np.testing.assert_allclose(expected_maximum(list(table)), list(table.values()), atol=5e-6)


@pytest.mark.parametrize("m", [8, 100, 1000, 10**6])
def test_the_expected_maximum_agrees_with_adaptive_quadrature(m):
    """The mean of the density of the largest, integrated by scipy."""
    expected = quad(lambda x: x * m * norm.pdf(x) * norm.cdf(x) ** (m - 1), -12, 12, points=[2, 3, 4, 5], epsabs=1e-13)
    assert expected_maximum(m) == pytest.approx(expected[0], abs=1e-9)


def test_the_expected_maximum_grows_for_ever():
    """It increases with m, as sqrt(2 log m) does, up to enormous m."""
    sizes = np.array([2, 10, 1000, 10**6, 10**9, 10**15])
    values = expected_maximum(sizes)
    assert (np.diff(values) > 0).all()
    assert (values < np.sqrt(2 * np.log(sizes))).all()


def test_equal_candidates_are_inflated_by_the_expected_maximum():
    """With equal scores the inflation is se sqrt(1 - rho) E[max Z]."""
    for m, rho in ((2, 0.0), (8, 0.0), (8, 0.75)):
        curse = winners_curse(np.full(m, 0.7), 0.05, rho)
        expected = 0.05 * math.sqrt(1 - rho) * expected_maximum(m)
        assert curse.inflation == pytest.approx(expected, rel=1e-6)
        assert curse.inflation_if_equal == pytest.approx(expected, rel=1e-6)
        assert curse.corrected == pytest.approx(0.7 - expected)
        assert curse.spread == 0.0


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=10), st.floats(0.0, 0.3), st.floats(0.0, 0.95))
def test_inflation_lies_between_nothing_and_that_of_equals(scores, se, rho):
    """It is never negative, never above what equal candidates suffer, and finite."""
    curse = winners_curse(scores, se, rho)
    assert -1e-9 <= curse.inflation <= curse.inflation_if_equal + 1e-9
    assert scores[curse.chosen] == curse.score == max(scores)
    assert math.isfinite(curse.corrected)


def test_candidates_far_apart_are_hardly_inflated():
    """Where the best is ten standard errors ahead, nobody else could have been chosen."""
    assert winners_curse([0.9, 0.4, 0.3, 0.2], 0.02).inflation < 1e-6


def test_one_candidate_is_not_chosen():
    """A single candidate's score is nobody's maximum."""
    assert winners_curse([0.5], 0.1).inflation == 0.0


def test_unequal_errors_agree_with_simulation():
    """The quadrature over own and shared errors gives the simulated excess of the winner."""
    from passband.stats.winners_curse import _chosen_error

    truth, se, rho = np.array([0.7, 0.68, 0.65, 0.6]), np.array([0.05, 0.02, 0.1, 0.03]), 0.6
    rng = np.random.default_rng(0)
    shared, own = rng.normal(size=(10**6, 1)), rng.normal(size=(10**6, 4))
    errors = se * (math.sqrt(rho) * shared + math.sqrt(1 - rho) * own)
    winner = (truth + errors).argmax(axis=1)
    simulated = errors[np.arange(10**6), winner]
    assert float(_chosen_error(truth, se, rho)) == pytest.approx(simulated.mean(), abs=4 * simulated.std() / 1000)


def test_batches_are_many_single_calls():
    """Leading axes are independent comparisons."""
    scores = np.random.default_rng(0).random((3, 2, 5))
    batch = winners_curse(scores, 0.1, 0.3)
    assert batch.inflation.shape == (3, 2)
    one = winners_curse(scores[2, 1], 0.1, 0.3)
    assert batch.inflation[2, 1] == pytest.approx(one.inflation)
    assert batch.chosen[2, 1] == one.chosen


@pytest.mark.parametrize(
    "call",
    [
        lambda: expected_maximum(0),
        lambda: expected_maximum(1.5),
        lambda: winners_curse([], 0.1),
        lambda: winners_curse([0.1, math.nan], 0.1),
        lambda: winners_curse([0.1, 0.2], -0.1),
        lambda: winners_curse([0.1, 0.2], 0.1, 1.0),
        lambda: winners_curse([0.1, 0.2], [0.1, 0.1, 0.1]),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """No candidates, broken errors and impossible correlations are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("m", [4, 8, 16])
@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0, 2.0, 5.0])
def test_the_estimate_follows_the_true_inflation(m, spread):
    """On average it is within a quarter of the truth, or 0.1 standard errors, for candidates near or far apart."""
    rng = np.random.default_rng(m)
    truth = spread * rng.normal(size=(4000, m))
    observed = truth + rng.normal(size=truth.shape)
    rows, best = np.arange(4000), observed.argmax(axis=1)
    excess = (observed - truth)[rows, best].mean()
    estimate = winners_curse(observed, 1.0).inflation.mean()
    assert abs(estimate - excess) < max(0.25 * excess, 0.1)
