"""A choice among runs, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.words import count, elide, interval, percent, points, table, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passband.compare import Selection

__all__ = ["render_selection"]


def render_selection(selection: Selection, *, seen: int, reports: Sequence[str]) -> str:
    """Render a choice.

    Parameters
    ----------
    selection : Selection
        What was chosen, and its number.
    seen : int
        Models that the test set has seen, this one included.
    reports : sequence of str
        Earlier reports of a number of that test set, a line each.
    """
    return "\n".join(_lines(selection, seen, reports))


def _lines(s: Selection, seen: int, reports: Sequence[str]) -> Iterator[str]:
    yield from wrapped(
        f"{s.chosen} by the rule {s.rule!r} on {s.part}; {s.n_tied} of {len(s.candidates)} can't be told apart from "
        "the best there",
        first="CHOSEN  ",
        indent="        ",
    )
    yield ""
    rows = [("", "run", f"{s.part} pass@1", "95% CI" if not s.candidates else _level(s))]
    rows += [
        (
            "→" if c.chosen else "=" if c.may_be_best else "",
            elide(c.run_id, 44),
            percent(float(c.chosen_on.value)),
            interval(c.chosen_on),
        )
        for c in s.candidates
    ]
    yield from table(rows, "<<><")
    yield ""
    if s.inflation is not None:
        yield from _inflated(s)
    elif s.test is not None:
        on = f"{count(s.test.n_tasks)} tasks of {s.test_run}"
        yield f"test    {percent(float(s.test.value))} {interval(s.test)}  {on}"
        yield "        No choice has touched this number. The → on the part that chose is too high: do not quote it."
    else:
        yield f"test    not evaluated yet: run {s.chosen}'s subject on it, and name that run with --test"
    yield f"ledger  test set {s.test_digest[:8]} ({count(s.n_test_cases)} cases) has seen {seen} models"
    for line in reports:
        yield f"        reported before: {line}"
    yield ""
    yield f"rule {s.rule_digest[:8]}"


def _level(s: Selection) -> str:
    return f"{100 * s.candidates[0].chosen_on.level:.4g}% CI"


def _inflated(s: Selection) -> Iterator[str]:
    found = s.inflation
    assert found is not None
    yield f"CHOSEN ON TEST: {percent(float(found.observed.value))} is too high on average."
    equal = f"{points(found.expected_if_equal)} if all were equally good"
    yield f"  inflation   about {points(found.expected)} points; {equal}"
    yield f"  corrected   {interval(found.corrected)}  covers in spite of the choice"
    yield f"  (unadjusted {interval(found.observed)}  does not)"
