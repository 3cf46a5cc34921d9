"""What stands under a comparison: how it was made, and what the samples without a verdict could do to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.words import many, points, significance, span, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.compare import Comparison, Word

__all__ = ["GLYPHS", "footnotes"]

GLYPHS: dict[Word, str] = {"better": "▲ better", "worse": "▼ worse", "same": "= same", "unclear": "? unclear"}


def footnotes(c: Comparison) -> Iterator[str]:
    """Lines of the method, and of the bounds over samples without a verdict."""
    yield from wrapped(" ".join(_method(c)), first="¹ ", indent="  ")
    if c.fragility is not None:
        yield from wrapped(_fragile(c), first="² ", indent="  ")


def _method(c: Comparison) -> Iterator[str]:
    d = c.difference
    what = "by task, and by sample on common seeds" if c.paired_by == "sample" else "by task"
    df = f"t, {float(d.law.df):.3g} df" if d.law is not None else "no interval"
    yield f"Tasks like these. Paired {what}; {df}; interval and p (of no difference) are of one model."
    if any(c.slices):
        yield "Slice rows are Bonferroni over the slice's values, interval and p alike."
    if c.curves:
        yield "Intervals of pass@k and pass^k stand alone; for all k at once: --narrowing."
    exact = "McNemar" if d.mcnemar_mid_p is not None else "sign-flip"
    mid = f", mid-p {significance(d.mcnemar_mid_p)}" if d.mcnemar_mid_p is not None else ""
    discordant = f" ({d.n_worse} down, {d.n_better} up)" if d.mcnemar_mid_p is not None else ""
    alpha = 1 - d.estimate.level
    apart = d.p_value is not None and (float(d.p_value) < alpha) != (float(d.sign_flip_p) < alpha)
    other = " On its own it would decide otherwise: call this a close one." if apart else ""
    yield f"Exact {exact} p {significance(d.sign_flip_p)}{mid}{discordant}.{other}"
    if d.se_paired is not None and d.se_unpaired is not None:
        se, un = 100 * float(d.se_paired), 100 * float(d.se_unpaired)
        if se == 0.0:
            yield (
                "All tasks differ alike: their SE is 0, and the width is that of the one imagined sample, half of it "
                "a pass for each side, which the model adds so that agreement is not certainty."
            )
        else:
            word = "Pairing helped" if se < un else "Pairing did not help"
            yield f"{word}: SE {_fine(se)} points, {_fine(un)} unpaired."
    s = c.common_seeds
    if s is not None and s.correlation is not None and s.se_without is not None:
        yield f"Common seeds: samples correlate at {s.correlation:.2f}, SE {100 * s.se_without:.1f} without."
    if c.detectable is None and d.se_paired:
        yield "With so few tasks no true difference would be found 80% of the time."
    elif c.detectable is not None:
        yield f"A true difference of {100 * c.detectable:.1f} points would be found 80% of the time."
    yield from (f"{warning[0].upper()}{warning[1:]}." for warning in d.estimate.warnings)


def _fine(value: float) -> str:
    """A standard error: one decimal, and the first digit of one that is smaller."""
    return f"{value:.1f}" if value >= 0.05 or value == 0 else f"{value:.1g}"


def _fragile(c: Comparison) -> str:
    f = c.fragility
    assert f is not None
    ends = f"Δ is {points(c.worst_case[0])} to {points(c.worst_case[1])}"
    lost = f"{many(f.missing[0], 'sample')} of base, {many(f.missing[1], 'sample')} of cand"
    text = f"Without a verdict: {lost}. Whatever they were, {ends}"
    if not c.fragile:
        return f"{text}. Verdict unchanged either way."
    rule = " The graded alone would be called {0}, which stands only where both ends of Δ do." if c.taken_back else ""
    return (
        f"{text}.{rule.format(c.decision.verdict)} FRAGILE: all against cand {span(f.against)} "
        f"{GLYPHS[f.verdict_against]}; all for it {span(f.favour)} {GLYPHS[f.verdict_favour]}."
    )
