import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import pass_rate_interval, selection_interval


@settings(deadline=None, max_examples=60)
@given(data=st.data(), systems=st.integers(1, 6), tasks=st.integers(1, 8), n=st.integers(1, 6))
def test_the_interval_holds_the_rate_and_is_wider_below(data, systems, tasks, n):
    """Any counts: ends in order around the best rate, and never inside the interval that ignores the choice."""
    c = np.array(data.draw(st.lists(st.integers(0, n), min_size=systems * tasks, max_size=systems * tasks)))
    found = selection_interval(c.reshape(systems, tasks), n)
    best = c.reshape(systems, tasks).sum(axis=1)
    assert best[found.chosen] == best.max()
    if tasks == 1:
        assert found.estimate.low is None
        assert found.estimate.warnings
        return
    assert 0.0 <= found.estimate.low <= found.estimate.value <= found.estimate.high <= 1.0
    assert found.estimate.low <= found.unadjusted.low + 1e-12
    assert found.estimate.high >= found.unadjusted.high - 1e-12
    assert found.contenders[found.chosen]


def test_one_system_pays_nothing():
    """Without a choice the interval is the ordinary one."""
    for estimand in ("tasks-like-these", "these-tasks"):
        found = selection_interval([[3, 4, 8, 0]], 8, estimand=estimand)
        assert found.estimate == found.unadjusted == pass_rate_interval([3, 4, 8, 0], 8, estimand)


def test_far_systems_cost_nothing_more():
    """Twenty hopeless systems beside two good ones do not widen the interval."""
    rng = np.random.default_rng(0)
    good = rng.binomial(16, 0.8, (2, 40))
    hopeless = rng.binomial(16, 0.1, (20, 40))
    two, many = selection_interval(good, 16), selection_interval(np.concatenate([good, hopeless]), 16)
    assert many.contenders.sum() == 2
    assert many.estimate.low == pytest.approx(two.estimate.low, abs=1e-12)


def test_more_contenders_widen_it():
    """Equally good systems push the lower end out, and independent ones more than copies."""
    rng = np.random.default_rng(1)
    c = rng.binomial(8, 0.5, (16, 30))
    copies = np.repeat(c[c.sum(axis=1).argmax()][None], 16, axis=0)
    lows = [selection_interval(part, 8).estimate.low for part in (copies, c)]
    assert lows[1] < lows[0]


def test_batches_are_many_single_calls():
    """Leading axes are independent comparisons."""
    c = np.random.default_rng(0).binomial(8, 0.4, (3, 5, 12))
    batch = selection_interval(c, 8)
    for i in range(3):
        one = selection_interval(c[i], 8)
        assert batch.chosen[i] == one.chosen
        assert batch.estimate.low[i] == pytest.approx(one.estimate.low)
        np.testing.assert_array_equal(batch.contenders[i], one.contenders)


@pytest.mark.parametrize(
    "call",
    [
        lambda: selection_interval([1, 2, 3], 4),
        lambda: selection_interval([[5, 2]], 4),
        lambda: selection_interval([[1, 2]], 4, level=1.0),
        lambda: selection_interval([[1, 2]], 4, estimand="recipe"),
        lambda: selection_interval(np.zeros((0, 3), dtype=int), 4),
    ],
)
def test_what_makes_no_sense_is_refused(call):
    """One axis, impossible counts, levels and estimands are errors."""
    with pytest.raises(InvalidInputError):
        call()


def populations(rng, size, m, tasks):
    """Pass rates (size, m, tasks) and true means (size, m): how systems and tasks may differ."""

    def equal(alpha, beta):
        shared = np.repeat(rng.beta(alpha, beta, (size, 1, tasks)), m, axis=1)
        return shared, np.full((size, m), alpha / (alpha + beta))

    def independent(alpha, beta):
        return rng.beta(alpha, beta, (size, m, tasks)), np.full((size, m), alpha / (alpha + beta))

    yield "the same rates, U-shaped", *equal(0.4, 0.3)
    yield "the same rates, rare", *equal(1.0, 30.0)
    yield "own rates, central", *independent(5.0, 5.0)
    yield "own rates, extreme", *independent(0.1, 0.1)
    yield "own rates, saturated", *independent(20.0, 1.0)
    two_point = np.where(rng.random((size, m, tasks)) < 0.5, 0.9, 0.1)
    yield "own rates, two points", two_point, np.full((size, m), 0.5)
    zero_inflated = np.where(rng.random((size, 1, tasks)) < 0.3, 0.0, rng.beta(3.0, 2.0, (size, m, tasks)))
    yield "zero-inflated", zero_inflated, np.full((size, m), 0.7 * 0.6)
    # a trend over checkpoints: task logits shared, one shift a checkpoint
    shifts = np.linspace(-2.0, 2.0, m)
    logits = 2.0 * rng.normal(size=(size, 1, tasks)) + shifts[:, None]
    x = np.linspace(-8.0, 8.0, 4001)
    weights = np.exp(-(x**2) / 2)
    means = (1 / (1 + np.exp(-(2.0 * x + shifts[:, None]))) * weights).sum(axis=1) / weights.sum()
    yield "a trend", 1 / (1 + np.exp(-logits)), np.broadcast_to(means, (size, m))


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 8, 32])
@pytest.mark.parametrize("tasks", [5, 10, 30, 100])
def test_coverage_after_choosing(m, tasks):
    """The true rate of the chosen system is covered at least 94% of the time, less three standard errors."""
    rng = np.random.default_rng(100 * m + tasks)
    size = 3000
    for n in (1, 8, 32):
        for name, p, means in populations(rng, size, m, tasks):
            found = selection_interval(rng.binomial(n, p), n)
            truth = np.take_along_axis(means, found.chosen[:, None], 1)[:, 0]
            covered = np.mean((found.estimate.low <= truth) & (truth <= found.estimate.high))
            assert covered > 0.94 - 3 * np.sqrt(0.94 * 0.06 / size), (name, n, covered)


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 8, 32])
def test_coverage_on_these_tasks(m):
    """The same where the tasks are fixed and only samples are random."""
    rng = np.random.default_rng(m)
    size = 3000
    for tasks, n in ((5, 8), (10, 32), (100, 4)):
        for name, p, _ in populations(rng, size, m, tasks):
            found = selection_interval(rng.binomial(n, p), n, estimand="these-tasks")
            truth = np.take_along_axis(p.mean(axis=-1), found.chosen[:, None], 1)[:, 0]
            covered = np.mean((found.estimate.low <= truth) & (truth <= found.estimate.high))
            assert covered > 0.94 - 3 * np.sqrt(0.94 * 0.06 / size), (name, tasks, n, covered)


@pytest.mark.slow
def test_the_interval_that_ignores_the_choice_does_not_cover():
    """The best of 32 equal systems is above its plain interval in half of all comparisons and more."""
    rng = np.random.default_rng(3)
    found = selection_interval(rng.binomial(8, rng.beta(5, 5, (2000, 32, 30))), 8)
    plain = np.mean((found.unadjusted.low <= 0.5) & (found.unadjusted.high >= 0.5))
    adjusted = np.mean((found.estimate.low <= 0.5) & (found.estimate.high >= 0.5))
    assert plain < 0.6
    assert adjusted > 0.95
