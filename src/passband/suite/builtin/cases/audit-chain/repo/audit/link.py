"""A chain of entries, the newest first; nothing in it ever changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class Link:
    """An entry and all the entries before it."""

    entry: str
    before: Link | None = None


def length(chain: Link | None) -> int:
    """How many entries there are."""
    if chain is None:
        return 0
    return 1 + length(chain.before)


def newest(chain: Link | None, wanted: Callable[[str], bool]) -> str | None:
    """The newest entry of the wanted kind."""
    if chain is None or wanted(chain.entry):
        return chain.entry if chain else None
    return newest(chain.before, wanted)


def oldest_first(chain: Link | None) -> list[str]:
    """Every entry in the order in which it was added."""
    if chain is None:
        return []
    return [*oldest_first(chain.before), chain.entry]
