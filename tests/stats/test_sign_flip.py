import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from passband.errors import InvalidInputError
from passband.stats import sign_flip_p


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(-40, 40), min_size=1, max_size=12))
def test_equals_enumeration(differences):
    """Over all 2^N signs, the share of sums at least as far from 0."""
    seen = abs(sum(differences))
    signs = np.array(list(itertools.product((-1, 1), repeat=len(differences))))
    assert sign_flip_p(differences) == pytest.approx((np.abs(signs @ differences) >= seen).mean(), abs=1e-12)


@pytest.mark.parametrize(("up", "down"), [(38, 20), (18, 18), (1, 0), (0, 9), (500, 430), (60, 20)])
def test_with_single_samples_it_is_mcnemar(up, down):
    """Differences of ±1 give the exact binomial test of the discordant tasks, whatever the ties."""
    p = sign_flip_p([1] * up + [-1] * down + [0] * 40)
    assert p == pytest.approx(stats.binomtest(up, up + down).pvalue, rel=1e-3, abs=1e-12)


def test_equal_totals_are_no_evidence():
    """Where the sum is 0 the p-value is exactly 1."""
    assert sign_flip_p([1] * 18 + [-1] * 18 + [0] * 464) == 1.0
    assert sign_flip_p([0, 0, 0]) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(-30, 30), min_size=1, max_size=40), st.integers(1, 9), st.randoms())
def test_order_scale_and_sign_do_not_matter(differences, scale, random):
    """Shuffling, scaling and swapping the systems leave the p-value alone."""
    p = sign_flip_p(differences)
    shuffled = list(differences)
    random.shuffle(shuffled)
    assert 0 < p <= 1
    assert sign_flip_p(shuffled) == pytest.approx(p, abs=1e-12)
    assert sign_flip_p([-scale * d for d in differences]) == pytest.approx(p, abs=1e-12)


def test_many_tasks_agree_with_the_normal_law():
    """With 20,000 tasks of 32 samples the exact value is within 1% of the normal tail with continuity correction."""
    rng = np.random.default_rng(0)
    d = rng.binomial(32, 0.5, 20_000) - rng.binomial(32, 0.498, 20_000)
    normal = 2 * stats.norm.sf((abs(d.sum()) - 1) / np.sqrt((d.astype(float) ** 2).sum()))
    assert sign_flip_p(d) == pytest.approx(normal, rel=0.02)


def test_a_p_value_too_small_to_compute_is_bounded_not_zero():
    """Far in the tail Hoeffding's bound stands in: above the truth, below 1e-12, never 0."""
    p = sign_flip_p([1] * 307 + [-1] * 93)
    assert stats.binomtest(307, 400).pvalue <= p < 1e-12
    assert sign_flip_p([1] * 50) == pytest.approx(2.0**-49, rel=1e-3, abs=1e-11)


def test_fine_lattices_are_rounded_close_to_the_truth():
    """2,000 differences with a step of 1/720720 are rounded; against Monte Carlo the p-value is off by < 0.01."""
    rng = np.random.default_rng(1)
    na, nb = rng.integers(1, 17, (2, 2000))
    d = rng.binomial(nb, 0.51) * (720720 // nb) - rng.binomial(na, 0.5) * (720720 // na)
    sums = np.array([(rng.choice([-1.0, 1.0], 2000) * d).sum() for _ in range(20_000)])
    assert sign_flip_p(d) == pytest.approx((np.abs(sums) >= abs(d.sum())).mean(), abs=0.012)


def test_rows_of_a_batch_stand_alone():
    """Leading axes are kept."""
    rows = [[1, -2, 3], [0, 0, 1]]
    assert sign_flip_p(rows).tolist() == [sign_flip_p(row) for row in rows]


def test_no_task_and_broken_numbers_are_refused():
    """An empty list and a fraction raise."""
    with pytest.raises(InvalidInputError, match="no task"):
        sign_flip_p([])
    with pytest.raises(InvalidInputError, match="0.5"):
        sign_flip_p([0.5, 1])
