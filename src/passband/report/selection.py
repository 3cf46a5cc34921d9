"""A choice among runs, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.words import count, elide, interval, many, percent, points, table, wrapped

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
    if s.settled:
        said = f"{s.chosen} by the rule {s.rule!r} on {s.part}; {_tied(s)}"
        yield from wrapped(said, first="CHOSEN  ", indent="        ")
    else:
        said = (
            f"by the rule {s.rule!r} on {s.part} it is {s.chosen} so far, but samples without a verdict could turn the "
            "choice: draw them again with passband run … --resume --retry-errored"
        )
        yield from wrapped(said, first="NOT SETTLED  ", indent=" " * 13)
    yield ""
    rows = [("", "run", f"{s.part} pass@1", _level(s), "infra errors", "whatever they were")]
    rows += [
        (
            "→" if c.chosen else "=" if c.may_be_best else "",
            elide(c.run_id, 44),
            percent(float(c.chosen_on.value)),
            interval(c.chosen_on),
            f"{count(c.errored)} of {count(c.drawn)}",
            f"{percent(c.bounds[0])} to {percent(c.bounds[1])}" if c.errored else "",
        )
        for c in s.candidates
    ]
    yield from table(rows, "<<><><")
    yield ""
    if not s.settled:
        yield "test    no number: none is given before the choice is settled"
    elif s.inflation is not None:
        yield from _inflated(s)
    elif s.test is not None:
        on = f"{many(s.test.n_tasks, 'task')} of {s.test_run}"
        yield f"test    {percent(float(s.test.value))} {interval(s.test)}  {on}"
        said = f"{_untouched(s, seen)} The → on the part that chose is too high: do not quote it."
        yield from wrapped(said, first=" " * 8, indent=" " * 8)
    else:
        yield f"test    not evaluated yet: run {s.chosen}'s subject on it, and name that run with --test"
    yield f"ledger  test set {s.test_digest[:8]} ({many(s.n_test_cases, 'case')}) has seen {many(seen, 'model')}"
    for line in reports:
        yield f"        reported before: {line}"
    yield ""
    yield f"rule {s.rule_digest[:8]}"


def _tied(s: Selection) -> str:
    others, tied = len(s.candidates) - 1, s.n_tied - 1  # the best can't be told apart from itself
    if not tied:
        return "every other one is told apart from the best there"
    return f"{tied} of the {others} others can't be told apart from the best there"


def _untouched(s: Selection, seen: int) -> str:
    if seen < 2:
        return "No choice has touched this number."
    return f"This choice, on {s.part}, has not touched this number; any made by what {seen} models show on test has."


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
