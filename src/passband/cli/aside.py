"""Standard output is the report's: what a subject prints while it is loaded or asked goes to standard error."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["aside"]


@contextlib.contextmanager
def aside() -> Iterator[None]:
    """Turn standard output to standard error, for the whole process and its children, until the end of the block.

    The stream and the descriptor both: what threads, extensions and programs write is turned aside too.
    """
    out, err = sys.stdout, sys.stderr
    if out is None or err is None:  # closed before the start: its descriptor may be another file's
        with contextlib.redirect_stdout(err):
            yield
        return
    out.flush()
    saved = os.dup(1)
    os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(err):
            yield
    finally:
        with contextlib.suppress(OSError, ValueError):  # what somebody wrote to the stream that he had kept
            out.flush()
        os.dup2(saved, 1)
        os.close(saved)
