import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from passband.errors import InvalidInputError
from passband.stats import cohen_kappa, fleiss_kappa

# Fleiss (1971), Table 1: 30 patients, 6 psychiatrists, 5 diagnoses; kappa = 0.430
FLEISS = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
    [0, 0, 5, 0, 1], [3, 0, 0, 1, 2], [5, 1, 0, 0, 0], [0, 2, 0, 4, 0], [1, 0, 2, 0, 3],
    [0, 0, 0, 0, 6], [0, 1, 0, 5, 0], [0, 2, 0, 1, 3], [2, 0, 0, 4, 0], [1, 0, 0, 4, 1],
    [0, 5, 0, 1, 0], [4, 0, 0, 0, 2], [0, 2, 0, 4, 0], [1, 0, 5, 0, 0], [0, 0, 0, 0, 6],
]  # fmt: skip


def test_fleiss_example():
    """The diagnoses of Fleiss (1971) give his 0.430, and statsmodels' digits."""
    found = fleiss_kappa(FLEISS)
    assert found.value == pytest.approx(0.430, abs=5e-4)
    assert found.value == pytest.approx(statsmodels_fleiss(np.array(FLEISS)), abs=1e-12)
    assert found.observed == pytest.approx(0.5556, abs=5e-5)
    assert found.chance == pytest.approx(0.220, abs=5e-4)
    assert found.low < 0.430 < found.high


def test_cohens_kappa_by_hand():
    """Twenty and fifteen agreements of fifty, chance one half: kappa 0.4."""
    a = [1] * 25 + [0] * 25
    b = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    found = cohen_kappa(a, b)
    assert (found.observed, found.chance) == pytest.approx((0.7, 0.5))
    assert found.value == pytest.approx(0.4)


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_weighted_kappa_agrees_with_statsmodels(weights):
    """Value and, through the interval at many units, the variance of Fleiss, Cohen and Everitt."""
    rng = np.random.default_rng(0)
    a = rng.integers(0, 4, 4000)
    b = np.where(rng.random(4000) < 0.6, a, rng.integers(0, 4, 4000))
    table = np.zeros((4, 4))
    np.add.at(table, (a, b), 1)
    oracle = cohens_kappa(table, wt=None if weights == "none" else weights)
    found = cohen_kappa(a, b, weights=weights)
    assert found.value == pytest.approx(oracle.kappa, abs=1e-12)
    assert found.high - found.low == pytest.approx(oracle.kappa_upp - oracle.kappa_low, rel=0.03)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20))
def test_kappa_is_symmetric_and_bounded(pairs):
    """Raters may be swapped and marks renamed; the value lies in its interval, below 1, and nothing is NaN."""
    a, b = np.array(pairs).T
    found, swapped = cohen_kappa(a, b), cohen_kappa(b, a)
    renamed = cohen_kappa(np.array(["x", "y", "z"])[a], np.array(["x", "y", "z"])[b])
    assert (found.value is None) == (found.chance > 1 - 1e-12)
    if found.value is not None:
        assert found.value == pytest.approx(swapped.value)
        assert found.value == renamed.value
        if found.low is not None:
            assert found.low - 1e-9 <= found.value <= found.high + 1e-9 <= 1 + 2e-9
        if np.array_equal(a, b):
            assert found.value == pytest.approx(1.0)
            assert found.low is None or found.low < 0.999


def test_nothing_to_agree_on_is_no_number():
    """Where all marks are the same the coefficient does not exist, and the result says so."""
    for found in (cohen_kappa([1, 1, 1], [1, 1, 1]), fleiss_kappa([[3, 0], [3, 0]])):
        assert found.value is found.low is found.high is None
        assert "does not exist" in found.warnings[0]


def test_one_unit_has_no_interval():
    """Two raters who differ on one unit give a value and no interval."""
    found = cohen_kappa([0], [1])
    assert found.value == pytest.approx(0.0)
    assert found.low is None
    assert "one unit" in found.warnings[0]


def test_units_that_all_agree_to_the_same_degree():
    """Where every unit splits alike the jackknife sees no spread; the interval keeps a width."""
    found = fleiss_kappa([[2, 1], [1, 2], [2, 1], [1, 2]])
    assert found.high - found.low > 0.3


@pytest.mark.parametrize(
    "call",
    [
        lambda: cohen_kappa([1, 2], [1]),
        lambda: cohen_kappa([], []),
        lambda: cohen_kappa([1.0, np.nan], [1.0, 2.0]),
        lambda: cohen_kappa([1], [1], weights="cubic"),
        lambda: fleiss_kappa([[1, 2], [2, 2]]),
        lambda: fleiss_kappa([[1, 0], [0, 1]]),
        lambda: fleiss_kappa([1, 2]),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """Unequal raters, no raters, NaN marks and unknown weights are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize(("accuracy", "share"), [(0.7, 0.5), (0.9, 0.5), (0.98, 0.5), (0.9, 0.8)])
@pytest.mark.parametrize("units", [20, 50, 200])
def test_coverage(accuracy, share, units):
    """A judge of known accuracy: the true kappa is covered in about 95%, also where most samples agree fully."""
    rng = np.random.default_rng(units)
    marked = share * accuracy + (1 - share) * (1 - accuracy)
    chance = share * marked + (1 - share) * (1 - marked)
    truth = (accuracy - chance) / (1 - chance)
    covered = []
    for _ in range(800):
        x = rng.random(units) < share
        found = cohen_kappa(x, np.where(rng.random(units) < accuracy, x, ~x))
        if found.low is not None:
            covered.append(found.low <= truth <= found.high)
    assert np.mean(covered) > 0.90
