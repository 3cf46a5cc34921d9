import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import betabinom

from passband.errors import InvalidInputError
from passband.stats import beta_binomial_mle
from passband.stats.beta_binomial import Exceedances


def log_likelihood(c, n, mean, icc):
    """Scipy's beta-binomial, by its alpha and beta."""
    scale = (1 - icc) / icc
    return float(betabinom.logpmf(c, n, mean * scale, (1 - mean) * scale).sum())


@pytest.mark.parametrize("seed", range(6))
def test_the_fit_is_scipys_maximum(seed):
    """A search over scipy's likelihood finds the same place and height, for equal and unequal n."""
    rng = np.random.default_rng(seed)
    n = rng.integers(3, 40, 30) if seed % 2 else np.full(30, 16)
    c = rng.binomial(n, rng.beta(*rng.uniform(0.3, 4.0, 2), size=30))
    found = beta_binomial_mle(c, n)
    best = minimize(
        lambda x: -log_likelihood(c, n, 1 / (1 + math.exp(-x[0])), 1 / (1 + math.exp(-x[1]))),
        [0.0, 0.0],
        method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000},
    )
    mean, icc = 1 / (1 + np.exp(-best.x))
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-6)
    assert found.mean == pytest.approx(mean, abs=1e-5)
    assert found.icc == pytest.approx(icc, abs=1e-5)
    scale = (1 - found.icc) / found.icc
    assert (found.alpha, found.beta) == pytest.approx((found.mean * scale, (1 - found.mean) * scale))


def test_standard_errors_are_the_inverse_information():
    """Numerical second derivatives of scipy's likelihood give the same errors."""
    c, n = np.array([1, 2, 8, 7, 0, 8, 5, 8]), 8
    found = beta_binomial_mle(c, n)
    at, h = np.array([found.mean, found.icc]), 1e-4
    steps = np.eye(2) * h

    def value(x):
        return log_likelihood(c, n, *x)

    hessian = np.array(
        [
            [
                (value(at + a + b) - value(at + a - b) - value(at - a + b) + value(at - a - b)) / (4 * h * h)
                for b in steps
            ]
            for a in steps
        ]
    )
    expected = np.sqrt(np.diag(np.linalg.inv(-hessian)))
    assert (found.mean_se, found.icc_se) == pytest.approx(tuple(expected), rel=1e-5)


@settings(deadline=None, max_examples=60)
@given(data=st.data(), mean=st.floats(0.01, 0.99), icc=st.floats(0.001, 0.999))
def test_the_product_form_is_the_likelihood(data, mean, icc):
    """Exceedance counts give scipy's likelihood but for the coefficients, for any counts."""
    n = np.array(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=6)))
    c = np.array([data.draw(st.integers(0, int(m))) for m in n])
    grid = [np.array([x]) for x in (mean, icc, 1 - mean, 1 - icc)]
    constant = sum(math.log(math.comb(int(m), int(k))) for m, k in zip(n, c, strict=True))
    found = Exceedances.of(c, n).log_likelihood(*grid)[0, 0] + constant
    assert found == pytest.approx(log_likelihood(c, n, mean, icc), rel=1e-8, abs=1e-8)


@pytest.mark.parametrize(
    ("c", "n", "mean", "icc", "words"),
    [
        ([0, 0, 0], 4, 0.0, None, "all samples agree"),
        ([4, 4], 4, 1.0, None, "all samples agree"),
        ([1, 0, 1], 1, 2 / 3, None, "one sample a task"),
        ([0, 4, 4], 4, 2 / 3, 1.0, "always or never"),
        ([2, 2, 2, 2], 4, 0.5, 0.0, "by chance"),
        ([3], 8, 3 / 8, 0.0, "by chance"),
    ],
)
def test_edges_of_the_model_are_named(c, n, mean, icc, words):
    """Where the likelihood has its maximum on an edge, or is flat, the fit says which."""
    found = beta_binomial_mle(c, n)
    assert found.mean == pytest.approx(mean)
    assert found.icc == icc
    assert found.alpha is found.beta is found.icc_se is None
    assert words in found.warnings[0]


def test_the_likelihood_at_the_edges():
    """At the edges the log likelihood is that of the binomial, and of coins that fall once a task."""
    assert beta_binomial_mle([2, 2, 2, 2], 4).log_likelihood == pytest.approx(4 * math.log(6 / 16))
    assert beta_binomial_mle([0, 4, 4], 4).log_likelihood == pytest.approx(math.log(1 / 3) + 2 * math.log(2 / 3))
    assert beta_binomial_mle([1, 0], 1).log_likelihood == pytest.approx(2 * math.log(0.5))


def test_a_million_tasks_cost_no_more():
    """The fit of a large suite finds the population's parameters."""
    rng = np.random.default_rng(0)
    found = beta_binomial_mle(rng.binomial(32, rng.beta(0.4, 0.3, 10**6)), 32)
    assert found.alpha == pytest.approx(0.4, abs=0.003)
    assert found.beta == pytest.approx(0.3, abs=0.003)


def test_a_batch_is_refused():
    """One evaluation at a time."""
    with pytest.raises(InvalidInputError, match="one evaluation"):
        beta_binomial_mle([[1, 2]], 4)
