import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr
from scipy.stats import mannwhitneyu, trim_mean

from passband.errors import InvalidInputError
from passband.stats import interquartile_mean, probability_of_improvement

SCORES = st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=1, max_size=6)


@settings(deadline=None, max_examples=80)
@given(SCORES)
def test_the_middle_half_is_scipys_trimmed_mean(scores):
    """The value is that of scipy's trim_mean over all runs and tasks, and lies in its interval."""
    found = interquartile_mean(scores)
    assert found.value == pytest.approx(trim_mean(np.array(scores), 0.25, axis=None))
    if len(scores) == 1:
        assert found.low is None
        assert "one run" in found.warnings[0]
    else:
        assert found.low <= found.value <= found.high


@settings(deadline=None, max_examples=60)
@given(SCORES, SCORES)
def test_improvement_counts_pairs(a, b):
    """The value is the share of pairs of runs won, a tie half, averaged over tasks; swapping recipes mirrors it."""
    found = probability_of_improvement(a, b)
    won = [
        np.mean([(x > y) + 0.5 * (x == y) for x, y in itertools.product(xs, ys)])
        for xs, ys in zip(np.array(a).T, np.array(b).T, strict=True)
    ]
    assert found.value == pytest.approx(np.mean(won))
    mirrored = probability_of_improvement(b, a)
    assert found.value == pytest.approx(1 - mirrored.value)
    if found.low is not None:
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert found.low < found.high
        assert found.low == pytest.approx(1 - mirrored.high)


def test_one_task_is_mann_whitneys_statistic():
    """On one task the value is scipy's U over the number of pairs."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(8, 1)), rng.normal(size=(5, 1))
    statistic = mannwhitneyu(a[:, 0], b[:, 0]).statistic
    assert probability_of_improvement(a, b).value == pytest.approx(statistic / 40)


def test_winning_every_pair_is_not_certainty():
    """Three runs that beat three others throughout leave room below 1."""
    found = probability_of_improvement([[2.0], [3.0], [4.0]], [[0.0], [1.0], [1.5]])
    assert found.value == found.high == 1.0
    assert found.low < 0.7


def test_equal_runs_have_no_width_and_say_so():
    """Runs that are copies leave an interquartile mean without a spread, and a warning."""
    found = interquartile_mean(np.tile([0.1, 0.4, 0.6, 0.9], (5, 1)))
    assert found.low == found.high == found.value == 0.5
    assert "no width" in found.warnings[0]


def test_batches_are_many_single_calls():
    """Leading axes are independent experiments."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(4, 5, 3)), rng.normal(size=(4, 6, 3))
    iqm, ahead = interquartile_mean(a), probability_of_improvement(a, b)
    for i in range(4):
        assert iqm.low[i] == pytest.approx(interquartile_mean(a[i]).low)
        assert ahead.high[i] == pytest.approx(probability_of_improvement(a[i], b[i]).high)


@pytest.mark.parametrize(
    "call",
    [
        lambda: interquartile_mean([1.0, 2.0]),
        lambda: interquartile_mean([[np.nan, 1.0]]),
        lambda: interquartile_mean(np.zeros((0, 2))),
        lambda: probability_of_improvement([[1.0, 2.0]], [[1.0]]),
        lambda: probability_of_improvement([[1.0]], [[1.0]], level=0.0),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """One axis, NaN, no runs, and other tasks are errors."""
    with pytest.raises(InvalidInputError):
        call()


@pytest.mark.slow
@pytest.mark.parametrize("runs", [3, 5, 10, 20])
@pytest.mark.parametrize("shared", [0.0, 1.0])
def test_coverage_of_the_interquartile_mean(runs, shared):
    """Over runs that are good or bad as a whole, or not, it is covered at least 93% of the time."""
    rng = np.random.default_rng(runs)
    base = np.linspace(-2, 2, 10)

    def draw(size, count):
        return base + shared * rng.normal(size=(size, count, 1)) + rng.normal(size=(size, count, 10))

    truth = np.mean(interquartile_mean(draw(200, 1000)).value)
    found = interquartile_mean(draw(10_000, runs))
    assert np.mean((found.low <= truth) & (truth <= found.high)) > 0.93


@pytest.mark.slow
@pytest.mark.parametrize(("runs_a", "runs_b"), [(3, 3), (5, 5), (10, 10), (3, 10)])
@pytest.mark.parametrize("shift", [0.0, 0.5, 2.0])
def test_coverage_of_the_probability_of_improvement(runs_a, runs_b, shift):
    """From no difference to a large one it is covered at least 92% of the time."""
    rng = np.random.default_rng(runs_a + runs_b)
    for shared in (0.0, 1.0):
        a, b = (
            move + shared * rng.normal(size=(5000, runs, 1)) + rng.normal(size=(5000, runs, 10))
            for move, runs in ((shift, runs_a), (0.0, runs_b))
        )
        truth = ndtr(shift / np.sqrt(2 * (1 + shared**2)))
        found = probability_of_improvement(a, b)
        assert np.mean((found.low <= truth) & (truth <= found.high)) > 0.915
