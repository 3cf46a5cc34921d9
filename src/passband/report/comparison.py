"""Two runs side by side, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passband.report.words import percent, points, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.compare import Comparison, Word
    from passband.stats import PairedDifference

__all__ = ["render_comparison"]

_GLYPHS: dict[Word, str] = {"better": "▲ better", "worse": "▼ worse", "same": "= same", "unclear": "? unclear"}
_WIDTH = 23  # characters of the interval drawing, odd so that zero has a column
_SHOWN_CASES = 3


def render_comparison(comparison: Comparison) -> str:
    """Render a comparison: the verdict first, then what it rests on."""
    return "\n".join(_lines(comparison))


def _lines(c: Comparison) -> Iterator[str]:
    estimate = c.difference.estimate
    words = {"better": "above", "worse": "below"}
    side = words.get(c.verdict) or ("above" if estimate.value >= 0 else "below")
    size = f"{abs(100 * float(estimate.value)):.1f} points {side} {c.baseline}"
    margin = f"; margin is {100 * c.margin:g}" if c.margin else ""
    yield f"{c.verdict.upper()}  {c.candidate} is {size} on pass@1, {_level(c)} {_ci(c.difference)}{margin}"
    yield ""
    each = c.samples[0] if c.samples[0] == c.samples[1] else f"{c.samples[0]} and {c.samples[1]}"
    yield f"  same    suite {c.suite} · {c.n_shared} tasks × {each} samples"
    yield f"  differ  subject  {c.subjects[0]} → {c.subjects[1]}"
    for found in c.harness_differences:
        yield f"          {found.field}  {_short(found.baseline)} → {_short(found.candidate)}"
    for name, lost in ((c.baseline, c.only_baseline), (c.candidate, c.only_candidate)):
        if lost:
            shown = ", ".join(lost[:_SHOWN_CASES]) + (", …" if len(lost) > _SHOWN_CASES else "")
            yield f"  left out  {len(lost)} cases only {name} has: {shown}"
    yield ""
    scale = _scale(c)
    rows: list[tuple[str, ...]] = [("", "n", "base", "cand", "Δ points, CI ¹", f"{_axis(scale)}", "p ¹", "")]
    rows.append(_row("ALL", c.n_shared, c.rates, c.difference, c.difference.p_value, c.verdict, scale))
    for name in dict.fromkeys(part.slice for part in c.slices):
        parts = [part for part in c.slices if part.slice == name]
        if len(parts) > 1:
            rows.append((f"by {name}", "", "", "", "", "", "", ""))
            rows += [
                _row(
                    f"  {part.value}",
                    part.difference.estimate.n_tasks,
                    (part.baseline, part.candidate),
                    part.difference,
                    part.p_value,
                    part.verdict,
                    scale,
                )
                for part in parts
            ]
    yield from table(rows, "<>>>><><")
    yield ""
    d = c.difference
    yield f"tasks         {d.n_worse} down · {d.n_better} up · {d.n_equal} equal{_moved(c)}"
    yield f"infra errors  {c.errored[0]}/{c.scheduled[0]} → {c.errored[1]}/{c.scheduled[1]}, excluded{_bounds(c)}"
    yield ""
    yield from _footnotes(c)


def _level(c: Comparison) -> str:
    return f"{100 * c.difference.estimate.level:g}% CI"


def _ci(difference: PairedDifference) -> str:
    estimate = difference.estimate
    if estimate.low is None or estimate.high is None:
        return "not estimable"
    return f"[{points(float(estimate.low))}, {points(float(estimate.high))}]"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _row(
    label: str,
    n: int,
    rates: tuple[float, float],
    difference: PairedDifference,
    p_value: Any,
    verdict: Word,
    scale: float,
) -> tuple[str, ...]:
    delta = f"{points(float(difference.estimate.value))} {_ci(difference)}"
    drawing = _draw(difference, scale)
    return (
        label,
        str(n),
        percent(rates[0]),
        percent(rates[1]),
        delta,
        drawing,
        _p(p_value),
        _GLYPHS[verdict],
    )


def _p(p: Any) -> str:
    if p is None:
        return "–"
    return "<.001" if p < 0.001 else f"{float(p):.3f}".lstrip("0") if p < 1 else "1.000"


def _scale(c: Comparison) -> float:
    """Half-width of the drawing, in fractions: the widest overall end, at least ten points, in steps of ten."""
    ends = [abs(float(e)) for d in (c.difference, *(s.difference for s in c.slices)) for e in _ends(d)]
    return min(1.0, max(0.1, -(-max(ends, default=0.1) // 0.1) * 0.1))


def _ends(difference: PairedDifference) -> list[Any]:
    estimate = difference.estimate
    return [end for end in (estimate.low, estimate.high, estimate.value) if end is not None]


def _axis(scale: float) -> str:
    left, right = f"-{100 * scale:.0f}", f"+{100 * scale:.0f}"
    half = _WIDTH // 2
    return f"{left:<{half}}0{right:>{half}}"


def _draw(difference: PairedDifference, scale: float) -> str:
    estimate = difference.estimate

    def column(x: float) -> int:
        return round((max(-scale, min(scale, x)) / scale + 1) / 2 * (_WIDTH - 1))

    cells = [" "] * _WIDTH
    cells[_WIDTH // 2] = "│"
    if estimate.low is not None and estimate.high is not None:
        low, high = column(float(estimate.low)), column(float(estimate.high))
        for i in range(low, high + 1):
            cells[i] = "┼" if i == _WIDTH // 2 else "─"
        cells[low], cells[high] = "├", "┤"
    cells[column(float(estimate.value))] = "●"
    return "".join(cells)


def _moved(c: Comparison) -> str:
    shown = [
        f"{m.id} {m.baseline[0]}/{m.baseline[1]}→{m.candidate[0]}/{m.candidate[1]}" for m in c.most_moved[:_SHOWN_CASES]
    ]
    return f"   most moved  {' · '.join(shown)}" if shown else ""


def _bounds(c: Comparison) -> str:
    if not any(c.errored):
        return ""
    low, high = c.worst_case
    return f"; Δ from {points(low)} to {points(high)} whatever they were"


def _footnotes(c: Comparison) -> Iterator[str]:
    d = c.difference
    yield f"¹ Paired by task; t, {c.n_shared - 1} df; interval and p are of one model and always agree."
    if len(c.slices) > 1:
        yield "  Rows by slice are Bonferroni over the slice's values, interval and p alike."
    yield f"  Exact sign-flip p {_p(d.sign_flip_p)}."
    if d.se_paired is not None and d.se_unpaired is not None:
        se, un = 100 * float(d.se_paired), 100 * float(d.se_unpaired)
        yield f"  Pairing helped: SE {se:.1f} points, would be {un:.1f} unpaired."
    for warning in d.estimate.warnings:
        yield f"  {warning}"
