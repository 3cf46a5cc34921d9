"""The progress bar: on a terminal only, and never in the way of a result."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passband.run import Progress

__all__ = ["run_progress", "work_progress"]


@contextmanager
def run_progress() -> Iterator[Callable[[Progress], None]]:
    """Give a callback that draws how far a run is on standard error.

    Nothing is drawn where standard error is no terminal, or under ``CI=true``.
    """
    if _silent():
        yield lambda _progress: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        BarColumn(bar_width=40),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        TextColumn("left  {task.fields[rate]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("samples", total=None, rate="")

        def draw(progress: Progress) -> None:
            bar.update(task, total=progress.scheduled, completed=progress.done, rate=_so_far(progress))

        yield draw


def _so_far(progress: Progress) -> str:
    if not progress.graded:
        return ""
    rate = 100 * progress.passed / progress.graded
    # The raw share of a run under way, with no interval: the tasks are not evenly drawn yet.
    errors = f"  err {progress.errored}" if progress.errored else ""
    return f"passing {rate:.1f}% so far{errors}"


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
    return not sys.stderr.isatty() or os.environ.get("CI") == "true"
