"""Intervals of differences, drawn in a terminal column."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.stats import Estimate

__all__ = ["Forest"]

_NICE = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


class Forest:
    """A column of drawings on one scale, zero in its middle.

    Parameters
    ----------
    main : Estimate
        What must be seen whole; the rest may run over the edges, and shows it.
    others : iterable of Estimate
        Further rows.
    margin : float
        Drawn on both sides of zero where it is not 0.
    width : int
        Columns; made odd.
    """

    def __init__(self, main: Estimate, others: Iterable[Estimate], *, margin: float, width: int) -> None:
        self.width = width - 1 + width % 2
        self.margin = margin
        own = _reach(main)
        most = max([own, *(_reach(other) for other in others)])
        wanted = max(min(most, 3 * own), own, 1.2 * margin)
        self.scale = next((nice for nice in _NICE if nice >= wanted), 1.0)

    @property
    def numbers(self) -> str:
        """Upper line of the axis: ``-20       0       +20``."""
        left, right = f"-{100 * self.scale:.0f}", f"+{100 * self.scale:.0f}"
        half = self.width // 2
        return f"{left:<{half}}0{right:>{half}}"

    @property
    def ticks(self) -> str:
        """Lower line of the axis, with the margin."""
        cells = self._canvas()
        cells[0] = cells[-1] = "╵"
        return "".join(cells)

    def draw(self, estimate: Estimate) -> str:
        """One row; an end beyond the scale is an arrow."""
        cells = self._canvas()
        if estimate.low is not None and estimate.high is not None:
            low, high = float(estimate.low), float(estimate.high)
            first, last = self._column(low), self._column(high)
            for i in range(first, last + 1):
                cells[i] = {"│": "┼", "┊": "┊"}.get(cells[i], "─")
            cells[first] = "├" if low >= -self.scale else "◂"
            cells[last] = "┤" if high <= self.scale else "▸"
        value = float(estimate.value)
        if abs(value) <= self.scale:  # else the arrow says which way it went
            cells[self._column(value)] = "●"
        return "".join(cells)

    def _canvas(self) -> list[str]:
        cells = [" "] * self.width
        if self.margin:
            cells[self._column(-self.margin)] = cells[self._column(self.margin)] = "┊"
        cells[self.width // 2] = "│"
        return cells

    def _column(self, x: float) -> int:
        share = (max(-self.scale, min(self.scale, x)) / self.scale + 1) / 2
        return round(share * (self.width - 1))


def _reach(estimate: Estimate) -> float:
    return max(abs(float(end)) for end in (estimate.low, estimate.high, estimate.value) if end is not None)
