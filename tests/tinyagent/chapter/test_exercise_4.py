"""Exercise 4: every family held out."""

from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent.chapter import exercise_4
from tinyagent.gym import FAMILY_NAMES


def test_the_section(tmp_path, monkeypatch):
    """A row a family and a row a run; agents that were trained on all families do not fall, which it says."""
    monkeypatch.setattr(exercise_4, "SEEDS", 1)
    section = exercise_4.run(ShippedLab(cache=tmp_path))
    families, runs = section.tables
    assert [row[0] for row in families.rows] == list(FAMILY_NAMES)
    assert [row[0] for row in runs.rows] == list(FAMILY_NAMES)
    assert [row[5] for row in families.rows] == [0] * 5
    assert "in 0 of 5 runs" in section.measured
    assert "for none" in section.measured
