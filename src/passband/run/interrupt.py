"""Ctrl-C as a wish that is heard between two steps, not as an exception in the middle of one."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["interruptions"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_TERM_GRACE_S = 10.0
"""How long work in flight may go on after SIGTERM, which nobody sends twice."""


@contextlib.contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether the process was asked to end, by Ctrl-C or SIGTERM.

    The first request is noted and acknowledged on standard error; a second one raises KeyboardInterrupt wherever it
    strikes, and so does the end of the grace that SIGTERM gives. Off the main thread signals are somebody else's, and
    the function always says no.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    asked = False
    grace = threading.Timer(_TERM_GRACE_S, os.kill, (os.getpid(), signal.SIGTERM))
    grace.daemon = True

    def note(number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        how = "once more to leave at once"
        if number == signal.SIGTERM:
            grace.start()
            how = f"at most {_TERM_GRACE_S:.0f} s"
        # Not print: a handler may strike in the middle of another write.
        os.write(2, f"passband: finishing what is in flight; {how}\n".encode())

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield lambda: asked
    finally:
        grace.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
