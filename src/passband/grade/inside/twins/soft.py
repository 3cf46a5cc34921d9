"""Checks that note how they went and let the test go on: what runs in a test file with twins in it.

In such a file some checks are as they were written and others cannot hold. Each notes whether it held, and the test
goes on either way, so that all of them are reached, whatever a candidate keeps between calls goes the same way as in a
run without twins, and nothing here has to know which is which: that is decided outside, by comparing the notes.
"""

from __future__ import annotations

import unittest
from typing import TYPE_CHECKING, Any

from _pytest.outcomes import Failed, Skipped

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["Check", "take"]

_MOST = 2000
_notes: dict[int, list[str]] = {}


class Check:
    """A context manager around one check.

    Parameters
    ----------
    number : int
        Which check it is.
    """

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        """Note how it went; what a test fails with ends here."""
        if kind is not None and (not issubclass(kind, (Exception, Failed)) or issubclass(kind, _SKIPS)):
            return False
        noted = _notes.setdefault(self.number, [])
        if len(noted) < _MOST:
            noted.append("1" if kind is None else "0")
        return True


_SKIPS = (unittest.SkipTest, Skipped)


def take() -> dict[str, str]:
    """Return the notes, and begin anew: check → for each time it was reached whether it held, 1 or 0."""
    taken = {str(number): "".join(noted) for number, noted in _notes.items()}
    _notes.clear()
    return taken
