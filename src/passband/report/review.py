"""A reported improvement, reviewed: as terminal text and as markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.markdown import cell, row
from passband.report.words import count, many, points, printable, significance, span, table, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.compare import Claim, ClaimWord, Review, SampleNeed

__all__ = ["render_review", "render_review_markdown"]

_GLYPHS: dict[ClaimWord, str] = {"supported": "✓", "open": "?", "unsupported": "✗"}
_ABOUT = {"checkpoints": "these checkpoints", "recipe": "the recipe"}
_CHOSEN = {
    "fixed": "fixed before anything was looked at",
    "validation": "chosen on other tasks",
    "test": "the best of {of} on these very tasks",
    "unsaid": "the best of {of}, on which tasks is not said",
}


def render_review(review: Review) -> str:
    """Render a review: the word, the standard errors, what they support, what to ask for, how much to request."""
    return "\n".join(_lines(review))


def _lines(r: Review) -> Iterator[str]:
    c = r.claim
    word = r.outcome.upper()
    yield from wrapped(_headline(r), first=f"{word}  ", indent=" " * (len(word) + 2))
    yield ""
    yield from wrapped(printable(c.name), first="  claim   ", indent="          ")
    yield from wrapped(_design(r), first="  design  ", indent="          ")
    for fault in r.impossible:
        yield from wrapped(fault, first="  ! ", indent="    ")
    yield ""
    yield from _aligned(_analyses(r))
    yield ""
    yield from wrapped(_correlation(r), first="  ", indent="  ")
    yield ""
    yield "what it can support"
    for support in r.supports:
        yield from wrapped(
            f"{_ABOUT[support.about]}: {support.word}; {support.reason}",
            first=f"  {_GLYPHS[support.word]} ",
            indent="    ",
        )
    yield ""
    yield "ask for"
    for number, ask in enumerate(r.asks, 1):
        yield from wrapped(ask, first=f"{number:3} ", indent="    ")
    yield ""
    yield from wrapped(_aim(r), first="request  ", indent="         ")
    yield ""
    yield from _aligned(_sample_cells(r))
    yield ""
    yield from _aligned(_seed_cells(r))
    yield ""
    for note in _notes(r):
        yield from wrapped(note, indent="  ", first="")


def _aligned(rows: list[tuple[str, ...]]) -> list[str]:
    return table(rows, "<" + ">" * (len(rows[0]) - 1))


def _headline(r: Review) -> str:
    c = r.claim
    support = next(s for s in r.supports if s.about == c.about)
    size = f"{points(r.effect)} points, {c.baseline:g}% → {c.candidate:g}%, for {_ABOUT[c.about]}"
    return f"{size}: {support.reason}"


def _design(r: Review) -> str:
    c = r.claim
    of = "unknown number" if c.of is None else str(c.of)
    chosen = _CHOSEN[c.chosen].format(of=f"an {of}" if c.of is None else of)
    if c.baseline_of > 1:
        chosen += f", the baseline of {c.baseline_of}"
    return f"{many(c.tasks, 'task')} × {many(c.samples, 'sample')} × {many(c.runs, 'run')} an arm · checkpoint {chosen}"


def _analyses(r: Review) -> list[tuple[str, ...]]:
    picked = any(found.choice for found in r.rows)
    head = ("analysis", "SE, points", f"{r.claim.level:g}% CI ¹", "p")
    rows: list[tuple[str, ...]] = [(*head, "choosing adds ²", "left") if picked else head]
    for place, found in enumerate(r.rows):
        cells = (
            f"paired, r = {found.correlation:.2g}" if place else "unpaired",
            f"{100 * found.standard_error:.2f}",
            span(found.difference, width=5),
            significance(found.p_value),
        )
        left = f"[{points(found.low):>5}, {points(found.high):>5}]"
        rows.append((*cells, f"≤ {100 * found.choice:.1f}", left) if picked else cells)
    return rows


def _correlation(r: Review) -> str:
    taken = " with the choice taken off" if any(found.choice for found in r.rows) else ""
    if r.least_correlation is None:
        return f"no correlation that these rates allow (r ≤ {r.largest_correlation:.2f}) shows a difference{taken}"
    if r.least_correlation == 0:
        return f"a difference is shown{taken} even unpaired"
    allowed = f"these rates allow {r.largest_correlation:.2f}"
    text = f"a difference is shown{taken} from r = {r.least_correlation:.2f} on; {allowed}"
    if r.may_change is not None:
        text += (
            f". At one sample that is: at most {many(r.may_change, 'task')} of {r.claim.tasks:,} may have changed sides"
        )
    return text


def _aim(r: Review) -> str:
    c = r.claim
    wanted = abs(100 * r.effect) if c.detect is None else c.detect
    text = f"to find {wanted:.3g} points {c.power:g}% of the time: {_suggestion(r.suggested, c)}"
    if c.about == "checkpoints":
        return text
    spreads = sorted({need.training_sd for need in r.seeds})
    middle = spreads[len(spreads) // 2]
    ways = [f"{many(need.runs, 'run')} × {need.samples}" for need in reversed(r.seeds) if need.training_sd == middle]
    sd = "known" if c.training_sd is not None else "supposed"
    return f"{text}; for the recipe {' or '.join(ways)} in each arm, at a {sd} training SD of {_size(middle)}"


def _size(fraction: float) -> str:
    number = f"{100 * fraction:.2g}"
    return f"{number} point" if number == "1" else f"{number} points"


def _suggestion(need: SampleNeed, c: Claim) -> str:
    if need.samples is None:
        return f"{many(need.tasks, 'task')} × {c.samples}, since no number of samples of these {c.tasks:,} would do"
    how = "known" if c.correlation is not None else "supposed"
    size = f"{many(c.tasks, 'task')} × {many(need.samples, 'sample')}"
    return f"these {size} in each arm, paired, at a {how} r of {need.correlation:.2g}"


def _sample_cells(r: Review) -> list[tuple[str, ...]]:
    c = r.claim
    rows: list[tuple[str, ...]] = [
        ("paired, to tell two checkpoints apart", f"samples of {c.tasks:,} tasks", f"or tasks × {c.samples}")
    ]
    for need in r.samples:
        moved = (
            f"tasks move by {_size(need.moved)} SD {_moved_mark(r)}" if need.moved else "no task moves but by chance"
        )
        samples = "no number" if need.samples is None else count(need.samples)
        rows.append((f"  r = {need.correlation:.2g}, {moved}", samples, count(need.tasks)))
    return rows


def _moved_mark(r: Review) -> str:
    return "³" if any(found.choice for found in r.rows) else "²"


def _seed_cells(r: Review) -> list[tuple[str, ...]]:
    sizes = sorted({need.samples for need in r.seeds})
    rows: list[tuple[str, ...]] = [
        ("to tell two recipes apart", *(f"runs an arm × {many(size, 'sample')}" for size in sizes))
    ]
    for spread in sorted({need.training_sd for need in r.seeds}):
        found = {need.samples: need.runs for need in r.seeds if need.training_sd == spread}
        rows.append((f"  training SD {_size(spread)}", *(count(found[size]) for size in sizes)))
    return rows


def _notes(r: Review) -> Iterator[str]:
    c = r.claim
    known = "" if c.icc is not None or c.samples * c.runs == 1 else (
        " Without the icc more samples of a task count for nothing here: give icc where it is known."
    )  # fmt: skip
    yield (
        "¹ Tasks like these, Student's t over tasks. r is the correlation of one sample of each arm on one task, "
        f"which per-task results give.{known}"
    )
    if any(found.choice for found in r.rows):
        yield (
            "² The winner's curse, on average, were all checkpoints equally good and as alike as the arms: its most. "
            "“left” is the interval with it taken off."
        )
    if any(need.moved for need in r.samples):
        spread = "Spread over tasks of the change in a task's true pass rate; several samples of each task tell it."
        yield f"{_moved_mark(r)} {spread}"


def render_review_markdown(review: Review) -> str:
    """Render a review for a pull request or a page."""
    r = review
    lines = [f"### {_GLYPHS[r.outcome]} {r.outcome}: {cell(_headline(r))}", ""]
    lines += [f"{cell(r.claim.name)}. {cell(_design(r))}.", ""]
    lines += [f"> {cell(fault)}" for fault in r.impossible]
    for part in (_analyses(r), _sample_cells(r), _seed_cells(r)):
        head, *rows = part
        lines += [row(head), f"|{'---|' * len(head)}", *(row(cells) for cells in rows), ""]
    lines += [f"- {_GLYPHS[s.word]} {_ABOUT[s.about]}: {s.word}; {cell(s.reason)}" for s in r.supports]
    lines += ["", "Ask for:", "", *(f"{number}. {cell(ask)}" for number, ask in enumerate(r.asks, 1)), ""]
    lines += [f"Request {cell(_aim(r))}.", "", f"{_correlation(r)}."]
    lines += ["", *(f"{note}  " for note in _notes(r))]
    return "\n".join(lines)
