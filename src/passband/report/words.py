"""Numbers as people read them."""

from __future__ import annotations

import math
import shlex
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passband.stats import Estimate

__all__ = [
    "FEWEST_TASKS",
    "WIDTH",
    "count",
    "duration",
    "elide",
    "folded",
    "interval",
    "listed",
    "many",
    "money",
    "narrowed",
    "next_line",
    "percent",
    "points",
    "printable",
    "seconds",
    "show_command",
    "significance",
    "span",
    "table",
    "wrapped",
]

WIDTH = 100
"""Columns a report may take."""

FEWEST_TASKS = 5
"""Slices of fewer tasks give intervals that say nothing; text folds them into a line, JSON keeps them."""


def percent(rate: float | None) -> str:
    """A rate in percent, one decimal: ``55.1``; a dash where there is none."""
    return "–" if rate is None else f"{100 * rate:.1f}"


def interval(estimate: Estimate | None) -> str:
    """``[49.9, 60.3]``, or why there is none."""
    if estimate is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return "not estimable"
    return f"[{percent(float(estimate.low))}, {percent(float(estimate.high))}]"


def points(difference: float) -> str:
    """A difference of rates in points, with its sign: ``-5.6``."""
    text = f"{100 * difference:+.1f}"
    return "0.0" if text in {"+0.0", "-0.0"} else text


def count(number: int) -> str:
    """``1,312``."""
    return f"{number:,}"


def many(number: int, noun: str) -> str:
    """``1 task``, ``2,000 tasks``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def seconds(amount: float) -> str:
    """``12.3 s``, ``0.031 s``, ``31 µs``: three digits, never an exponent."""
    if amount == 0 or amount >= 0.001:
        return f"{amount:.3g} s" if amount < 1000 else f"{amount:,.0f} s"
    return f"{1e6 * amount:.3g} µs" if amount >= 1e-6 else "under 1 µs"


def duration(seconds: float) -> str:
    """``0:41``, ``13:41`` or ``2:05:09``."""
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def money(usd: float | None) -> str:
    """``$57.73``; small sums keep three digits; unknown is said."""
    if usd is None:
        return "price unknown"
    digits = 2 if usd >= 1 or usd == 0 else max(2, 2 - math.floor(math.log10(usd)))
    return f"${usd:.{digits}f}"


def printable(text: str) -> str:
    """Foreign text made safe for a terminal: what controls or turns it (U+202E) shows as escapes, line ends stay."""
    return "".join(ch if ch.isprintable() or ch in "\n\t" else ch.encode("unicode_escape").decode() for ch in text)


def table(rows: Iterable[Sequence[str]], align: str) -> list[str]:
    """Columns two spaces apart; `align` holds ``<`` or ``>`` a column, trailing blanks are cut."""
    made = [[printable(cell).replace("\n", "\\n") for cell in row] for row in rows]
    widths = [max((len(row[i]) for row in made), default=0) for i in range(len(align))]
    return [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)).rstrip()
        for row in made
    ]


def span(estimate: Estimate, *, width: int = 0) -> str:
    """The interval of a difference in points, ``[-8.7, -2.4]``; `width` pads each end."""
    if estimate.low is None or estimate.high is None:
        return "not estimable"
    return f"[{points(float(estimate.low)):>{width}}, {points(float(estimate.high)):>{width}}]"


def significance(p: object) -> str:
    """A p-value to three digits: ``.017``, ``<.001``; a dash where there is none."""
    if not isinstance(p, int | float):
        return "–"
    if p < 0.001:
        return "<.001"
    # Rounding must not carry a p across the levels that people read it against.
    text = f"{p:.3f}"
    if p < 0.05 <= float(text):
        text = f"{p:.4f}" if f"{p:.4f}" != "0.0500" else "0.0499"
    return "1.000" if text == "1.000" else text.removeprefix("0")


def elide(text: str, width: int) -> str:
    """`text`, printable, in at most `width` columns: its middle is left out where it is longer."""
    text = printable(text).replace("\n", "\\n").replace("\t", "\\t")
    if len(text) <= width:
        return text
    head = (width - 1) // 2
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"


def listed(names: Sequence[str], width: int) -> str:
    """As many names as fit into `width` columns, and how many more there are."""
    shown: list[str] = []
    for i, name in enumerate(names):
        more = f", … {len(names) - i} more"
        room = width - (len(more) if i + 1 < len(names) else 0)
        fits = elide(name, max(room, 2))
        if shown and len(", ".join([*shown, fits])) > room:
            return ", ".join(shown) + more
        shown.append(fits)
    return ", ".join(shown)


def folded(values: Sequence[str]) -> str:
    """The line that stands for slices too small to say anything."""
    head = f"  {many(len(values), 'value')} left out, under {FEWEST_TASKS} tasks each: "
    return head + listed(values, WIDTH - len(head))


def next_line(steps: Sequence[str]) -> str:
    """``next: COMMAND    COMMAND``; one a line where they do not fit."""
    steps = [printable(step).replace("\n", "\\n") for step in steps]
    together = "    ".join(steps)
    return f"next: {together}" if len(together) <= WIDTH - 6 else "next: " + "\n      ".join(steps)


def show_command(run: str, *rest: str, at: str = "") -> str:
    """The command that shows a run, a case or a sample, for a shell; `at` says where the run is, if need be."""
    words = [at.strip()] if at else []
    # After -- a name may begin with a dash, and no option can stand.
    dashed = any(name.startswith("-") for name in (run, *rest))
    names = [shlex.quote(name) for name in (run, *rest)]
    return " ".join(["passband show", *words, "--", *names] if dashed else ["passband show", *names, *words])


def narrowed(text: str, columns: int) -> str:
    """A report on a terminal of fewer columns than :data:`WIDTH`: lines fold between words, which stay whole."""
    out: list[str] = []
    for line in text.split("\n"):
        if len(line) <= columns:
            out.append(line)
            continue
        indent = " " * min(len(line) - len(line.lstrip()) + 4, columns // 2)
        out += textwrap.wrap(
            line,
            columns,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
            replace_whitespace=False,
        )
    return "\n".join(out)


def wrapped(text: str, *, indent: str = "", first: str | None = None) -> list[str]:
    """`text`, printable, in lines of at most :data:`WIDTH` columns; a word that is longer is broken."""
    return textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=indent if first is None else first,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
