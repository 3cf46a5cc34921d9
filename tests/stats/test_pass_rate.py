import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from passband.errors import InvalidInputError
from passband.stats import clopper_pearson_interval, pass_rate_interval, wilson_interval

METHODS = ["wilson-cluster", "t", "percentile", "bca", "bootstrap-t", "beta-binomial"]
TASKS = st.lists(st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=9)


def covered(low, high, p, tasks):
    """Exact coverage of p by intervals indexed by the total count, one sample a task."""
    chance = stats.binom.pmf(np.arange(tasks + 1), tasks, np.asarray(p)[:, None])
    return (chance * ((low <= p[:, None]) & (p[:, None] <= high))).sum(axis=1)


@pytest.mark.parametrize("tasks", [5, 7, 10, 20, 30, 50, 70, 100, 200, 500])
def test_one_sample_a_task_is_covered_at_every_pass_rate(tasks):
    """With n = 1 the exact coverage is at least 94% for every p, just off each end of each interval too."""
    c = (np.arange(tasks) < np.arange(tasks + 1)[:, None]).astype(int)
    found = pass_rate_interval(c, 1)
    ends = np.concatenate([found.low, found.high])
    p = np.concatenate([np.linspace(1e-4, 1 - 1e-4, 2001), ends - 1e-9, ends + 1e-9])
    assert covered(found.low, found.high, p[(p > 0) & (p < 1)], tasks).min() >= 0.94


def test_it_is_little_wider_than_wilson_where_wilson_holds():
    """At one sample a task and 200 tasks, the interval is at most 2% wider than Wilson's at p = 1/2."""
    c = np.r_[np.ones(100, int), np.zeros(100, int)]
    wide, plain = pass_rate_interval(c, 1), wilson_interval(100, 200)
    assert 1 <= (wide.high - wide.low) / (plain.high - plain.low) < 1.02


@settings(max_examples=80, deadline=None)
@given(TASKS)
def test_contains_the_estimate_and_mirrors(tasks):
    """Both estimands: the interval holds the value, lies in [0, 1], and mirrors as passes and failures swap."""
    c, n = np.array(tasks).T
    for estimand in ("tasks-like-these", "these-tasks"):
        found, mirrored = pass_rate_interval(c, n, estimand), pass_rate_interval(n - c, n, estimand)
        assert found.value == pytest.approx((c / n).mean())
        assert 0 <= found.low <= found.value <= found.high <= 1
        assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(TASKS, st.randoms())
