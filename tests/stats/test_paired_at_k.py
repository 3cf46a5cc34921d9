"""Paired differences of pass@k and pass^k."""

from __future__ import annotations

import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import paired_at_k_difference, paired_difference, pass_at_k, pass_hat_k


def test_value_and_tries_are_those_of_the_curves():
    """The difference is that of the two means, for either kind."""
    a, b = np.array([1, 5, 0, 8]), np.array([3, 4, 1, 8])
    for kind, function in (("pass@k", pass_at_k), ("pass^k", pass_hat_k)):
        found = paired_at_k_difference(a, 8, b, 8, 4, kind=kind)
        expected = np.mean(function(8, b, 4)) - np.mean(function(8, a, 4))
        assert found.estimate.value == pytest.approx(expected, abs=1e-15)


def test_one_try_is_the_paired_difference():
    """At k = 1 both kinds are the rate, with its interval and p."""
    a, b = np.array([1, 5, 0, 8, 2, 2]), np.array([3, 4, 1, 8, 7, 0])
    plain = paired_difference(a, 8, b, 8)
    for kind in ("pass@k", "pass^k"):
        found = paired_at_k_difference(a, 8, b, 8, 1, kind=kind)
        assert found.estimate.low == pytest.approx(plain.estimate.low, abs=1e-12)
        assert found.p_value == pytest.approx(plain.p_value, abs=1e-12)


def test_agreement_of_what_was_seen_is_no_certainty():
    """Where every task gives nothing on both sides, or all but one, the interval is as wide as a sample's doubt."""
    none = np.zeros(35, dtype=int)
    once = none.copy()
    once[0] = 1
    for a in (none, once):
        found = paired_at_k_difference(a, 8, none, 8, 4, kind="pass^k").estimate
        assert found.low < -0.02
        assert found.high > 0.02


def test_rare_losses_do_not_pass_a_margin():
    """Of tasks that are lost outright one in forty, the interval seldom lies above the margin that they break."""
    generator = np.random.default_rng(5)
    passes = 0
    for _ in range(400):
        a = generator.binomial(8, 0.35, 35)
        b = np.where(generator.random(35) < 0.04, 0, generator.binomial(8, 0.35, 35))
        found = paired_at_k_difference(a, 8, b, 8, 4).estimate  # the true loss is 0.04 (1 - 0.65**4): 3.3 points
        passes += found.low > -0.02
    assert passes / 400 < 0.05


def test_different_tasks_are_refused():
    """Two lists of different length are no pairs."""
    with pytest.raises(InvalidInputError, match="tasks against"):
        paired_at_k_difference([1, 2], 4, [1, 2, 3], 4, 2)
