"""Anyone's counts, a line a system, as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passband.report.words import count, interval, many, percent, points, printable, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.aggregate import RunSummary
    from passband.compare import PilotPower
    from passband.stats import Estimate

__all__ = ["render_counts", "render_pilot"]

_WIDTH = 31  # columns of a drawn interval
_LONGEST = 34  # of a system's name


def render_counts(systems: Mapping[str, RunSummary], *, plot: bool = False) -> str:
    """Render pass@1 with both intervals for every system, then pass@k and pass^k where samples allow.

    Parameters
    ----------
    systems : mapping of str to RunSummary
        In the order they are to be shown.
    plot : bool
        Draw each interval on a scale from 0 to 100.
    """
    return "\n".join([*_rates(systems, plot=plot), *_curves(systems)])


def _rates(systems: Mapping[str, RunSummary], *, plot: bool) -> list[str]:
    heads = ("system", "tasks", "samples", "pass@1", "tasks like these", "these very tasks", "ICC", "design effect")
    rows: list[tuple[str, ...]] = [(*heads, f"0{'100':>{_WIDTH - 1}}") if plot else heads]
    for name, summary in systems.items():
        one, these = summary.pass_at_1, summary.pass_at_1_these_tasks
        icc, effect = summary.intra_task_correlation, summary.design_effect
        row: tuple[str, ...] = (
            _name(name),
            count(summary.n_cases),
            count(summary.errors.graded),
            percent(None if one is None else float(one.value)),
            interval(one),
            interval(these),
            "–" if icc is None else f"{icc:.2f}",
            "–" if effect is None else f"{effect:.1f}",
        )
        rows.append((*row, _draw(one)) if plot else row)
    return table(rows, "<>>><<>>" + "<" * plot)


def _curves(systems: Mapping[str, RunSummary]) -> list[str]:
    heads = ("system", "k", "pass@k", "any of k passes", "pass^k", "all k pass")
    rows: list[tuple[str, ...]] = [heads]
    for name, summary in systems.items():
        last = max(summary.pass_at_k, default=0)
        ks = [k for k in range(2, last + 1) if k <= 5 or k & (k - 1) == 0 or k in {10, last}]
        for k in ks:
            row = [_name(name) if k == ks[0] else "", count(k)]
            for curve in (summary.pass_at_k, summary.pass_hat_k):
                found = curve.get(k)
                row += [percent(None if found is None else float(found.value)), interval(found)]
            rows.append(tuple(row))
    return ["", *table(rows, "<>><><")] if len(rows) > 1 else []


def _name(name: str) -> str:
    shown = printable(name).replace("\n", " ")
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST // 2]}…{shown[-_LONGEST // 2 + 1 :]}"


def _draw(estimate: Estimate | None) -> str:
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    cells = [" "] * _WIDTH
    low, high, value = (round(float(x) * (_WIDTH - 1)) for x in (estimate.low, estimate.high, estimate.value))
    cells[low : high + 1] = "─" * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    cells[value] = "●"
    return "".join(cells)


def render_pilot(pilot: PilotPower) -> str:
    """Render how many tasks the next comparison needs."""
    how = f"{100 * pilot.power:.0f}% of the time, two-sided {100 * pilot.alpha:g}%"
    lines = [f"To find a difference of {points(pilot.effect).lstrip('+')} points {how}:"]
    if pilot.tasks_paired is None:
        lines.append("  the two never differ on any task of this pilot: it tells nothing of what is needed")
    else:
        lines.append(
            f"  paired    {many(pilot.tasks_paired, 'task')} (SD of a task's difference {pilot.sd_paired:.3f})"
        )
    if pilot.tasks_unpaired is not None:
        lines.append(
            f"  unpaired  {many(pilot.tasks_unpaired, 'task')} in each arm "
            f"(SD of a task's rate {pilot.sd_unpaired:.3f})"
        )
    if pilot.tasks_paired is not None:
        found = "no" if pilot.detectable is None else f"a difference of {points(pilot.detectable).lstrip('+')}"
        end = "difference" if pilot.detectable is None else "points, paired"
        lines.append(f"  {many(pilot.n_tasks, 'task')}, as here, find {found} {end}")
    return "\n".join(lines)
