"""What programs print: kept up to a bound where somebody may look at it, and never in a pipe that nobody empties."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["Printed", "mute", "reopen"]

_MAX_PRINTED = 1 << 16
_ERRORS = "backslashreplace"


class Printed(io.BufferedIOBase):
    """The binary layer below a standard stream of the candidate's.

    It stays open, so that code which closes its output, or wraps it anew, does not lose what the judge is to see.

    Parameters
    ----------
    name : str
        As the interpreter's own stream has it.
    fd : int
        What the stream's number is, for code that asks; what is written there by number is not kept here.
    """

    def __init__(self, name: str, fd: int) -> None:
        self.name = name
        self._fd = fd
        self._kept = bytearray()

    def text(self) -> io.TextIOWrapper:
        """Make a text stream over it, which passes everything on at once."""
        return io.TextIOWrapper(self, encoding="utf-8", errors=_ERRORS, newline="\n", write_through=True)

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def fileno(self) -> int:
        """Return the stream's number."""
        return self._fd

    def write(self, data: ReadableBuffer, /) -> int:
        """Keep what there is still room for, and take the rest as written."""
        view = memoryview(data).cast("B")
        self._kept += view[: max(0, _MAX_PRINTED - len(self._kept))]
        return len(view)

    def close(self) -> None:
        """Stay open."""

    def take(self) -> str:
        """Return what was written since the last time."""
        text = self._kept.decode("utf-8", _ERRORS)
        self._kept.clear()
        return text


def mute() -> None:
    """Send this process's output nowhere: nobody reads it while the process lasts, and a full pipe would stop it."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def reopen() -> None:
    """Make the standard streams anew: those from before the fork take their descriptors for what they were then."""
    sys.stdout = sys.__stdout__ = _opened(1, "<stdout>", line_buffering=False)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = _opened(2, "<stderr>", line_buffering=True)  # type: ignore[misc]


def _opened(fd: int, name: str, *, line_buffering: bool) -> io.TextIOWrapper:
    raw = io.FileIO(fd, "w", closefd=False)
    raw.name = name  # as the interpreter's own streams have it
    buffer = io.BufferedWriter(raw)
    return io.TextIOWrapper(buffer, encoding="utf-8", errors=_ERRORS, newline="\n", line_buffering=line_buffering)
