"""The gamma, beta and Student laws that are computed without scipy, beside scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import special

from passband.stats._special import beta_cdf, beta_quantile, log_beta, log_gamma, log_gamma_for, t_upper_quantile

PARAMETERS = [(a, b) for a in (0.03, 0.5, 1.0, 3.2, 47.0, 5e3, 8e5) for b in (1.0, 1.5, 12.0, 700.5, 3e4, 9e5)]
TAILS = (1e-12, 1e-6, 0.015, 0.025, 0.3, 0.5, 0.8, 0.975, 1 - 1e-6)


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
def test_beta_quantiles_are_scipys(a, b):
    """A quantile of a beta law is what scipy finds, to 1e-12 of its value."""
    for tail in TAILS:
        expected = special.betaincinv(a, b, tail)
        if expected > 1e-250:  # below it, scipy has no more digits
            assert_allclose(beta_quantile(a, b, tail), expected, rtol=1e-12)


@pytest.mark.parametrize(("a", "b"), [*PARAMETERS, (0.5, 0.5), (0.2, 0.7), (40.0, 0.5)])
def test_beta_tails_are_scipys(a, b):
    """The distribution function of a beta law is scipy's on both sides of the mean and far out."""
    mean = a / (a + b)
    spread = math.sqrt(mean * (1 - mean) / (a + b + 1))
    for x in (mean + spread * z for z in (-30, -4, -1, 0, 1, 4, 30)):
        if 0 < x < 1 and special.betainc(a, b, x) > 1e-250:
            assert_allclose(beta_cdf(a, b, x), special.betainc(a, b, x), rtol=4e-12)


@pytest.mark.parametrize("a", [1e-12, 1e-3, 0.05, 0.3, 1, 7, 400, 9e5, 1e7, 1e8])
def test_no_argument_is_too_odd(a):
    """From the least to the largest parameters and shares each value is scipy's, and nothing hangs or fails."""
    for b in (1e-12, 1e-3, 0.05, 0.5, 2, 33.5, 1e4, 1e7, 1e8):
        for share in (0.0, 1e-250, 1e-100, 1e-17, 1e-12, 1e-9, 1e-4, 0.3, 0.7, 1 - 1e-9, 1 - 1e-12, 1 - 1e-15, 1.0):
            assert_allclose(beta_cdf(a, b, share), special.betainc(a, b, share), rtol=1e-9, atol=1e-300)
            assert_allclose(beta_quantile(a, b, share), special.betaincinv(a, b, share), rtol=1e-9, atol=1e-300)


def test_beta_law_at_the_ends_of_its_range():
    """Nothing lies below 0, all below 1, and the quantiles of 0 and 1 are 0 and 1."""
    assert beta_cdf([2.0, 2.0], 3.0, [0.0, 1.0]).tolist() == [0.0, 1.0]
    assert beta_quantile(2.0, 3.0, [0.0, 1.0]).tolist() == [0.0, 1.0]


def test_closed_forms_of_the_beta_law():
    """Beta(a, 1) has the distribution x^a, and Beta(1, b) has 1 - (1 - x)^b."""
    assert_allclose(beta_quantile(0.25, 1.0, 0.025), 0.025**4, rtol=1e-14)
    assert_allclose(beta_quantile(1.0, 1e5, 0.025), -math.expm1(math.log(0.975) / 1e5), rtol=1e-13)


@pytest.mark.parametrize("df", [1.0, 2.0, 4.5, 30.0, 999.0, 2.5e5, math.inf])
def test_student_quantiles_are_scipys(df):
    """An upper quantile of Student's t is scipy's, up to the normal law at no end of freedom."""
    for tail in (1e-12, 1e-5, 0.025, 0.2, 0.4, 0.9, 0.975):
        expected = -special.ndtri(tail) if math.isinf(df) else -special.stdtrit(df, tail)
        assert_allclose(t_upper_quantile(tail, df), expected, rtol=1e-12)
    assert t_upper_quantile(0.5, df) == 0.0


def test_closed_form_of_students_law():
    """At one degree of freedom the quantile is the cotangent of pi times the tail, however far out."""
    assert_allclose(
        t_upper_quantile([1e-10, 0.01, 0.4], 1.0), 1 / np.tan(np.pi * np.array([1e-10, 0.01, 0.4])), rtol=1e-12
    )


def test_logarithms_of_gamma_are_scipys():
    """Log-gamma and log-beta agree with scipy's, and keep the shape."""
    x = np.array([[1e-8, 0.3, 1.5], [7.0, 1e3, 1e7]])
    assert_allclose(log_gamma(x), special.gammaln(x), rtol=1e-14, atol=1e-14)
    near = np.concatenate([np.linspace(0.01, 12, 1200), 10.0 ** np.linspace(-12, 12, 200)])
    assert_allclose(log_gamma(near), special.gammaln(near), rtol=1e-14, atol=2e-14)
    assert log_gamma(5.0).shape == ()
    for values in (10, 10**7):
        assert_allclose(log_gamma_for(values)(x), log_gamma(x), rtol=1e-14, atol=1e-14)
    assert_allclose(log_beta(x, 2.5), special.betaln(x, 2.5), rtol=1e-9)


def test_many_values_are_those_of_few():
    """What is computed in an array of thousands, and by scipy, is what is computed one by one."""
    generator = np.random.default_rng(3)
    a, b = generator.uniform(0.5, 300, 5000), generator.uniform(1, 300, 5000)
    p = generator.uniform(0.001, 0.2, 5000)
    x = beta_quantile(a, b, p)
    for function, values in ((beta_quantile, (a, b, p)), (beta_cdf, (a, b, x)), (t_upper_quantile, (p, b))):
        one_by_one = [function(*row) for row in zip(*(value[:300] for value in values), strict=True)]
        assert_allclose(one_by_one, function(*values)[:300], rtol=1e-12)
