"""What section 17.6 and exercise 4 measure of a family that was left out."""

import numpy as np
import pytest

from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent import make_tasks
from tinyagent.chapter import Evaluation
from tinyagent.chapter.families import Apart, apart, entropy, first_edit_right
from tinyagent.chapter.lab import NO_EDIT
from tinyagent.gym import OPERATORS


def evaluation(first_edit, successes=()):
    """Make an evaluation of which only first edits and some successes matter."""
    first_edit = np.array(first_edit)
    success = np.zeros(first_edit.shape, np.bool_)
    for place in successes:
        success[place] = True
    return Evaluation(success, first_edit, np.ones(first_edit.shape, np.int64))


def test_entropy_by_hand():
    """0 where a task's episodes agree, log 2 for two halves, averaged over tasks; no edit is a choice as well."""
    assert entropy(evaluation([[3, 3, 3, 3]])) == 0.0
    assert entropy(evaluation([[3, 3, NO_EDIT, NO_EDIT], [1, 1, 1, 1]])) == pytest.approx(np.log(2) / 2)
    assert entropy(evaluation([list(range(6))])) == pytest.approx(np.log(6))


def test_first_edits_that_are_right():
    """Counted over all episodes, those without an edit included."""
    tasks = make_tasks("family:zero")[:2]
    right, wrong = OPERATORS.index("add_zero_guard"), OPERATORS.index("fix_init")
    assert first_edit_right(evaluation([[right, wrong], [NO_EDIT, right]]), tasks) == 0.5


def test_a_family_collapsed_where_it_succeeds_less_often_than_before():
    """Equal counts are no collapse."""
    none, one = evaluation([[0, 0]]), evaluation([[0, 0]], [(0, 1)])
    assert Apart(0, "zero", (one, none), (one, one)).collapsed
    assert not Apart(0, "zero", (one, one), (one, one)).collapsed


def test_a_run_is_evaluated_on_the_family_and_on_the_variants_of_the_others(tmp_path):
    """Six tasks and eight; base agent first. The shipped agents were trained on all, so that no family falls."""
    (found,) = apart(ShippedLab(cache=tmp_path), "zero", [0])
    assert [one.success.shape for one in (*found.unseen, *found.variants)] == [(6, 32)] * 2 + [(8, 32)] * 2
    assert not found.collapsed
    assert entropy(found.unseen[0]) > 1.5
    assert entropy(found.unseen[1]) < 1.0
