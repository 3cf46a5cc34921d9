import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import allocate_samples


def variance(c, n, total):
    """Variance of the mean over these tasks, at the pilot's shrunken rates."""
    rate = (np.asarray(c) + 0.5) / (np.asarray(n) + 1.0)
    return float((rate * (1 - rate) / total).sum()) / len(total) ** 2


@settings(deadline=None, max_examples=60)
@given(data=st.data(), budget=st.integers(0, 9))
def test_no_other_allocation_is_better(data, budget):
    """Trying all allocations of a small budget over three tasks finds none with a smaller variance."""
    n = np.array(data.draw(st.lists(st.integers(1, 6), min_size=3, max_size=3)))
    c = np.array([data.draw(st.integers(0, int(m))) for m in n])
    found = allocate_samples(c, n, budget)
    assert found.extra.sum() == budget
    assert (found.extra >= 0).all()
    np.testing.assert_array_equal(found.total, n + found.extra)
    everything = [x for x in itertools.product(range(budget + 1), repeat=3) if sum(x) == budget]
    best = min(variance(c, n, n + np.array(x)) for x in everything)
    assert found.variance_after == pytest.approx(best, rel=1e-12)
    assert found.variance_before == pytest.approx(variance(c, n, n))
    assert found.variance_after <= found.variance_even + 1e-15


def test_samples_go_where_outcomes_vary():
    """A task at one half gets more than tasks that always or never pass, which still get some."""
    extra = allocate_samples([0, 8, 16], [16, 16, 16], 300).extra
    assert extra[1] > 2 * extra[0]
    assert extra[0] == extra[2] > 0


def test_large_budgets_reach_neymans_proportions():
    """Shares of a large budget are those of the standard deviations."""
    c, n = np.array([1, 5, 10]), np.array([20, 20, 20])
    total = allocate_samples(c, n, 10**7).total
    rate = (c + 0.5) / (n + 1.0)
    sd = np.sqrt(rate * (1 - rate))
    np.testing.assert_allclose(total / total.sum(), sd / sd.sum(), rtol=1e-5)


def test_a_million_tasks():
    """A large suite is allocated exactly too."""
    rng = np.random.default_rng(0)
    c = rng.binomial(4, 0.3, 10**6)
    found = allocate_samples(c, 4, 10**6)
    assert found.extra.sum() == 10**6
    assert found.variance_after < found.variance_even


def test_one_task_gets_everything():
    """With one task there is nothing to allocate, and a warning says so."""
    found = allocate_samples([1], [4], 7)
    assert found.extra.tolist() == [7]
    assert found.warnings == ("one task: there is nothing to allocate",)


@pytest.mark.parametrize(
    ("c", "n", "budget"), [([3], [2], 1), ([[1, 2]], [[4, 4]], 1), ([1, 2], [4, 4], -1), ([1, 2], [4, 4], 0.5)]
)
def test_what_makes_no_sense_is_refused(c, n, budget):
    """Impossible counts, several pilots at once, and broken budgets are errors."""
    with pytest.raises(InvalidInputError):
        allocate_samples(c, n, budget)


@pytest.mark.slow
def test_the_bias_of_pooling_is_what_the_page_says():
    """Pooling the pilot biases a task near the edge by about 0.013 towards it, and the mean by far less."""
    rng = np.random.default_rng(0)
    p = np.array([0.02, 0.1, 0.5, 0.9, 0.99] * 4)
    errors = []
    for _ in range(4000):
        c = rng.binomial(8, p)
        plan = allocate_samples(c, 8, 160)
        errors.append((c + rng.binomial(plan.extra, p)) / plan.total - p)
    bias = np.mean(errors, axis=0).reshape(4, 5).mean(axis=0)
    assert -0.016 < bias[1] < -0.010
    assert 0.010 < bias[3] < 0.016
    assert abs(bias[2]) < 0.002
    assert abs(np.mean(errors)) < 0.002
