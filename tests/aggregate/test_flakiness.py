import datetime as dt

import pytest

from passband.aggregate import dump_quarantine, flakiness, read_quarantine, set_aside
from passband.aggregate.quarantine import QuarantinedCase
from passband.errors import DataError, UsageError
from passband.report import quarantine_notes, render_flakiness
from tests.tables import table

TODAY = dt.date(2026, 3, 1)


def by_id(found):
    return {case.id: case for case in found.cases}


def test_a_subject_that_varies_is_mixed_and_a_verdict_that_varies_is_flaky():
    """Different answers with different verdicts are mixed; equal answers with both verdicts are flaky; both can be."""
    found = flakiness(
        table({"mixed": "P1F2P1", "flaky": "P1F1P1", "both": "P1F1P1F2", "steady": "P1P1P2", "broken": "FE"})
    )
    cases = by_id(found)
    assert {name: (case.mixed, case.flaky) for name, case in cases.items()} == {
        "mixed": (True, False),
        "flaky": (False, True),
        "both": (True, True),
        "steady": (False, False),
        "broken": (False, False),
    }
    assert (found.mixed_only, found.flaky_only, found.both) == (1, 1, 1)
    assert cases["flaky"].flips == 1
    assert cases["flaky"].gradings == 3


def test_grading_again_tells_a_flaky_case_that_looked_mixed():
    """Two answers with different verdicts look mixed until one of them gets both."""
    made = table({"x": "P1F2"})
    assert by_id(flakiness(made))["x"].mixed
    found = flakiness(made, {("x", 1): [True, True, True], ("x", 2): [True, True, True]})
    case = by_id(found)["x"]
    assert case.flaky
    assert not case.mixed
    assert (case.flips, case.gradings) == (1, 8)
    assert found.regraded == 6
    assert found.flip_rate.value == pytest.approx(1 / 8)
    steady = flakiness(made, {("x", 1): [True] * 3, ("x", 2): [False] * 3})
    assert by_id(steady)["x"].mixed
    assert not by_id(steady)["x"].flaky


def test_no_repeated_grading_is_said_to_tell_nothing():
    """Where no answer was graded twice the flip rate is unknown, not zero."""
    text = render_flakiness(flakiness(table({"x": "PF"})))
    assert "unknown: no answer was graded twice" in text


def test_a_quarantine_holds_until_its_last_day_and_shows_what_it_does(tmp_path):
    """A case is left out up to its last day, counts again from the next, and the number is shown with and without."""
    path = tmp_path / "quarantine.toml"
    cases = [
        QuarantinedCase(id='odd "name"', until=TODAY, reason="flaky: 3 of 9\nflipped"),
        QuarantinedCase(id="old", until=TODAY - dt.timedelta(days=1), reason="was flaky"),
        QuarantinedCase(id="gone", until=TODAY, reason="not in the run"),
    ]
    path.write_text(dump_quarantine(cases))
    quarantine = read_quarantine(path)
    assert quarantine.case == tuple(cases)
    made = table({'odd "name"': "FF", "old": "PP", "x": "PP", "y": "PF"})
    left, effect = set_aside(made, quarantine, TODAY)
    assert left.header.case_ids == ("old", "x", "y")
    assert effect.set_aside == ('odd "name"',)
    assert effect.expired == ("old",)
    assert effect.unknown == ("gone",)
    assert effect.with_all.value == pytest.approx(5 / 8)
    assert effect.without.value == pytest.approx(5 / 6)
    notes = " ".join(quarantine_notes("run", effect))
    assert "83.3" in notes
    assert "62.5" in notes
    assert "counting again: old" in notes
    with pytest.raises(DataError, match="every case"):
        set_aside(table({'odd "name"': "FF"}), quarantine, TODAY)


@pytest.mark.parametrize(
    "text",
    ['[[case]]\nid = "x"\n', '[[case]]\nid = "x"\nuntil = "soon"\nreason = "r"\n', "[[case", '[[cases]]\nid = "x"\n',
     '[[case]]\nid = "x"\nuntil = 2026-01-01\nreason = "r"\n[[case]]\nid = "x"\nuntil = 2026-01-01\nreason = "r"\n'],
)  # fmt: skip
def test_a_quarantine_without_an_end_is_refused(tmp_path, text):
    """No expiry, no date, broken TOML, unknown keys, a case twice: usage errors."""
    path = tmp_path / "q.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match="q.toml"):
        read_quarantine(path)
