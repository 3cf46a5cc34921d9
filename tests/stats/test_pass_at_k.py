import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from passband.errors import InvalidInputError
from passband.stats import (
    g_pass_at_k,
    pass_at_k,
    pass_at_k_curve,
    pass_at_k_variance,
    pass_hat_k,
    plug_in_pass_at_k,
)

COUNTS = st.integers(1, 300).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))  # n, c, k
)


def exact_pass_at_k(n, c, k):
    return 1 - Fraction(comb(n - c, k), comb(n, k))


@settings(max_examples=400, deadline=None)
@given(COUNTS)
def test_equals_exact_rational_arithmetic(counts):
    """pass@k and pass^k agree with fractions to 1e-13, and to 1e-12 relatively."""
    n, c, k = counts
    for value, exact in (
        (pass_at_k(n, c, k), exact_pass_at_k(n, c, k)),
        (pass_hat_k(n, c, k), Fraction(comb(c, k), comb(n, k))),
    ):
        assert value == pytest.approx(float(exact), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("n", [10**6, 10**9, 10**12])
@pytest.mark.parametrize(("share", "k"), [(1e-6, 10**6), (3e-7, 2 * 10**5), (0.5, 40), (1e-12, 5)])
def test_holds_up_to_a_million_million_samples(n, share, k):
    """With huge n the value is that of the product over the shorter side, summed in logs, to 1e-12."""
    c, k = max(1, int(n * share)), min(k, n // 3)
    short, long = min(c, k), max(c, k)
    log_none = math.fsum(np.log1p(-long / (n - np.arange(short, dtype=np.float64))))
    assert pass_at_k(n, c, k) == pytest.approx(-math.expm1(log_none), abs=1e-12)


def test_keeps_all_digits_of_a_tiny_value():
    """One success in 10^12 samples gives pass@1 = 1e-12 exactly, not the rest of a subtraction from 1."""
    assert pass_at_k(10**12, 1, 1) == 1e-12


def test_one_attempt_is_the_rate_itself():
    """pass@1 and pass^1 are c/n, bit for bit."""
    c = np.arange(33)
    assert (pass_at_k(32, c, 1) == c / 32).all()
    assert (pass_hat_k(32, c, 1) == c / 32).all()


def test_the_values_of_the_chapter():
    """At n = 10, c = 3, k = 5 it is 1 - 21/252; at 2000, 5, 1000, where binomials overflow, close to 1 - 2^-5."""
    assert pass_at_k(10, 3, 5) == pytest.approx(1 - 21 / 252, abs=1e-15)
    assert round(pass_at_k(2000, 5, 1000), 4) == 0.9689


@pytest.mark.parametrize(("n", "c", "k"), [(2, 0, 5), (2, 1, 5), (99, 0, 100), (4, 4, 5)])
def test_more_attempts_than_samples_are_refused(n, c, k):
    """There is no unbiased estimate for k > n, so neither 0 nor 1 comes out but an error that says so."""
    for function in (pass_at_k, pass_hat_k):
        with pytest.raises(InvalidInputError, match=f"{n} samples give no unbiased estimate for k = {k}"):
            function(n, c, k)


@pytest.mark.parametrize(
    ("n", "c", "k", "why"),
    [
        (5, 6, 1, "6 successes of 5 samples"),
        (5, -1, 1, "-1 is below 0"),
        (5, 2.5, 1, "2.5 is not a whole number"),
        (5, float("nan"), 1, "nan is not a whole number"),
        (5, float("inf"), 1, "inf is not a whole number"),
        (5, 2, 0, "0 is below 1"),
        (0, 0, 1, "0 is below 1"),
        ("5", 2, 1, "whole numbers are wanted"),
        ([5, 5], [1, 1, 1], 1, "do not fit"),
        ([5, 5], [1, 1], [1, 2, 3], "do not fit"),
        (2**60, 2, 1, "beyond 2\\*\\*53"),
    ],
)
def test_nonsense_is_refused_with_the_reason(n, c, k, why):
    """A count that is too large, negative, broken, not finite or of a wrong shape raises a ValueError that names it."""
    with pytest.raises(ValueError, match=why):
        pass_at_k(n, c, k)


@settings(max_examples=200, deadline=None)
@given(COUNTS)
def test_bounds_order_and_the_swap_of_passes_and_failures(counts):
    """0 <= pass^k <= c/n <= pass@k <= 1, and pass@k of the passes is 1 - pass^k of the failures."""
    n, c, k = counts
    at, hat = pass_at_k(n, c, k), pass_hat_k(n, c, k)
    assert 0 <= hat <= c / n + 1e-15
    assert c / n - 1e-15 <= at <= 1
    assert at == pytest.approx(1 - pass_hat_k(n, n - c, k), abs=1e-14)


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 120).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_grows_with_k_and_with_c(pair):
    """pass@k never falls as k or c grows; pass^k never rises with k."""
    n, c = pair
    ks = np.arange(1, n + 1)
    assert (np.diff(pass_at_k(n, c, ks)) >= -1e-14).all()
    assert (np.diff(pass_hat_k(n, c, ks)) <= 1e-14).all()
    assert (pass_at_k(n, c + 1, ks) >= pass_at_k(n, c, ks) - 1e-14).all()


def test_a_table_gives_what_single_calls_give():
    """The lookup by distinct counts that large inputs take agrees with one call a number, for unequal n too."""
    rng = np.random.default_rng(5)
    n = rng.integers(16, 40, 300)
    c = rng.binomial(n, 0.3)
    ks = np.arange(1, 17)
    table = pass_at_k(n[:, None], c[:, None], ks)
    for i in range(0, 300, 37):
        assert table[i] == pytest.approx([pass_at_k(int(n[i]), int(c[i]), int(k)) for k in ks], rel=1e-14)


def test_the_curve_is_the_mean_of_the_matrix_for_every_evaluation():
    """pass_at_k_curve averages over tasks, for one evaluation and for a batch, to 1e-12."""
    rng = np.random.default_rng(6)
    n = np.full((3, 500), 64)
    c = rng.binomial(n, rng.beta(0.4, 0.3, (3, 500)))
    ks = np.arange(1, 65)
    matrix = pass_at_k(n[..., None], c[..., None], ks).mean(axis=-2)
    assert pass_at_k_curve(n, c, 64) == pytest.approx(matrix, abs=1e-12)
    assert pass_at_k_curve(n[0], c[0], 64) == pytest.approx(matrix[0], abs=1e-12)


def test_the_curve_refuses_what_the_estimator_refuses():
    """k_max above some n, no task, or a single number raises."""
    with pytest.raises(InvalidInputError, match="k = 9"):
        pass_at_k_curve([8, 9], [1, 1], 9)
    with pytest.raises(InvalidInputError, match="at least one task"):
        pass_at_k_curve([], [], 1)
    with pytest.raises(InvalidInputError, match="one count a task"):
        pass_at_k_curve(8, 1, 2)


@pytest.mark.parametrize("tau", [0.1, 0.25, 0.5, 0.75, 1.0])
def test_g_pass_is_the_hypergeometric_tail(tau):
    """G-Pass@k is P(X >= ceil(tau k)) by exact binomials."""
    for n, c, k in [(10, 3, 5), (16, 9, 8), (30, 30, 7), (30, 0, 7), (12, 11, 12)]:
        need = -(-round(tau * k * 100) // 100)
        exact = sum(Fraction(comb(c, j) * comb(n - c, k - j), comb(n, k)) for j in range(need, k + 1))
        assert g_pass_at_k(n, c, k, tau) == pytest.approx(float(exact), abs=1e-13)


def test_g_pass_joins_pass_at_k_and_pass_hat_k():
    """At tau = 1/k it is pass@k, at 1 it is pass^k, and 0.1 × 30 asks for 3 passes, not 4."""
    assert g_pass_at_k(20, 6, 5, 0.2) == pytest.approx(pass_at_k(20, 6, 5))
    assert g_pass_at_k(20, 6, 5, 1.0) == pytest.approx(pass_hat_k(20, 6, 5))
    assert g_pass_at_k(40, 3, 30, 0.1) == pytest.approx(comb(37, 27) / comb(40, 30))
    with pytest.raises(InvalidInputError, match="not in"):
        g_pass_at_k(20, 6, 5, 0.0)


@pytest.mark.parametrize(("n", "k", "p"), [(10, 5, 0.3), (64, 32, 0.05), (64, 4, 0.05), (7, 7, 0.5), (20, 1, 0.9)])
def test_the_known_variance_is_that_of_the_binomial_sum(n, k, p):
    """For a known p the variance is the sum over c of Bin(c; n, p) (estimate - truth)^2, in fractions."""
    rate = Fraction(p).limit_denominator(1000)
    truth = 1 - (1 - rate) ** k
    exact = sum(
        comb(n, c) * rate**c * (1 - rate) ** (n - c) * (exact_pass_at_k(n, c, k) - truth) ** 2 for c in range(n + 1)
    )
    assert pass_at_k_variance(n, k, p=float(rate)) == pytest.approx(float(exact), rel=1e-10)


@pytest.mark.parametrize(("n", "k"), [(10, 5), (9, 2), (8, 4), (6, 1)])
@pytest.mark.parametrize("p", [0.05, 0.3, 0.8])
def test_the_variance_from_counts_is_unbiased(n, k, p):
    """Averaged over Bin(n, p), the estimate from counts is the true variance."""
    chance = np.array([comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)])
    estimates = pass_at_k_variance(n, k, c=np.arange(n + 1))
    assert chance @ estimates == pytest.approx(pass_at_k_variance(n, k, p=p), rel=1e-10)


def test_the_variance_from_counts_at_one_attempt_is_the_usual_one():
    """At k = 1 it is p(1-p)/(n-1)."""
    c = np.arange(9)
    assert pass_at_k_variance(8, 1, c=c) == pytest.approx(c / 8 * (1 - c / 8) / 7)


def test_the_variance_says_what_it_needs():
    """Exactly one of p and c is wanted; from counts, 2k samples are needed; certainty has none."""
    with pytest.raises(InvalidInputError, match="one of p and c"):
        pass_at_k_variance(8, 2)
    with pytest.raises(InvalidInputError, match="draw at least 2k"):
        pass_at_k_variance(8, 5, c=3)
    assert pass_at_k_variance(8, 3, p=[0.0, 1.0]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("p", [0.1, 0.2, 0.3, 0.4, 0.5])
def test_the_plug_in_understates_and_the_estimator_does_not(p):
    """At n = 10 and k = 5 the plug-in is low by 0.01 to 0.09 (exact expectation); pass_at_k's bias is nil."""
    chance = np.array([comb(10, c) * p**c * (1 - p) ** (10 - c) for c in range(11)])
    truth = 1 - (1 - p) ** 5
    assert chance @ pass_at_k(10, np.arange(11), 5) == pytest.approx(truth, abs=1e-14)
    assert -0.09 < chance @ plug_in_pass_at_k(10, np.arange(11), 5) - truth < -0.01


def test_the_plug_in_takes_any_k():
    """There k may exceed n; all passes give 1."""
    assert plug_in_pass_at_k(2, 1, 5) == pytest.approx(1 - 0.5**5)
    assert plug_in_pass_at_k(3, 3, 5) == 1.0
