"""Two runs side by side, as terminal text."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from passband.report.footnotes import GLYPHS, footnotes
from passband.report.forest import Forest
from passband.report.words import (
    FEWEST_TASKS,
    WIDTH,
    count,
    elide,
    folded,
    listed,
    many,
    money,
    narrowed,
    next_line,
    percent,
    points,
    printable,
    seconds,
    show_command,
    significance,
    span,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passband.compare import Comparison, CurvePoint, SliceDifference, Word
    from passband.stats import Estimate

__all__ = ["render_comparison"]

_LABEL = 16  # the widest label; longer ones lose their middle
_SHOWN_CASES = 3


def render_comparison(
    comparison: Comparison,
    *,
    next_steps: Sequence[str] | None = None,
    names: tuple[str, str] | None = None,
    at: str = "",
    columns: int = WIDTH,
) -> str:
    """Render a comparison: the verdict first, then what it rests on.

    Parameters
    ----------
    comparison : Comparison
        What to render.
    next_steps : sequence of str, optional
        Commands to offer; where left out, those that look into this comparison.
    names : tuple of str, optional
        What a command calls baseline and candidate; their ids where left out.
    at : str
        What else a command needs to find them, for example ``--store other.db``.
    columns : int
        Where there are fewer than :data:`passband.report.words.WIDTH`, the drawing is left out and long lines fold.
    """
    called = names or (comparison.baseline, comparison.candidate)
    steps = _next(comparison, called, f" {at}" if at else "") if next_steps is None else next_steps
    if columns >= WIDTH:
        return "\n".join(_lines(comparison, steps))
    return narrowed("\n".join(_lines(comparison, steps, drawn=False)), columns)


def _lines(c: Comparison, steps: Sequence[str], *, drawn: bool = True) -> Iterator[str]:
    yield from _headline(c)
    for suspicion in c.suspicions:
        yield from wrapped(suspicion.message, first="! ", indent="  ")
    yield ""
    yield from _conditions(c)
    yield ""
    yield from _rows(c, drawn=drawn)
    yield ""
    yield from _curves(c)
    yield from _facts(c)
    yield ""
    yield from footnotes(c)
    if steps:
        yield ""
        yield next_line(steps)


def _headline(c: Comparison) -> Iterator[str]:
    estimate = c.difference.estimate
    value = float(estimate.value)
    far = f"is {abs(100 * value):.1f} {_unit(value)} {'above' if value > 0 else 'below'}"
    if points(value) == "0.0":
        far = "does not differ from" if value == 0 else f"is less than 0.1 points {'above' if value > 0 else 'below'}"
    margin = f"; margin is {100 * c.margin:.3g}" if c.margin else ""
    level = f"{100 * estimate.level:.4g}% CI"
    word = c.verdict.upper()
    yield from wrapped(
        f"{c.candidate} {far} {c.baseline} on pass@1, {level} {span(estimate)}{margin}{_turned(c)}",
        first=f"{word}  ",
        indent=" " * (len(word) + 2),
    )


def _unit(value: float) -> str:
    return "point" if f"{abs(100 * value):.1f}" == "1.0" else "points"


def _turned(c: Comparison) -> str:
    """What samples without a verdict do to the headline: take it back, or leave it fragile."""
    if c.taken_back:
        lost = many(sum(c.fragility.missing), "sample") if c.fragility is not None else ""
        ends = f"{points(c.worst_case[0])} to {points(c.worst_case[1])}"
        return f"; but {lost} without a verdict could turn it: Δ is {ends} ²"
    return "; FRAGILE ²" if c.fragile else ""


def _conditions(c: Comparison) -> Iterator[str]:
    each = str(c.samples[0]) if c.samples[0] == c.samples[1] else f"{c.samples[0]} and {c.samples[1]}"
    drawn = many(1, "sample") if each == "1" else f"{each} samples"
    yield f"  same    suite {_short(c.suite)} · {many(c.n_shared, 'task')} × {drawn} · grader {_short(c.grader)}"
    label = "differ"
    pairs: list[tuple[str, Any, Any]] = [("subject", *c.subjects)] if c.subjects[0] != c.subjects[1] else []
    pairs += [(found.field, found.baseline, found.candidate) for found in c.harness_differences]
    for name, one, two in pairs:
        yield from wrapped(f"{name}  {_short(one)} → {_short(two)}", first=f"  {label:6}  ", indent=" " * 14)
        label = ""
    for name, lost in ((c.baseline, c.only_baseline), (c.candidate, c.only_candidate)):
        if lost:
            head = f"  lost    {many(len(lost), 'case')} that only {elide(name, 30)} has verdicts of, in no number: "
            yield head + listed(lost, max(WIDTH - len(head), 12))


def _short(value: Any) -> str:
    return "–" if value is None else elide(printable(str(value)), 38)


def _rows(c: Comparison, *, drawn: bool) -> Iterator[str]:
    names = list(dict.fromkeys(part.slice for part in c.slices))
    parts = {name: [part for part in c.slices if part.slice == name] for name in names}
    parts = {name: found for name, found in parts.items() if len(found) > 1}
    shown = {name: [part for part in found if _n(part) >= FEWEST_TASKS] for name, found in parts.items()}
    labels = [
        *(f"by {name}" for name in parts),
        *(f"  {p.value}" for found in shown.values() for p in found),
        "task set",
    ]
    wide = min(_LABEL, max(len(label) for label in labels))
    n_wide = max(3, len(count(c.n_shared)))
    taken = wide + 2 + n_wide + 2 + 13 + 2 + 5 + 1 + 16 + 2 + 2 + 5 + 1 + 9
    others = [part.difference.estimate for found in shown.values() for part in found]
    forest = Forest(c.difference.estimate, others, margin=c.margin, width=max(15, min(25, WIDTH - taken)))

    def row(label: str, n: str, rates: str, delta: str, drawing: str, p: str, glyph: str) -> str:
        left = f"{elide(label, wide):{wide}}  {n:>{n_wide}}  {rates:>13}  {delta:<22}"
        middle = f"  {drawing:{forest.width}}" if drawn else ""
        return f"{left}{middle}  {p:>5} {glyph}".rstrip()

    level = 100 * c.difference.estimate.level
    yield row("", "", "pass@1 %    ", f"Δ points, {level:.4g}% CI ¹", forest.numbers, "p ¹", "")
    yield row("task set", "n", "base    cand", "", forest.ticks, "", "")
    yield row(
        "ALL", count(c.n_shared), *_numbers(c.rates, c.difference.estimate, forest), significance(c.difference.p_value),
        _glyph(c.verdict, taken_back=c.taken_back),
    )  # fmt: skip
    for name, found in parts.items():
        yield elide(f"by {name}", WIDTH)
        for part in shown[name]:
            rates = part.baseline, part.candidate
            numbers = _numbers(rates, part.difference.estimate, forest)
            yield row(
                f"  {part.value}",
                str(_n(part)),
                *numbers,
                significance(part.p_value),
                _glyph(part.verdict, taken_back=part.taken_back),
            )
        small = [f"{part.value} {_n(part)}" for part in found if _n(part) < FEWEST_TASKS]
        if small:
            yield folded(small)


def _glyph(word: Word, *, taken_back: bool) -> str:
    return GLYPHS[word] + (" ²" if taken_back else "")


def _n(part: SliceDifference) -> int:
    return part.difference.estimate.n_tasks


def _numbers(rates: tuple[float, float], estimate: Estimate, forest: Forest) -> tuple[str, str, str]:
    delta = f"{points(float(estimate.value)):>5} {span(estimate, width=5)}"
    return f"{percent(rates[0])} → {percent(rates[1]):>5}", delta, forest.draw(estimate)


def _curves(c: Comparison) -> Iterator[str]:
    for k in dict.fromkeys(point.k for point in c.curves):
        at, hat = (next(p for p in c.curves if p.k == k and p.kind == kind) for kind in ("pass@k", "pass^k"))
        yield f"{_point(f'pass@{k}', at, 13):48}  {_point(f'pass^{k}', hat, 9)}"


def _point(name: str, point: CurvePoint, width: int) -> str:
    rates = f"{percent(point.baseline)} → {percent(point.candidate)}"
    return f"{name:{width}}{rates:>13}  {points(float(point.difference.value)):>5} {span(point.difference)}"


def _facts(c: Comparison) -> Iterator[str]:
    d = c.difference
    tasks = f"tasks        {d.n_worse} down · {d.n_better} up · {d.n_equal} equal"
    moved = [
        f"{elide(m.id, 40)} {m.baseline[0]}/{m.baseline[1]}→{m.candidate[0]}/{m.candidate[1]}"
        for m in c.most_moved[:_SHOWN_CASES]
        if max(c.samples) > 1  # of single samples none moved more than another
    ]
    if moved and len(line := f"{tasks}    most moved  {' · '.join(moved)}") <= WIDTH:
        yield line
    else:
        yield tasks
        if moved:
            yield from wrapped(" · ".join(moved), first="most moved   ", indent=" " * 13)
    if c.common_seeds is not None:
        s = c.common_seeds
        yield (
            f"samples      {count(s.both)} pass in both · {count(s.only_baseline)} in base only · "
            f"{count(s.only_candidate)} in cand only · {count(s.neither)} in neither"
        )
    m = c.metered
    parts = []
    if m.cost_usd[0] is not None and m.cost_usd[1] is not None:
        parts.append(f"{money(m.cost_usd[0])} → {money(m.cost_usd[1])}{_change(m.cost_usd[0], m.cost_usd[1])}")
    if any(m.tokens):
        parts.append(f"{m.tokens[0]:,.0f} → {m.tokens[1]:,.0f} tokens{_change(*m.tokens)}")
    if any(m.seconds):
        parts.append(f"{seconds(m.seconds[0])} → {seconds(m.seconds[1])}{_change(*m.seconds)}")
    if parts:
        yield f"per sample   {' · '.join(parts)}"
    mark = " ²" if c.fragility is not None else ""
    out = ", excluded" if any(c.errored) else ""
    yield f"infra errors{mark}  {_share(c, 0)} → {_share(c, 1)}{out}".replace("errors  ", "errors ", 1)
    if any(c.undrawn):
        yield f"not drawn    {count(c.undrawn[0])} → {many(c.undrawn[1], 'sample')}, in no number yet"
    for name, found in zip(("base", "cand"), c.safety, strict=True):
        if found:
            yield f"safety       {name} FAILED: {many(found, 'sample')} touched what is forbidden"


def _change(one: float, two: float) -> str:
    if one <= 0:
        return ""
    text = f"{100 * (two / one - 1):+.0f}"
    if text == "-100" and two > 0:  # all of it is not what it lost
        text = f"{100 * (two / one - 1):+.1f}" if two / one >= 0.0005 else "< -99.9"
    return f" ({text}%)"


def _share(c: Comparison, side: int) -> str:
    return f"{count(c.errored[side])}/{count(c.scheduled[side])}"


def _next(c: Comparison, names: tuple[str, str], at: str) -> list[str]:
    base, cand = map(shlex.quote, names)
    steps = []
    if c.most_moved and max(c.samples) > 1:
        steps.append(show_command(names[1], c.most_moved[0].id, at=at))
    steps.append(f"passband gate {cand} --baseline {base} --policy gate.toml{at}")
    return steps
