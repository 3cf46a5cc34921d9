"""Ctrl-C as a wish that is heard between two steps, not as an exception in the middle of one."""

from __future__ import annotations

import contextlib
import signal
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

__all__ = ["interruptions"]

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def interruptions() -> Iterator[Callable[[], bool]]:
    """Give a function that says whether the process was asked to end, by Ctrl-C or SIGTERM.

    The first request is noted; a second one raises KeyboardInterrupt wherever it strikes. Off the main thread signals
    are somebody else's, and the function always says no.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    asked = False

    def note(_signal: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