def test_order_of_tasks_does_not_matter(tasks, random):
    """Shuffled tasks give the same interval."""
    shuffled = list(tasks)
    random.shuffle(shuffled)
    (c, n), (cs, ns) = np.array(tasks).T, np.array(shuffled).T
    one, two = pass_rate_interval(c, n), pass_rate_interval(cs, ns)
    assert (one.low, one.high) == pytest.approx((two.low, two.high), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(TASKS)
def test_higher_levels_are_wider(tasks):
    """The 99% interval holds the 90% interval."""
    c, n = np.array(tasks).T
    for estimand in ("tasks-like-these", "these-tasks"):
        narrow = pass_rate_interval(c, n, estimand, level=0.9)
        wide = pass_rate_interval(c, n, estimand, level=0.99)
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("c", [[0, 0, 0], [8, 8, 8], [0, 8, 8], [4, 4, 4], [1, 0, 0]])
def test_no_method_gives_nan_or_leaves_the_unit_interval(method, c):
    """All fail, all pass, all equal, one pass: ends are numbers in [0, 1] in order."""
    found = pass_rate_interval(c, 8, method=method)
    assert 0 <= found.low <= found.high <= 1
    assert found.method == method


def test_all_fail_and_all_pass_are_as_one_sample_a_task():
    """Where all samples agree, nothing tells copies from independent samples: the interval is that of n = 1."""
    for tasks in (2, 10, 164):
        many, one = pass_rate_interval([0] * tasks, 32), pass_rate_interval([0] * tasks, 1)
        assert (many.low, many.high) == (one.low, one.high)
        assert many.low == 0.0
        assert pass_rate_interval([32] * tasks, 32).high == 1.0
        assert many.high >= clopper_pearson_interval(0, tasks, alternative="upper").high


def test_one_task_has_no_interval_among_tasks_like_it():
    """One task: a value and a warning for tasks like it, an interval for the task itself."""
    like = pass_rate_interval([3], [8])
    assert (like.value, like.low, like.high) == (3 / 8, None, None)
    assert "one task" in like.warnings[0]
    this = pass_rate_interval([3], [8], "these-tasks")
    exact = clopper_pearson_interval(3, 8)
    assert (this.low, this.high, this.method) == (exact.low, exact.high, "clopper-pearson")
    ends = [pass_rate_interval([n], [n], "these-tasks").low for n in (1, 2, 3, 4)]
    assert ends == sorted(ends)


def test_one_sample_in_some_task_is_said():
    """These tasks with n = 1: the spread within cannot be told, and the interval is that of independent samples."""
    found = pass_rate_interval([1, 0, 1, 1], 1, "these-tasks")
    assert "one sample" in found.warnings[0]
    assert found.low <= wilson_interval(3, 4).low


def test_these_tasks_are_never_certain():
    """Tasks all passed or all failed have no spread within, yet the interval keeps a width."""
    found = pass_rate_interval([4, 4, 0, 4, 0], 4, "these-tasks")
    assert found.high - found.low > 0.1


def test_every_task_counts_the_same():
    """With unequal n the value is the mean of task rates, not the share of samples."""
    assert pass_rate_interval([1, 0], [1, 9]).value == 0.5


def test_the_chapter_intervals():
    """Eight tasks nearly solved, 17 and 1 of 32: tasks like these [0.6, 0.96] by the chapter's percentile bootstrap."""
    c = [32, 31, 32, 30, 32, 31, 32, 25, 17, 1]
    found = pass_rate_interval(c, 32, method="percentile")
    assert found.low == pytest.approx(0.60, abs=0.025)
    assert found.high == pytest.approx(0.96, abs=0.02)
    default = pass_rate_interval(c, 32)
    assert default.low < found.low


def test_student_is_student():
    """Method "t" is scipy's interval of the task rates, cut to [0, 1]."""
    c = np.array([3, 0, 8, 5, 5, 2])
    found = pass_rate_interval(c, 8, method="t")
    low, high = stats.t.interval(0.95, 5, (c / 8).mean(), stats.sem(c / 8))
    assert (found.low, found.high) == pytest.approx((low, high))


def test_batches_are_rows():
    """Leading axes are evaluations, for every method and estimand."""
    rng = np.random.default_rng(3)
    c = rng.binomial(8, rng.beta(0.4, 0.3, (3, 6)))
    c[0] = 0
    for method in METHODS[:-1]:
        found = pass_rate_interval(c, 8, method=method)
        alone = [pass_rate_interval(row, 8, method=method) for row in c]
        assert found.low == pytest.approx([e.low for e in alone])
        assert found.high == pytest.approx([e.high for e in alone])
    found = pass_rate_interval(c, 8, "these-tasks")
    assert found.low == pytest.approx([pass_rate_interval(row, 8, "these-tasks").low for row in c])
    assert found.n_samples.tolist() == [48, 48, 48]


def test_a_million_tasks():
    """A million tasks give an interval as wide as four standard errors, to 1%."""
    rng = np.random.default_rng(4)
    c = rng.binomial(8, rng.beta(0.4, 0.3, 1_000_000))
    found = pass_rate_interval(c, 8)
    assert found.high - found.low == pytest.approx(2 * 1.96 * (c / 8).std() / 1000, rel=0.01)


def test_what_does_not_fit_is_refused():
    """Unknown methods and estimands, and methods of the other estimand, say what there is."""
    with pytest.raises(InvalidInputError, match="use one of"):
        pass_rate_interval([1, 2], 3, method="wald")
    with pytest.raises(InvalidInputError, match="use 'stratified-wilson'"):
        pass_rate_interval([1, 2], 3, "these-tasks", method="t")
    with pytest.raises(InvalidInputError, match="'recipe' is not an estimand of one run"):
        pass_rate_interval([1, 2], 3, "recipe")
    with pytest.raises(InvalidInputError, match="0 is below 1"):
        pass_rate_interval([0, 2], [0, 3])
