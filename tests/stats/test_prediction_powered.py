import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import prediction_powered_mean


def test_the_estimate_by_hand():
    """Labels less the tuned judge on the labelled, plus the tuned judge on the rest (PPI++, eq. 5 and 13)."""
    y, f = np.array([1.0, 1, 0, 1, 0, 0]), np.array([0.9, 0.7, 0.2, 0.6, 0.5, 0.1])
    rest = np.array([0.8, 0.3, 0.9, 0.4, 0.5, 0.6, 0.2, 0.7])
    tuning = np.cov(y, f)[0, 1] / ((1 + 6 / 8) * np.concatenate([f, rest]).var(ddof=1))
    tuning = min(tuning, 1.0)
    found = prediction_powered_mean(y, f, rest)
    assert found.tuning == pytest.approx(tuning)
    assert found.value == pytest.approx((y - tuning * f).mean() + tuning * rest.mean())


def test_a_useless_judge_is_not_listened_to():
    """A constant judge leaves the mean of the labels."""
    found = prediction_powered_mean([1, 0, 1, 1], [0.5] * 4, [0.5] * 100)
    assert found.tuning == 0.0
    assert found.value == found.labels_alone == 0.75


def test_a_good_judge_is_worth_labels():
    """A judge right in 95% of cases makes 100 labels worth more than 200."""
    rng = np.random.default_rng(0)
    truth = rng.random(5100) < 0.6
    judge = np.where(rng.random(5100) < 0.95, truth, ~truth)
    found = prediction_powered_mean(truth[:100], judge[:100], judge[100:])
    assert found.effective_labels > 200
    assert found.low < 0.6 < found.high


@settings(deadline=None, max_examples=60)
@given(
    labelled=st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1)), min_size=2, max_size=12),
    rest=st.lists(st.floats(0, 1), min_size=2, max_size=12),
)
def test_the_interval_is_finite_and_keeps_a_width(labelled, rest):
    """Any values in bounds give an ordered interval of some width, agreement in all labels included."""
    y, f = np.array(labelled).T
    found = prediction_powered_mean(y, f, rest)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high
    assert 0 <= found.tuning <= 1


def test_batches_are_many_single_calls():
    """Leading axes are independent evaluations, and other bounds scale."""
    rng = np.random.default_rng(0)
    y, f, rest = rng.random((3, 10)), rng.random((3, 10)), rng.random((3, 50))
    batch = prediction_powered_mean(y, f, rest)
    for i in range(3):
        one = prediction_powered_mean(y[i] * 10 - 5, f[i] * 10 - 5, rest[i] * 10 - 5, bounds=(-5, 5))
        assert batch.value[i] == pytest.approx((one.value + 5) / 10)
        assert batch.low[i] == pytest.approx((one.low + 5) / 10)


@pytest.mark.parametrize(
    "call",
    [
        lambda: prediction_powered_mean([1], [1], [1, 0]),
        lambda: prediction_powered_mean([1, 0], [1, 0], [1]),
        lambda: prediction_powered_mean([1, 0], [1], [1, 0]),
        lambda: prediction_powered_mean([1, 2], [1, 0], [1, 0]),
        lambda: prediction_powered_mean([1, 0], [1, 0], [1, 0], bounds=(1, 0)),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """Too few units, misfit shapes and values out of bounds are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("labels", [10, 20, 50, 200])
@pytest.mark.parametrize("accuracy", [0.6, 0.9, 0.99])
def test_coverage(labels, accuracy):
    """The mean is covered at least 94% of the time, from few labels and with any judge."""
    rng = np.random.default_rng(labels)
    size = 4000
    for p in (0.1, 0.5, 0.95):
        truth = rng.random((size, labels + 500)) < p
        judge = np.where(rng.random(truth.shape) < accuracy, truth, ~truth)
        found = prediction_powered_mean(truth[:, :labels], judge[:, :labels], judge[:, labels:])
        covered = np.mean((found.low <= p) & (p <= found.high))
        assert covered > 0.94 - 3 * np.sqrt(0.94 * 0.06 / size), (p, covered)
