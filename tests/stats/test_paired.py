import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from passband.errors import InvalidInputError
from passband.stats import decide, paired_difference

TASKS = st.lists(
    st.tuples(st.integers(1, 8), st.integers(1, 8), st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=12
).map(lambda rows: [(int(na * x + 0.5), na, int(nb * y + 0.5), nb) for na, nb, x, y in rows])


def split(tasks):
    return np.array(tasks).T


def test_many_tasks_give_the_paired_t_test():
    """With 2,000 tasks of 8 samples, interval and p are scipy's paired t test, to 1%."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, 2000)
    a, b = rng.binomial(8, p), rng.binomial(8, np.clip(p + 0.01, 0, 1))
    found, oracle = paired_difference(a, 8, b, 8), stats.ttest_rel(b / 8, a / 8)
    interval = oracle.confidence_interval(0.95)
    assert found.estimate.value == pytest.approx((b - a).mean() / 8)
    assert found.estimate.low == pytest.approx(interval.low, abs=0.01 * (interval.high - interval.low))
    assert found.estimate.high == pytest.approx(interval.high, abs=0.01 * (interval.high - interval.low))
    assert found.p_value == pytest.approx(oracle.pvalue, abs=0.01)


@settings(max_examples=150, deadline=None)
@given(TASKS, st.floats(0.8, 0.999), st.floats(0, 0.4))
def test_interval_p_and_verdict_never_disagree(tasks, level, margin):
    """P is below 1 - level exactly where the interval leaves 0 out, and the verdict is what both say."""
    ca, na, cb, nb = split(tasks)
    found = paired_difference(ca, na, cb, nb, level=level)
    low, high, alpha = found.estimate.low, found.estimate.high, 1 - level
    if min(abs(low), abs(high)) > 1e-9:  # at the very end, rounding decides
        assert (found.p_value < alpha) == (low > 0 or high < 0)
    decision = decide(found, margin)
    if min(abs(low - margin), abs(high + margin), abs(low + margin), abs(high - margin)) > 1e-9:
        expected = "better" if low > margin else "worse" if high < -margin else "unclear"
        if -margin < low and high < margin:
            expected = "same"
        assert decision.verdict == expected
        assert (decision.p_non_inferior < alpha) == (low > -margin)
        assert (decision.p_equivalent < alpha) == (decision.verdict == "same" and margin > 0)


@settings(max_examples=120, deadline=None)
@given(TASKS)
def test_contains_the_estimate_and_mirrors(tasks):
    """The interval holds the value and has a width; swapping the systems mirrors it and leaves both p alone."""
    ca, na, cb, nb = split(tasks)
    found, swapped = paired_difference(ca, na, cb, nb), paired_difference(cb, nb, ca, na)
    assert -1 <= found.estimate.low <= found.estimate.value + 1e-12
    assert found.estimate.value - 1e-12 <= found.estimate.high <= 1
    assert found.estimate.high - found.estimate.low > 1e-3
    assert (found.estimate.low, found.estimate.high) == pytest.approx((-swapped.estimate.high, -swapped.estimate.low))
    assert found.p_value == pytest.approx(swapped.p_value)
    assert found.sign_flip_p == pytest.approx(swapped.sign_flip_p)
    assert (found.n_better, found.n_worse) == (swapped.n_worse, swapped.n_better)
    assert 0 < found.p_value <= 1
    assert 0 < found.sign_flip_p <= 1


@settings(max_examples=60, deadline=None)
@given(TASKS, st.randoms())
def test_order_of_tasks_does_not_matter(tasks, random):
    """Shuffled tasks give the same result."""
    shuffled = list(tasks)
    random.shuffle(shuffled)
    one, two = paired_difference(*split(tasks)), paired_difference(*split(shuffled))
    assert one.estimate.low == pytest.approx(two.estimate.low)
    assert one.p_value == pytest.approx(two.p_value)
    assert one.sign_flip_p == pytest.approx(two.sign_flip_p, abs=1e-12)


@pytest.mark.parametrize(("up", "down", "same"), [(38, 20, 442), (18, 18, 464), (10, 14, 639), (3, 0, 2)])
def test_single_samples_give_mcnemar(up, down, same):
    """The exact p is statsmodels' McNemar; the mid-p is it less the probability of the split seen, and 1 at a tie."""
    a = np.r_[np.zeros(up, int), np.ones(down, int), np.ones(same, int)]
    b = np.r_[np.ones(up, int), np.zeros(down, int), np.ones(same, int)]
    found = paired_difference(a, 1, b, 1)
    exact = mcnemar([[same, down], [up, 0]], exact=True).pvalue
    assert found.sign_flip_p == pytest.approx(exact, abs=1e-12)
    mass = stats.binom.pmf(up, up + down, 0.5) if up != down else 0.0
    assert found.mcnemar_mid_p == pytest.approx(exact - mass, abs=1e-12)
    assert (found.n_better, found.n_worse, found.n_equal) == (up, down, same)


def test_the_published_table():
    """Equal totals: p = 1, not 0.868. 38 against 20: exact 0.0247, mid-p 0.0183."""
    tie = paired_difference([1] * 18 + [0] * 18, 1, [0] * 18 + [1] * 18, 1)
    assert (tie.p_value, tie.sign_flip_p, tie.mcnemar_mid_p) == (1.0, 1.0, 1.0)
    found = paired_difference([0] * 38 + [1] * 20, 1, [1] * 38 + [0] * 20, 1)
    assert round(found.sign_flip_p, 4) == 0.0247
    assert round(found.mcnemar_mid_p, 4) == 0.0183


def test_several_samples_have_no_mcnemar():
    """The mid-p is for one sample a task only."""
    assert paired_difference([1, 2], 4, [3, 2], 4).mcnemar_mid_p is None


def test_pairing_takes_the_shared_difficulty_out():
    """The paired variance is that of both sides less twice the covariance, as in the chapter."""
    rng = np.random.default_rng(1)
    p = rng.beta(0.4, 0.3, 30)
    a, b = rng.binomial(32, p), rng.binomial(32, p)
    found = paired_difference(a, 32, b, 32)
    va, vb, covariance = (a / 32).var(ddof=1), (b / 32).var(ddof=1), np.cov(a / 32, b / 32)[0, 1]
    assert found.se_paired == pytest.approx(np.sqrt((va + vb - 2 * covariance) / 30))
    assert found.se_unpaired == pytest.approx(np.sqrt((va + vb) / 30))
    assert found.correlation == pytest.approx(np.corrcoef(a, b)[0, 1])
    assert found.se_paired < found.se_unpaired / 2


@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("c", [([0] * 5, [0] * 5), ([0] * 5, [8] * 5), ([8] * 5, [8] * 5), ([4] * 5, [5] * 5)])
def test_constant_differences_keep_a_width(n, c):
    """Equal differences leave an interval with a width, a p above 0, and no NaN."""
    a, b = (np.minimum(side, n) for side in c)
    found = paired_difference(a, n, b, n)
    assert found.estimate.high - found.estimate.low > 0.01
    assert 0 < found.p_value <= 1
    assert found.correlation == 0.0


def test_identical_runs_of_single_samples_are_bounded_by_the_number_of_tasks():
    """No task differs among 164: the ends are about ±z / N, near the rule of three."""
    found = paired_difference([1] * 164, 1, [1] * 164, 1)
    assert found.estimate.high == pytest.approx(1.97 / 165, rel=0.02)
    assert found.p_value == 1.0


def test_one_task_has_no_interval():
    """One task gives a difference and a warning."""
    found = paired_difference([3], [8], [5], [8])
    assert found.estimate.value == 0.25
    assert (found.estimate.low, found.p_value, found.se_paired, found.law) == (None, None, None, None)
    assert "one task" in found.estimate.warnings[0]


def test_unequal_samples_keep_every_task_alike():
    """With unequal n the value is the mean of rate differences, and ties are ties."""
    found = paired_difference([1, 3, 2], [2, 3, 4], [2, 6, 1], [4, 6, 3])
    assert found.estimate.value == pytest.approx(np.mean([0, 0, 1 / 3 - 1 / 2]))
    assert (found.n_better, found.n_worse, found.n_equal) == (0, 1, 2)


def test_batches_are_rows():
    """Leading axes are evaluations."""
    rng = np.random.default_rng(2)
    a, b = rng.binomial(8, rng.beta(0.4, 0.3, (2, 5, 7)))
    found = paired_difference(a, 8, b, 8)
    alone = [paired_difference(x, 8, y, 8) for x, y in zip(a, b, strict=True)]
    assert found.estimate.low == pytest.approx([one.estimate.low for one in alone])
    assert found.p_value == pytest.approx([one.p_value for one in alone])
    assert found.sign_flip_p == pytest.approx([one.sign_flip_p for one in alone])
    assert found.n_better.tolist() == [one.n_better for one in alone]


def test_a_million_tasks():
    """A million tasks of 32 samples are compared in a few seconds."""
    rng = np.random.default_rng(3)
    a, b = rng.binomial(32, 0.5, 1_000_000), rng.binomial(32, 0.5001, 1_000_000)
    found = paired_difference(a, 32, b, 32)
    assert found.sign_flip_p == pytest.approx(found.p_value, abs=0.01)


def test_different_tasks_are_refused():
    """Sides with different numbers of tasks are not paired."""
    with pytest.raises(InvalidInputError, match="2 tasks against 3"):
        paired_difference([1, 2], 4, [1, 2, 3], 4)


def test_the_doubt_is_what_one_sample_weighs():
    """With 4 samples of each task it is 1/4, a whole task where all samples of every task agree, none with one task."""
    assert paired_difference([1, 2, 3], 4, [2, 2, 1], 4).doubt == pytest.approx(0.25)
    assert paired_difference([0, 4, 0], 4, [4, 4, 0], 4).doubt == pytest.approx(1.0)
    assert paired_difference([1], 4, [2], 4).doubt is None
