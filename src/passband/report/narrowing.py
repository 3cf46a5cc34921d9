"""Two pass@k curves, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.forest import Forest
from passband.report.words import elide, many, percent, points, span, table, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passband.compare import ActionShift, CaseChange, Narrowing

__all__ = ["render_narrowing"]

_SHOWN = 5
_SHOWN_ACTIONS = 2
_SAID = {
    "narrows": "{cand} is shown above {base} at small k and below it at large k: it narrows",
    "widens": "{cand} is shown below {base} at small k and above it at large k: it widens",
    "shifts up": "{cand} is shown above {base} at some k and below it at none",
    "shifts down": "{cand} is shown below {base} at some k and above it at none",
    "unclear": "at no k are {cand} and {base} told apart",
}


def render_narrowing(found: Narrowing) -> str:
    """Render two curves: the word, a line a k, and the cases that carry a loss."""
    return "\n".join(_lines(found))


def _lines(f: Narrowing) -> Iterator[str]:
    word = f.verdict.upper()
    said = _SAID[f.verdict].format(cand=f.candidate, base=f.baseline)
    yield from wrapped(said, first=f"{word}  ", indent=" " * (len(word) + 2))
    if any(f.missing):
        turn = "could turn what the intervals say" if f.taken_back else "do not turn it, whatever they were"
        yield from wrapped(f"samples without a verdict, {f.missing[0]:,} and {f.missing[1]:,}, {turn}", first="! ")
    yield ""
    last = f.points[0].estimate
    forest = Forest(last, [point.estimate for point in f.points], margin=0.0, width=25)
    rows = [("", "base", "cand", "Δ points, CI ¹", forest.numbers)]
    for k, point in zip(f.ks, f.points, strict=True):
        delta = f"{points(float(point.estimate.value)):>5} {span(point.estimate, width=5)}"
        a, b = (percent(float(rate)) for rate in point.rates)
        rows.append((f"pass@{k}", a, b, delta, forest.draw(point.estimate)))
    yield from table(rows, "<>><<")
    yield ""
    yield from wrapped("; ".join(_crossing(f)), first="curves   ", indent=" " * 9)
    if f.answers is not None:
        of = many(f.ks[-1], "sample")
        yield f"answers  {f.answers[0]:.1f} → {f.answers[1]:.1f} different answers a case, of {of}"
    for i, entry in enumerate(f.lost[:_SHOWN]):
        case = entry.case
        head = f"lost at k = {f.lost_at}: " if i == 0 else " " * len(f"lost at k = {f.lost_at}: ")
        counts = f"{case.baseline[0]}/{case.baseline[1]}→{case.candidate[0]}/{case.candidate[1]}"
        yield f"{head}{elide(case.id, 36)} {counts}  {100 * entry.share:.0f}% of what is lost"
        yield from _replaced(entry.actions, case, " " * (len(head) + 2))
    yield ""
    yield from wrapped(
        f"Tasks like these, {f.n_shared} of them, paired; all k hold at once (sup-t band). pass@k needs an oracle to "
        "pick the passing attempt, and at large k a guesser in a small answer space covers everything.",
        first="¹ ",
        indent="  ",
    )


def _crossing(f: Narrowing) -> Iterator[str]:
    found = f.crossing
    yield f"as observed they cross at k = {found.observed}" if found.observed else "as observed they do not cross"
    if found.by is not None:
        yield f"shown to cross after k = {found.after} and by k = {found.by}"
    elif found.observed:
        yield f"not shown to: told apart last at k = {found.after}" if found.after else "not shown to"
    share = f"over resampled cases they cross in {100 * found.resampled:.0f}%"
    if found.resampled_ks is not None:
        low, middle, high = found.resampled_ks
        share += f", at k = {middle} (90% from {low} to {high})"
    yield share


def _replaced(actions: Sequence[ActionShift], case: CaseChange, indent: str) -> Iterator[str]:
    """The actions that gained most, and those that lost most."""
    drawn = case.baseline[1], case.candidate[1]
    change = [one.candidate / max(drawn[1], 1) - one.baseline / max(drawn[0], 1) for one in actions]
    came = [one for one, more in zip(actions, change, strict=True) if more > 0]
    went = [one for one, less in zip(actions, change, strict=True) if less < 0][::-1]
    went.sort(key=lambda one: not one.passed)  # those that solved the case come first
    for word, chosen in (("more", came[:_SHOWN_ACTIONS]), ("less", went[:_SHOWN_ACTIONS])):
        for one in chosen:
            solves = (
                "" if not one.passed else "  solves" if one.passed == one.baseline + one.candidate else "  may solve"
            )
            yield f"{indent}{word} {elide(one.action, 44)} {one.baseline}→{one.candidate}{solves}"
