"""17.6: three channels by which held-out tasks could leak."""

import numpy as np
import pytest

from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent import build_tokenizer, make_tasks
from tinyagent.chapter import s17_6
from tinyagent.gym.words import words


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The shipped run, its evaluations remembered."""
    return ShippedLab(cache=tmp_path_factory.mktemp("cache"), seeds=(0, 1))


def test_words_of_held_out_tasks_alone():
    """They are in no training program, and in some held-out one."""
    every = build_tokenizer(make_tasks("all")).vocabulary
    found = {every[number] for number in s17_6.unseen_words()}
    assert found
    assert not any(found & set(words(task.source)) for task in make_tasks("train"))
    assert any(found & set(words(task.source)) for task in make_tasks("held-out"))


def test_a_third_of_all_training_carries_a_held_out_name(lab):
    """Ten of the twenty-nine names that an episode may get, in demonstrations as in training."""
    for share in (s17_6.demonstrations_with_a_held_out_name(0), s17_6.episodes_with_a_held_out_name(lab)):
        assert share.low < 10 / 29 < share.high
        assert share.n_samples >= 1600


def test_the_leak_moves_nothing(lab):
    """Names of either side, and shuffled vectors of words that training never saw, leave step 80 where it is."""
    usual = s17_6.counts_from(lab, 0, "all").sum()
    others = [s17_6.counts_from(lab, 0, pool).sum() for pool in ("train", "held-out")]
    others.append(s17_6.counts_without_words(lab, 0, s17_6.unseen_words()).sum())
    assert np.abs(np.array(others) - usual).max() <= 0.02 * 320


def test_the_section(lab):
    """Three channels, three of them closed in turn, and the paragraph says their numbers."""
    section = s17_6.run(lab)
    tables = {table.name: table for table in section.tables}
    assert [row[0] for row in tables["channels"].rows] == ["vocabulary", "cloning", "renaming"]
    assert len(tables["effects"].rows) == 4
    assert tables["channels"].rows[0][1].split(" words")[0] in section.measured
