import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import missing_bounds, success_counts


@pytest.mark.parametrize(
    ("c", "n", "scheduled", "bounds"),
    [
        ([80], [90], [100], (0.80, 0.90)),
        ([2], [8], [8], (0.25, 0.25)),
        ([2], [6], [8], (0.25, 0.50)),
        ([2], [5], [10], (0.20, 0.70)),
        ([1], [1], [4], (0.25, 1.0)),
        ([0, 4], [0, 4], [4, 4], (0.5, 1.0)),
    ],
)
def test_errors_stay_in_the_denominator(c, n, scheduled, bounds):
    """Missing samples all failed and all passed, over what was scheduled; tasks count the same."""
    assert missing_bounds(c, n, scheduled) == pytest.approx(bounds)


def test_counts_leave_out_what_is_not_there():
    """A mask takes samples out of both counts, whatever stands in their place."""
    passed = np.array([[[1, 0, 1], [1, 1, 7]], [[0, 0, 0], [1, 1, 1]]])
    present = np.array([[[True] * 3, [True, True, False]], [[False] * 3, [True] * 3]])
    c, n = success_counts(passed, present)
    assert c.tolist() == [[2, 2], [0, 3]]
    assert n.tolist() == [[3, 2], [0, 3]]


def test_partial_rewards_are_no_successes():
    """Half rewards are neither passed nor failed: they are refused, not summed up to a success."""
    with pytest.raises(InvalidInputError, match="neither passed nor failed"):
        success_counts([[0.5, 0.5]])
    with pytest.raises(InvalidInputError, match="neither passed nor failed"):
        success_counts([[1.0, float("nan")]])


def test_shapes_and_order_are_checked():
    """A flat list, a mask of numbers, more samples than scheduled and more passes than samples raise."""
    with pytest.raises(InvalidInputError, match="pass \\(tasks, samples\\)"):
        success_counts([True, False])
    with pytest.raises(InvalidInputError, match="pass \\(tasks, samples\\)"):
        success_counts([[True, False]], [[1, 0]])
    with pytest.raises(InvalidInputError, match="9 successes of 8"):
        missing_bounds([1], [9], [8])
    with pytest.raises(InvalidInputError, match="more successes"):
        missing_bounds([5], [4], [8])
    with pytest.raises(InvalidInputError, match="one count a task"):
        missing_bounds(1, 2, 3)
