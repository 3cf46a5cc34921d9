"""Two pass@k curves, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.forest import Forest
from passband.report.words import elide, percent, points, span, table, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.compare import Narrowing

__all__ = ["render_narrowing"]

_SHOWN = 5
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
    crossing = f"as observed they cross at k = {f.crosses_at}" if f.crosses_at else "as observed they do not cross"
    yield f"curves   {crossing}"
    if f.answers is not None:
        yield f"answers  {f.answers[0]:.1f} → {f.answers[1]:.1f} different answers a case, of {f.ks[-1]} samples"
    for i, entry in enumerate(f.lost[:_SHOWN]):
        case = entry.case
        head = f"lost at k = {f.ks[-1]}: " if i == 0 else " " * len(f"lost at k = {f.ks[-1]}: ")
        counts = f"{case.baseline[0]}/{case.baseline[1]}→{case.candidate[0]}/{case.candidate[1]}"
        yield f"{head}{elide(case.id, 36)} {counts}  {100 * entry.share:.0f}% of what is lost"
    yield ""
    yield from wrapped(
        f"Tasks like these, {f.n_shared} of them, paired; all k hold at once (sup-t band). pass@k needs an oracle to "
        "pick the passing attempt, and at large k a guesser in a small answer space covers everything.",
        first="¹ ",
        indent="  ",
    )
