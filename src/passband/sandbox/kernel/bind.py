"""What a sandbox is told: plain data, which the host can hold on any system."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["RUN_FOLDER", "Bind"]

RUN_FOLDER = "\0box"
"""Stands for the folder of a run in a command's words and environment: no word that a program can be given holds it."""


class Bind(NamedTuple):
    """A path of the host that shows up in the sandbox."""

    source: str | None
    """Path on the host, links resolved; None for an empty folder that hides what else would show at `target`."""
    target: str
