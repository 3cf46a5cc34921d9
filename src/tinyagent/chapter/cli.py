"""The work of ``tinyagent chapter``: run sections in order, write them, and say where they are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from passband.errors import UsageError
from tinyagent.chapter.artifacts import text, write_index, write_section
from tinyagent.chapter.lab import Lab
from tinyagent.chapter.registry import find_section, section_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tinyagent.chapter.lab import Bar

__all__ = ["run_chapter"]


def run_chapter(
    names: Sequence[str],
    out: Path,
    *,
    seed: int,
    cache: Path | None,
    bar: Bar,
    progress: Callable[[str], None],
    say: Callable[[str], None],
) -> None:
    """Run sections and write each as soon as it is done.

    Parameters
    ----------
    names : sequence of str
        Sections; all of them where there is none.
    out : Path
        Folder of the pages.
    seed, cache, bar
        As for `Lab`.
    progress : callable
        Given the name of each section when it begins.
    say : callable
        Given what the user is to read: a section's tables where it was named, a line for each otherwise.

    Raises
    ------
    UnknownNameError
        For a section that does not exist, before anything is run.
    UsageError
        Where the folder of pages or of the cache cannot be made.
    """
    runs = [(name, find_section(name)) for name in names or section_names()]
    lab = Lab(seed, cache=cache, bar=bar)
    for folder in (out, lab.cache):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot be made: {error.strerror}", where=str(folder), fix="take another") from None
    for name, run in runs:
        progress(name)
        begun = time.monotonic()
        section = run(lab)
        page = write_section(section, out)
        if names:
            say(text(section) + "\n")
        say(f"{name:12} {page}  {time.monotonic() - begun:.1f} s")
    say(f"{'index':12} {write_index(out, section_names())}")
