import numpy as np
import pytest

from passband.errors import InvalidInputError
from passband.stats import expected_maximum, pass_rate_interval, select_checkpoint

VALIDATION = ([[20, 9, 30, 4], [25, 12, 31, 4], [24, 13, 31, 5]], 32)
TEST = ([[22, 3, 29, 17], [24, 2, 30, 11], [20, 9, 28, 20]], 32)


def test_validation_decides_and_test_only_reports():
    """The choice and its test interval do not change with the test counts of the other checkpoints."""
    choice = select_checkpoint(VALIDATION, TEST)
    assert choice.chosen == 2
    assert choice.validation == pytest.approx((24 + 13 + 31 + 5) / 128)
    assert choice.test == pass_rate_interval(TEST[0][2], 32)
    other = select_checkpoint(VALIDATION, ([[32] * 4, [32] * 4, TEST[0][2]], 32))
    assert (other.chosen, other.test) == (choice.chosen, choice.test)
    assert (other.best_on_test, other.best_test) == (0, 1.0)


def test_ties_go_to_the_earliest_and_are_named():
    """Equal validation rates choose the first checkpoint, and a warning says so."""
    choice = select_checkpoint(([[3, 5], [4, 4], [1, 1]], 8), ([[3, 3], [4, 4], [5, 5]], 8))
    assert (choice.chosen, choice.tied) == (0, (0, 1))
    assert any("share the best validation rate" in warning for warning in choice.warnings)


def test_the_same_seed_gives_the_same_splits():
    """Splits are random with a seed of their own."""
    runs = [select_checkpoint(VALIDATION, TEST, seed=seed, splits=50) for seed in (1, 1, 2)]
    assert runs[0].inflation == runs[1].inflation != runs[2].inflation
    assert runs[0].picks.sum() == 50


def test_equal_checkpoints_are_inflated_as_the_theory_says():
    """Eight equal checkpoints, tenths of a test: the pick scores E[max Z] standard errors more on what picked it."""
    rng = np.random.default_rng(0)
    found = []
    for i in range(60):
        c = rng.binomial(80, 0.75, (8, 5))
        choice = select_checkpoint((c, 80), (c, 80), estimand="these-tasks", parts=10, splits=50, seed=i)
        assert choice.split_size == 8
        found.append(choice.inflation)
    se = np.sqrt(0.75 * 0.25 / 40)  # 8 samples of each of 5 tasks
    # the scoring nine tenths know a little of the same checkpoint's luck, which the tenth then lacks
    assert np.mean(found) == pytest.approx(se * expected_maximum(8), rel=0.12)


def test_splits_of_tasks_and_of_samples_differ():
    """Tasks like these are split by task, these tasks by sample."""
    by_task = select_checkpoint(VALIDATION, TEST)
    by_sample = select_checkpoint(VALIDATION, TEST, estimand="these-tasks")
    assert (by_task.split_size, by_sample.split_size) == (2, 16)
    assert by_sample.test.method == "stratified-wilson"


@pytest.mark.parametrize(
    ("test", "estimand"), [(([[3], [4]], 8), "tasks-like-these"), (([[1, 0], [0, 1]], 1), "these-tasks")]
)
def test_what_cant_be_split_has_no_inflation(test, estimand):
    """One task, or one sample a task, gives a choice without an estimate of the inflation."""
    choice = select_checkpoint(([[1, 1], [0, 1]], 2), test, estimand=estimand)
    assert choice.inflation is None
    assert choice.n_splits == 0
    assert any("can't be split" in warning for warning in choice.warnings)


def test_unequal_samples_are_split_in_proportion():
    """Tasks with different numbers of samples are split each by itself."""
    n = [[8, 16, 4], [8, 16, 4]]
    choice = select_checkpoint(([[4, 8, 2], [5, 8, 2]], n), ([[4, 8, 2], [5, 8, 2]], n), estimand="these-tasks")
    assert abs(choice.inflation) < 0.5


@pytest.mark.parametrize(
    ("validation", "test", "words"),
    [
        (([[1, 2]], 4), ([[1, 2], [1, 2]], 4), "1 checkpoints in validation and 2 in test"),
        (([1, 2], 4), ([1, 2], 4), "checkpoints, tasks"),
        ([[1, 2]], ([[1, 2]], 4), "pair"),
        (([[5, 2]], 4), ([[1, 2]], 4), "5 successes of 4"),
    ],
)
def test_what_makes_no_sense_is_refused(validation, test, words):
    """Mismatched checkpoints, shapes and counts are errors that say what is wrong."""
    with pytest.raises(InvalidInputError, match=words):
        select_checkpoint(validation, test)
