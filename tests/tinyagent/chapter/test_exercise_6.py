"""Exercise 6: common random numbers."""

import numpy as np
import pytest

from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent import make_tasks
from tinyagent.chapter.exercise_6 import sharing


def test_equal_episodes_leave_no_error():
    """Two checkpoints that do the same under the same numbers: difference 0 each time, correlation 1."""
    rng = np.random.default_rng(0)
    one = rng.random((4, 10, 32)) < 0.7
    found = sharing(np.array([one, one]))
    assert found.se_same == found.noise_same == 0.0
    assert found.correlation == pytest.approx(1.0)
    assert found.se_different > 0.01
    # Independent episodes with p = 0.7 on both sides: Var = 2 p (1 - p) / n / tasks.
    assert found.noise_different == pytest.approx(np.sqrt(2 * 0.21 / 32 / 10), rel=0.05)


def test_independent_episodes_gain_nothing():
    """One generator is as good as two."""
    success = np.random.default_rng(1).random((2, 400, 10, 8)) < 0.5
    found = sharing(success)
    assert found.correlation == pytest.approx(0.0, abs=0.02)
    assert found.se_same == pytest.approx(found.se_different, rel=0.05)
    assert found.noise_same == pytest.approx(found.noise_different, rel=0.02)


def test_the_variance_formula():
    """N times the squared standard error is the sum of the variances less twice the covariance, by hand."""
    success = np.zeros((2, 2, 2, 4), np.bool_)
    success[0, :, 0, :2] = True  # rates 1/2 and 0 of the first checkpoint, each time
    success[1, :, 0] = True  # 1 and 0 of the second
    found = sharing(success)
    rates = np.array([[0.5, 0.0], [1.0, 0.0]])
    covariance = np.cov(rates)
    assert found.variances == pytest.approx(np.trace(covariance))
    assert found.covariance_same == pytest.approx(2 * covariance[0, 1])
    assert found.covariance_different == pytest.approx(2 * covariance[0, 1])


def test_the_shipped_run(tmp_path):
    """One generator takes scatter from the difference of steps 60 and 80."""
    lab, tasks = ShippedLab(cache=tmp_path), make_tasks("held-out")
    agents = [lab.agent(0, step) for step in (60, 80)]
    success = np.array([[lab.evaluate(agent, tasks, seed=again).success for again in range(3)] for agent in agents])
    found = sharing(success)
    assert found.correlation > 0.2
    assert found.noise_same < 0.9 * found.noise_different
