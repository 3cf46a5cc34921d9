"""17.9: noise, drift, a reused reward and a choice by test, in numbers."""

import pytest

from tests.tinyagent.chapter.shipped_lab import ShippedLab
from tinyagent.chapter import s17_9


def test_scripted_policies_score_what_the_chapter_says():
    """The stacker 0.20 and 0.60 under two harnesses, the hacker 1.00 and 0.00 by two rewards: exactly."""
    assert s17_9.scripted() == ((0.2, pytest.approx(0.6)), (1.0, 0.0))


@pytest.mark.slow
def test_the_section(tmp_path):
    """Eight evaluations a seed differ; more candidates have more to win by luck; the paragraph says the range."""
    section = s17_9.run(ShippedLab(cache=tmp_path, seeds=(0, 1)))
    tables = {table.name: table for table in section.tables}
    first = tables["noise"].rows[0]
    assert len(first) == 10
    assert first[-1] == pytest.approx(max(first[1:9]) - min(first[1:9]))
    assert 0 < first[-1] <= 0.2
    assert f"between {min(first[1:9]):.3f} and {max(first[1:9]):.3f}" in section.measured
    assert [row[0] for row in tables["selection"].rows] == [f"the last {m} of 8" for m in (2, 4, 8)]
    assert all(row[2] > 0 for row in tables["selection"].rows)
