"""Several runs, or several seeds of two recipes, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.footnotes import GLYPHS
from passband.report.words import (
    count,
    elide,
    interval,
    listed,
    many,
    percent,
    points,
    significance,
    span,
    table,
    wrapped,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.compare import Ranking, RecipeComparison

__all__ = ["render_ranking", "render_recipes"]

_NAME = 36


def render_ranking(ranking: Ranking) -> str:
    """Render a ranking: the set that can't be told apart from the best first, then a line a run."""
    return "\n".join(_ranking_lines(ranking))


def _ranking_lines(r: Ranking) -> Iterator[str]:
    best = [system for system in r.systems if system.may_be_best]
    level = f"{100 * r.level:.4g}%"
    if r.tied == 1:
        yield from wrapped(f"{best[0].run_id} is the best of {len(r.systems)} at {level} confidence", first="BEST  ")
    else:
        yield from wrapped(
            f"{r.tied} of {len(r.systems)} can't be told apart from the best at {level} confidence: the top "
            f"{r.tied} below, marked =" if all(s.may_be_best for s in r.systems[: r.tied]) else
            f"{r.tied} of {len(r.systems)} can't be told apart from the best at {level} confidence, marked =",
            first="TIED  ",
            indent="      ",
        )  # fmt: skip
    for suspicion in r.suspicions:
        yield from wrapped(suspicion.message, first="! ", indent="  ")
    back = [system.run_id for system in r.systems if system.taken_back]
    if back:
        it, them = ("it is", "it") if len(back) == 1 else ("they are", "any of them")
        yield from wrapped(
            f"{listed(back, 60)}: as graded {it} behind, but samples without a verdict could make {them} the best; "
            "draw them again with passband run … --resume --retry-errored",
            first="! ",
            indent="  ",
        )
    yield ""
    yield f"  same    suite {r.suite} · {many(r.n_shared, 'task')} shared by all, of {count(r.n_union)} that any has"
    if r.harness_fields:
        yield from wrapped(", ".join(r.harness_fields), first="  differ  ", indent="          ")
    yield ""
    missing = any(system.errored for system in r.systems)
    bare = any(system.own_cases != r.n_shared for system in r.systems)
    rows = [
        (
            "",
            "run",
            "pass@1",
            "simultaneous CI ¹",
            "rank ²",
            "behind by",
            *(("errors",) * missing),
            *(("own tasks ³",) * bare),
        )
    ]
    for system in r.systems:
        ends = system.rank
        own = (f"{percent(system.own_rate):>5} of {count(system.own_cases)}",) if bare else ()
        rows.append(
            (
                "=" if system.may_be_best else "▼",
                elide(system.run_id, _NAME),
                percent(float(system.pass_at_1.value)),
                interval(system.pass_at_1),
                str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}",
                "" if system.may_be_best else f"≥ {100 * system.behind:.1f}",
                *((count(system.errored),) * missing),
                *own,
            )
        )
    yield from table(rows, "<<><>>" + ">" * missing + "<" * bare)
    yield ""
    yield from wrapped(
        f"Bonferroni over {len(r.systems)} runs: all hold at once at {level}. Tasks like these.", first="¹ "
    )
    yield from wrapped(
        f"Paired, on the shared tasks. The best of all is among the = with {level}; a ▼ is behind some other by at "
        "least what is said, and behind it whatever samples without a verdict would have been. Ends of a rank hold "
        "one by one. Intervals may overlap without a tie: ranks are paired.",
        first="² ",
        indent="  ",
    )
    if bare:
        yield from wrapped(
            "The bare mean over whatever each run has: of different tasks, so not comparable.", first="³ "
        )


def render_recipes(comparison: RecipeComparison) -> str:
    """Render a comparison of recipes: the verdict, the seeds, and what they support."""
    return "\n".join(_recipe_lines(comparison))


def _recipe_lines(c: RecipeComparison) -> Iterator[str]:
    d = c.difference
    value = 100 * float(d.estimate.value)
    side = "above" if value >= 0 else "below"
    margin = f"; margin is {100 * c.margin:.3g}" if c.margin else ""
    word = c.verdict.upper()
    yield from wrapped(
        f"the candidate recipe is {abs(value):.1f} points {side} the baseline on pass@1, "
        f"{100 * d.estimate.level:.4g}% CI {span(d.estimate)}{margin}",
        first=f"{word}  ",
        indent=" " * (len(word) + 2),
    )
    yield ""
    yield f"  same    suite {c.suite} · {many(c.n_shared, 'task')} shared by all seeds, of {count(c.n_union)}"
    yield ""
    rows = [("recipe", "seeds", "pass@1", "by seed", "SD", "of it evaluation")]
    for name, means, rate, noise in zip(("baseline", "candidate"), d.means, c.rates, d.evaluation_sd, strict=True):
        spread = f"{100 * float(means.std(ddof=1)):.1f}" if len(means) > 1 else "–"
        seeds = " ".join(percent(float(mean)) for mean in means[:8]) + (" …" if len(means) > 8 else "")
        rows.append((name, str(len(means)), percent(rate), seeds, spread, f"{100 * noise:.1f}"))
    yield from table(rows, "<>><>>")
    yield ""
    yield f"Δ {points(float(d.estimate.value))} {span(d.estimate)}  p {significance(d.p_value)}  {GLYPHS[c.verdict]}"
    if any(c.errored):
        yield from wrapped(
            f"samples without a verdict: {c.errored[0]:,} and {c.errored[1]:,}; whatever they were, Δ lies from "
            f"{points(c.bounds[0])} to {points(c.bounds[1])}",
            first="! ",
            indent="  ",
        )
    yield ""
    how = f"Welch's t over seeds, {d.df:.1f} df" if d.df is not None else "Unit: the training seed"
    yield from wrapped(
        f"{how}, on these tasks. An arm's SD is never taken below its evaluation noise. " +
        " ".join(f"{warning[0].upper()}{warning[1:]}." for warning in d.estimate.warnings),
        first="¹ ",
        indent="  ",
    )  # fmt: skip
