"""17.5: one field of the harness moves the number."""

from dataclasses import fields, replace

import numpy as np
import pytest

from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent import GymHarness
from tinyagent.chapter import s17_5


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The shipped run, its evaluations remembered."""
    return ShippedLab(cache=tmp_path_factory.mktemp("cache"), seeds=(0, 1))


def test_seven_changes_of_one_field():
    """And the training harness before them."""
    assert s17_5.CHANGES["as in training"] == {}
    assert len(s17_5.CHANGES) == 8
    for name, change in s17_5.CHANGES.items():
        harness = replace(GymHarness(), **change)
        moved = [one.name for one in fields(harness) if getattr(harness, one.name) != getattr(GymHarness(), one.name)]
        assert len(moved) == (name != "as in training")


def test_what_the_agent_uses_moves_its_number_and_what_it_does_not_use_does_not(lab):
    """The shipped step 80: fewer turns and a flatter distribution cost, a sharper one and names cost nothing."""
    rate = {name: s17_5.counts_under(lab, 0, 80, **change).mean() / 32 for name, change in s17_5.CHANGES.items()}
    usual = rate["as in training"]
    assert rate["three turns"] < usual - 0.05
    assert rate["temperature 1.3"] < usual - 0.03
    assert rate["temperature 0.7"] >= usual
    assert rate["greedy"] >= usual
    assert rate["names not drawn"] == pytest.approx(usual, abs=0.02)
    assert rate["ten turns"] == pytest.approx(usual, abs=0.02)


def test_greedy_counts_are_all_or_nothing_where_the_prompt_is_fixed(lab):
    """For base agent and step 80; sampled counts are not."""
    for step in (0, 80):
        fixed = s17_5.counts_under(lab, 0, step, temperature=0.0, randomize_names=False)
        assert set(fixed.tolist()) <= {0, 32}
    sampled = s17_5.counts_under(lab, 0, 0)
    assert ((sampled > 0) & (sampled < 32)).all()


@pytest.mark.slow
def test_the_section(lab):
    """A row a harness, a row a task, and the largest change of the table in the paragraph."""
    section = s17_5.run(lab)
    tables = {table.name: table for table in section.tables}
    assert [row[0] for row in tables["harnesses"].rows] == list(s17_5.CHANGES)
    assert len(tables["greedy"].rows) == 10
    largest = max(abs(row[3]) for row in tables["harnesses"].rows[1:])
    assert f"by up to {largest:.2f}" in section.measured
    changes = np.array([row[5:8] for row in tables["seeds"].rows[1:]], float)
    assert (changes[:, 1] <= changes[:, 0]).all()
    assert (changes[:, 0] <= changes[:, 2]).all()
