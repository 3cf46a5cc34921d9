"""What varies in a run, and what a quarantine did, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.words import count, elide, interval, listed, many, percent, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.aggregate import Flakiness, QuarantineEffect
    from passband.stats import Estimate

__all__ = ["quarantine_notes", "render_flakiness"]

_SHOWN = 20


def render_flakiness(found: Flakiness) -> str:
    """Render what varies: the subject, the tests, or both."""
    return "\n".join(_lines(found))


def _lines(f: Flakiness) -> Iterator[str]:
    flaky = [case for case in f.cases if case.flaky]
    word = "FLAKY" if flaky else "STEADY" if f.flip_rate is not None else "UNKNOWN"
    yield (
        f"{word}  {f.run_id}  {many(len(f.cases), 'case')}: {f.mixed_only} mixed (the subject varies) · {f.flaky_only} "
        f"flaky (the verdict varies) · {f.both} both"
    )
    yield ""
    if flaky:
        rows = [("case", "passed", "answers", "verdict flips")]
        rows += [
            (elide(case.id, 44), f"{case.passed}/{case.graded}", str(case.answers), f"{case.flips} of {case.gradings}")
            for case in sorted(flaky, key=lambda case: (-case.flips, case.id))[:_SHOWN]
        ]
        yield from table(rows, "<>>>")
        yield ""
    if f.flip_rate is None:
        yield "verdict flips  unknown: no answer was graded twice; grade them again with --regrade 3"
    else:
        value = f"{percent(float(f.flip_rate.value))}% {interval(f.flip_rate)}"
        yield f"verdict flips  {value} of repeated gradings; {count(f.regraded)} were made for this"
    yield f"pass@1         {_estimate(f.with_flaky)} with the flaky cases, {_estimate(f.without_flaky)} without"


def _estimate(estimate: Estimate | None) -> str:
    return "–" if estimate is None else f"{percent(float(estimate.value))} {interval(estimate)}"


def quarantine_notes(run_id: str, effect: QuarantineEffect) -> list[str]:
    """Say what is set aside and what that does to the number, in lines."""
    notes = []
    if effect.set_aside:
        notes.append(
            f"quarantine: {many(len(effect.set_aside), 'case')} of {run_id} set aside "
            f"({listed(effect.set_aside, 60)}); "
            f"pass@1 is {_estimate(effect.without)} without, {_estimate(effect.with_all)} with"
        )
    if effect.expired:
        notes.append(f"quarantine: expired, counting again: {listed(effect.expired, 60)}")
    if effect.unknown:
        notes.append(f"quarantine: not in {run_id}: {listed(effect.unknown, 60)}")
    return notes
