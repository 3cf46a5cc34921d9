"""Why samples have no verdict, counted."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ErrorCause", "count_causes"]

_VARYING = re.compile(r"0x[0-9a-f]+|\d+(?:\.\d+)?")
_LONGEST = 300  # characters of a cause


@dataclass(frozen=True)
class ErrorCause:
    """One cause, and how many samples it took."""

    cause: str
    """The first line of the last fault, as the first of these samples has it."""
    samples: int


def count_causes(causes: Iterable[str]) -> tuple[ErrorCause, ...]:
    """Count equal causes, the most frequent first.

    Parameters
    ----------
    causes : iterable of str
        One of each errored sample. Those that differ in numbers alone (a port, an address, a time) are taken for one.
    """
    counted: Counter[str] = Counter()
    first: dict[str, str] = {}
    for cause in causes:
        text = cause.strip().split("\n", 1)[0][:_LONGEST] or "no cause was written down"
        kind = _VARYING.sub("0", text)
        counted[kind] += 1
        first.setdefault(kind, text)
    return tuple(ErrorCause(first[kind], number) for kind, number in counted.most_common())
