"""What a sandbox is told to show: plain data, which the host can hold on any system."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Bind"]


class Bind(NamedTuple):
    """A path of the host that shows up in the sandbox."""

    source: str | None
    """Path on the host, links resolved; None for an empty folder that hides what else would show at `target`."""
    target: str
