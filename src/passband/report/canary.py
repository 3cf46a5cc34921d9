"""What reference subjects say of a harness, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.words import elide, percent, points, printable, span, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.compare import CanaryReport

__all__ = ["render_canary"]

_GLYPHS = {"held": "✓", "moved": "✗", "unclear": "?"}
_SHOWN = 4


def render_canary(report: CanaryReport) -> str:
    """Render a canary check: the word first, then each subject, what differs, and what can't be seen."""
    return "\n".join(_lines(report))


def _lines(report: CanaryReport) -> Iterator[str]:
    held = sum(perch.outcome == "held" for perch in report.perches)
    yield f"{report.outcome.upper()}  {_held(held, len(report.perches))}"
    yield ""
    wide = min(36, max((len(perch.subject) for perch in report.perches), default=0))
    for perch in report.perches:
        rates = f"{percent(perch.recorded)} → {percent(perch.now)}"
        if perch.difference is not None:
            rates += f"  Δ {points(float(perch.difference.value))} {span(perch.difference)}"
        head = f"  {_GLYPHS[perch.outcome]} {elide(perch.subject, wide):{wide}}  {rates}"
        if len(head) + 2 + len(perch.reason) <= 100:
            yield f"{head}  {perch.reason}"
        else:
            yield head
            yield from wrapped(perch.reason, first=" " * 8, indent=" " * 8)
        if perch.moved and perch.outcome != "held":
            shown = "  ".join(
                f"{elide(m.id, 30)} ({m.baseline[0]}/{m.baseline[1]}→{m.candidate[0]}/{m.candidate[1]})"
                for m in perch.moved[:_SHOWN]
            )
            yield from wrapped(f"look first at {shown}", first=" " * 8, indent=" " * 10)
    if report.differences:
        yield ""
        yield "differs from the recorded harness"
        for found in report.differences:
            one, two = (elide(printable(str(side)), 30) for side in (found.baseline, found.candidate))
            yield from wrapped(f"{found.field}  {one} → {two}", first="  ", indent="      ")
    if report.blind:
        yield ""
        for blind in report.blind:
            yield from wrapped(blind, first="blind to  ", indent=" " * 10)


def _held(held: int, of: int) -> str:
    if of == 1:
        return f"the one reference subject {'scores' if held else 'does not score'} what it scored"
    return f"{held} of {of} reference subjects score what they scored"
