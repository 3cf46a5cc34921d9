"""Numbers as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passband.stats import Estimate

__all__ = ["count", "duration", "interval", "money", "percent", "points", "printable", "table"]


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
    return f"${usd:.2f}" if usd >= 1 or usd == 0 else f"${usd:.3g}"


def printable(text: str) -> str:
    """Foreign text made safe for a terminal: control characters show as their escapes, line ends stay."""
    return "".join(ch if ch.isprintable() or ch in "\n\t" else ch.encode("unicode_escape").decode() for ch in text)


def table(rows: Iterable[Sequence[str]], align: str) -> list[str]:
    """Columns two spaces apart; `align` holds ``<`` or ``>`` a column, trailing blanks are cut."""
    made = [list(row) for row in rows]
    widths = [max((len(row[i]) for row in made), default=0) for i in range(len(align))]
    return [
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True)).rstrip()
        for row in made
    ]
