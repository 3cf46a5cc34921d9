from dataclasses import replace

import pytest

from passband.compare import ActionShift, compare_coverage
from passband.report import render_narrowing
from tests.tables import table


def counts(successes, n, name):
    return table({f"c{i}": "P" * c + "F" * (n - c) for i, c in enumerate(successes)}, run_id=name)


def test_a_subject_that_solves_half_for_sure_and_half_never_narrows():
    """Against one that solves everything sometimes it is ahead at k = 1, behind at k = n, and both are shown."""
    base = counts([4] * 40, 16, "base")
    cand = counts([16] * 22 + [0] * 18, 16, "cand")
    found = compare_coverage(base, cand)
    assert found.ks == (1, 2, 4, 8, 16)
    assert found.verdict == "narrows"
    assert found.points[0].estimate.low > 0
    assert found.points[-1].estimate.high < 0
    assert found.crossing.observed in {2, 4}
    assert len(found.lost) == 18
    assert sum(entry.share for entry in found.lost) == pytest.approx(1)
    assert compare_coverage(cand, base).verdict == "widens"
    text = render_narrowing(found)
    assert text.startswith("NARROWS")
    assert max(map(len, text.split("\n"))) <= 100


def test_a_loss_on_one_case_is_seen_as_that():
    """Where one task carries the whole deficit at large k, the curves cross as observed and nothing is claimed."""
    base = counts([3, 2, 4, 3, 10], 32, "base")
    cand = counts([31, 30, 32, 32, 0], 32, "cand")
    found = compare_coverage(base, cand)
    assert found.crossing.observed is not None
    assert found.verdict != "narrows"
    assert found.crossing.by is None
    assert "not shown to" in render_narrowing(found)
    assert [(entry.case.id, round(entry.share, 6)) for entry in found.lost] == [("c4", 1.0)]


def test_equal_runs_are_unclear_and_answers_are_counted():
    """Nothing is shown of a run against itself; different answers are counted per case."""
    made = table({"x": "P1P1F2F3", "y": "P1F2F2F2"})
    found = compare_coverage(made, made)
    assert found.verdict == "unclear"
    assert found.crossing.observed is None
    assert found.answers == (2.5, 2.5)


def test_a_loss_is_looked_for_where_it_is_largest():
    """A case that still succeeds once covers everything at k = n; what it lost shows at a smaller k."""
    base = counts([4, 4, 10], 16, "base")
    cand = counts([16, 16, 1], 16, "cand")
    found = compare_coverage(base, cand)
    assert found.ks[-1] == 16
    # Losses of c2 at k = 1, 2, 4, 8: .5625, .75, .7418, .5.
    assert found.lost_at == 2
    assert [entry.case.id for entry in found.lost] == ["c2"]
    assert found.lost[0].loss == pytest.approx((1 - 15 / 120) - 2 / 16)


def test_the_actions_that_replaced_the_old_ones_are_shown():
    """Those that gained most and those that lost most stand below the case, with whether they solve it."""
    found = compare_coverage(counts([4, 10], 16, "base"), counts([16, 0], 16, "cand"))
    shifts = (ActionShift("compare", 1, 14, 0), ActionShift("guard", 10, 0, 10))
    lost = (replace(found.lost[0], actions=shifts), *found.lost[1:])
    lines = [line.strip() for line in render_narrowing(replace(found, lost=lost)).split("\n")]
    assert "more compare 1→14" in lines
    assert "less guard 10→0  solves" in lines
