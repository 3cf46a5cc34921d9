"""How a server hears that one of its runs has ended, and a run that its server has.

Linux gives a descriptor for a process, and kills a run with its server. Elsewhere the signal about a child rings a bell
in a pipe, and a run's supervisor holds a pipe that ends with its server.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from typing import Any

__all__ = ["Ends", "end_group", "peak_kb"]


class Ends:
    """Tells a server which of its children may have ended.

    Parameters
    ----------
    poll : select.poll
        What the server waits at.
    """

    def __init__(self, poll: select.poll) -> None:
        self._poll = poll
        self._bell = self._rope = -1
        if sys.platform != "linux":
            self._bell, self._rope = bell(signal.SIGCHLD)
            poll.register(self._bell, select.POLLIN)

    def watch(self, pid: int, line: int) -> int:
        """Begin to watch a child; returns the descriptor to hold while it runs.

        Parameters
        ----------
        pid : int
            The child.
        line : int
            The writing end of a pipe that the child reads, by whose end it hears of the server's.
        """
        if sys.platform != "linux":
            return line
        pidfd = os.pidfd_open(pid)
        self._poll.register(pidfd, select.POLLIN)
        return pidfd

    def rung(self, held: int, ready: dict[int, int]) -> bool:
        """Whether a child may have ended, by what the server was woken for."""
        return (held if self._bell < 0 else self._bell) in ready

    def hush(self, ready: dict[int, int]) -> None:
        """Empty the bell, before it is looked which child it was."""
        if self._bell in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(self._bell, 4096)

    def forget(self, held: int) -> None:
        """Let go of a child that has ended."""
        if self._bell < 0:
            self._poll.unregister(held)
        os.close(held)

    def leave(self) -> None:
        """Stop listening, in a child of the server."""
        if self._bell >= 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(self._bell)
            os.close(self._rope)


def bell(*numbers: signal.Signals) -> tuple[int, int]:
    """Let these signals, and nothing else about them, write their numbers to a pipe; returns its two ends."""
    read, write = os.pipe()
    for fd in (read, write):
        os.set_blocking(fd, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for number in numbers:
        signal.signal(number, _nothing)
    return read, write


def _nothing(_number: int, _frame: Any) -> None:
    """Be there: without a handler no signal rings."""


def end_group(leader: int) -> None:
    """Kill what is left of a process group.

    Without Linux's calls a process's descendants cannot be listed; those that have left its group live on.
    """
    # A group whose processes have all ended but not been waited for answers that it may not be signalled.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def peak_kb(maximum: int) -> int:
    """Return the kernel's count of the most memory that was in use, which is in bytes on macOS, in KiB."""
    return maximum // 1024 if sys.platform == "darwin" else maximum
