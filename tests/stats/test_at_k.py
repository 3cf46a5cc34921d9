import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import (
    PassCurve,
    paired_curve_difference,
    pass_at_k,
    pass_at_k_band,
    pass_at_k_interval,
    pass_hat_k_band,
    pass_hat_k_interval,
    pass_rate_interval,
)

TASKS = st.lists(st.integers(4, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=9)


@settings(max_examples=60, deadline=None)
@given(TASKS, st.integers(1, 4))
def test_contains_the_estimate_and_mirrors(tasks, k):
    """The interval holds the mean of unbiased values, and pass^k of passes mirrors pass@k of failures."""
    c, n = np.array(tasks).T
    for estimand in ("tasks-like-these", "these-tasks"):
        at, hat = pass_at_k_interval(c, n, k, estimand), pass_hat_k_interval(n - c, n, k, estimand)
        assert at.value == pytest.approx(np.mean(pass_at_k(n, c, k)))
        assert 0 <= at.low <= at.value + 1e-12
        assert at.value - 1e-12 <= at.high <= 1
        assert (at.low, at.high) == pytest.approx((1 - hat.high, 1 - hat.low), abs=1e-6)


def test_one_attempt_is_the_pass_rate():
    """At k = 1 both are pass_rate_interval, for both estimands."""
    c, n = [3, 0, 8, 5], 8
    for estimand in ("tasks-like-these", "these-tasks"):
        rate = pass_rate_interval(c, n, estimand)
        assert pass_at_k_interval(c, n, 1, estimand) == rate
        assert pass_hat_k_interval(c, n, 1, estimand) == rate


def test_more_attempts_than_samples_are_refused():
    """A task with fewer samples than k has no estimate, so the mean has none."""
    with pytest.raises(InvalidInputError, match="3 samples give no unbiased estimate for k = 4"):
        pass_at_k_interval([1, 1], [8, 3], 4)


def test_too_few_samples_for_the_spread_are_said():
    """These tasks with n < 2k: the spread within cannot be told, the interval is wide and a warning says so."""
    c = np.array([1, 4, 2] * 20)
    few, many = pass_at_k_interval(c, 7, 4, "these-tasks"), pass_at_k_interval(4 * c, 28, 4, "these-tasks")
    assert "fewer than 8 samples" in few.warnings[0]
    assert many.warnings == ()
    assert few.high - few.low > many.high - many.low


def test_one_task_has_no_interval_among_tasks_like_it():
    """One task: a value, no interval, a warning."""
    found = pass_at_k_interval([3], [8], 2)
    assert found.value == pytest.approx(pass_at_k(8, 3, 2))
    assert found.low is None
    assert "one task" in found.warnings[0]


@pytest.mark.parametrize("c", [[0, 0, 0], [8, 8, 8], [7, 8, 7], [0, 8, 0]])
def test_saturated_tasks_give_numbers(c):
    """All values 0 or 1 leave a width and no NaN."""
    for function in (pass_at_k_interval, pass_hat_k_interval):
        for estimand in ("tasks-like-these", "these-tasks"):
            found = function(c, 8, 4, estimand)
            assert 0 <= found.low < found.high <= 1


@pytest.mark.parametrize("estimand", ["tasks-like-these", "these-tasks"])
def test_ends_follow_the_order_of_k(estimand):
    """What k attempts reach with confidence, twice as many reach too; what all of 2k do, all of k do."""
    rng = np.random.default_rng(8)
    c = rng.binomial(32, rng.choice([0.0, 0.01, 0.1, 0.5, 0.97, 1.0], (200, 6)))
    for kind, end in (("pass@k", "low"), ("pass^k", "high")):
        at = PassCurve(c, 32, kind, estimand)
        found = [at(k) for k in (1, 2, 4, 8, 16, 32)]
        ends = np.array([getattr(each, end) for each in found])
        assert (np.diff(ends if kind == "pass@k" else -ends, axis=0) >= 0).all()
        assert all(((each.low <= each.value) & (each.value <= each.high)).all() for each in found)


def test_the_spread_of_tasks_is_not_forgotten_at_k_near_n():
    """Every task's pass@32 of 32 is 1 where it passes now and then; at smaller k the tasks tell how alike they are."""
    c = [9, 8, 10, 9, 11, 8, 9, 10, 7, 9]
    at = PassCurve(c, 32, "pass@k")
    assert at(32).value == 1.0
    assert at(32).low == at(16).low > 0.9
    assert at(32) == pass_at_k_interval(c, 32, 32)
    assert PassCurve(c, 32, "pass^k")(4) == pass_hat_k_interval(c, 32, 4)


def test_batches_are_rows():
    """Leading axes are evaluations."""
    rng = np.random.default_rng(3)
    c = rng.binomial(8, rng.beta(0.4, 0.3, (4, 6)))
    found = pass_at_k_interval(c, 8, 3)
    assert found.low == pytest.approx([pass_at_k_interval(row, 8, 3).low for row in c])


def test_a_band_is_wider_than_its_points_and_narrower_than_bonferroni():
    """Each interval of a band holds the pointwise one and lies within the one that ignores how ks move together."""
    c, ks = [1, 8, 30, 32, 2, 17, 0, 31, 5, 20], [1, 2, 4, 8, 16]
    for band, function in ((pass_at_k_band, pass_at_k_interval), (pass_hat_k_band, pass_hat_k_interval)):
        for k, found in zip(ks, band(c, 32, ks), strict=True):
            point, wide = function(c, 32, k), function(c, 32, k, level=0.99)
            assert wide.low <= found.low < point.low
            assert point.high < found.high <= wide.high
            assert "simultaneous" in found.method


def test_one_k_is_its_own_band():
    """A band over a single k is the interval."""
    (found,) = pass_at_k_band([1, 8, 30, 32], 32, [4])
    point = pass_at_k_interval([1, 8, 30, 32], 32, 4)
    assert (found.low, found.high, found.level) == (point.low, point.high, 0.95)


def test_curves_that_cross_show_both_signs():
    """A candidate better at k = 1 and worse at k = 16 on most tasks has differences of both signs in one band."""
    tasks = 60
    base = np.full(tasks, 6)
    candidate = np.where(np.arange(tasks) < 40, 32, 0)
    found = paired_curve_difference(base, 32, candidate, 32, [1, 16])
    assert found[0].estimate.low > 0
    assert found[1].estimate.high < 0


def test_bands_refuse_batches_and_missing_ks():
    """A batch, an empty list of k, and unequal tasks raise."""
    with pytest.raises(InvalidInputError, match="not of a batch"):
        pass_at_k_band([[1, 2]], 8, [1])
    with pytest.raises(InvalidInputError, match="a list of k"):
        pass_at_k_band([1, 2], 8, [])
    with pytest.raises(InvalidInputError, match="2 tasks against 3"):
        paired_curve_difference([1, 2], 8, [1, 2, 3], 8, [1])


@pytest.mark.slow
def test_a_band_covers_the_whole_curve():
    """Over 1,000 evaluations of 50 tasks × 32 from Beta(0.4, 0.3), the band covers pass@k at all five k in 94%."""
    rng = np.random.default_rng(5)
    ks = [1, 2, 4, 8, 16]
    p = rng.beta(0.4, 0.3, 4_000_000)
    truth = [(1 - (1 - p) ** k).mean() for k in ks]
    hits = 0
    for _ in range(1000):
        band = pass_at_k_band(rng.binomial(32, rng.beta(0.4, 0.3, 50)), 32, ks)
        hits += all(e.low <= t <= e.high for e, t in zip(band, truth, strict=True))
    assert hits / 1000 >= 0.94


def test_powers_too_small_for_their_squares():
    """Pass^256 at a rate of 0.1 is some 1e-256, whose square is no float: the interval is one, and nothing warns."""
    c = np.random.default_rng(1).binomial(10_000, 0.1, 100)
    found = pass_hat_k_interval(c, 10_000, 256)
    assert 0 <= found.low <= found.value < 1e-200
    assert found.value < found.high < 0.1
