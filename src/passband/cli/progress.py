"""The progress bar: on a terminal only, and never in the way of a result."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from passband.cli.common import is_terminal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passband.run import Progress

__all__ = ["run_progress", "work_progress"]

_INTERVAL_S = 1.0  # an interval over all tasks costs a millisecond: not once a sample


@contextmanager
def run_progress() -> Iterator[Callable[[Progress], None]]:
    """Give a callback that draws how far a run is on standard error.

    Nothing is drawn where standard error is no terminal, or under ``CI=true``.
    """
    if _silent():
        yield lambda _progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=40), MofNCompleteColumn(), TextColumn("{task.fields[line]}"))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("samples", total=None, line="")
        rate = _PassRate()

        def draw(progress: Progress) -> None:
            line = "  ".join(filter(None, [*_facts(progress), rate(progress), _errors(progress)]))
            bar.update(task, total=progress.scheduled, completed=progress.done, line=line)

        yield draw


def _facts(progress: Progress) -> Iterator[str]:
    from passband.report.words import duration, money

    if progress.drawn:
        yield f"{progress.rate:.3g}/s"
    if progress.left_s is not None:
        yield f"{duration(progress.left_s)} left"
    if progress.cost_usd:
        yield money(progress.cost_usd)


def _errors(progress: Progress) -> str:
    return f"err {progress.errored}" if progress.errored else ""


class _PassRate:
    """Pass@1 so far, with the interval the summary will have, over the tasks that have samples."""

    def __init__(self) -> None:
        self._text = ""
        self._made = 0.0

    def __call__(self, progress: Progress) -> str:
        """Return the text, made anew once in a while."""
        if progress.graded and time.monotonic() - self._made >= _INTERVAL_S:
            from passband.report.words import interval, percent
            from passband.stats import pass_rate_interval

            pairs = [(c, n) for c, n in zip(progress.case_passed, progress.case_graded, strict=True) if n]
            found = pass_rate_interval([c for c, _ in pairs], [n for _, n in pairs])
            self._text = f"pass@1 {percent(float(found.value))} {interval(found)}"
            self._made = time.monotonic()
        return self._text


@contextmanager
def work_progress(total: int) -> Iterator[Callable[[], None]]:
    """Give a callback that counts one piece of work done, drawn as for :func:`run_progress`."""
    if _silent():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(bar_width=40), MofNCompleteColumn(), TimeRemainingColumn(compact=True))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("work", total=total)
        yield lambda: bar.advance(task)


def _silent() -> bool:
    return not is_terminal(sys.stderr) or os.environ.get("CI") == "true"
