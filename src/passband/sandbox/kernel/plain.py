"""Runs of the plain tier where Linux's calls are not to be had: a supervisor each, and process groups.

Other systems do not hand a dead process's children to who looked after it, and do not say who descends from whom. What
can be done is to keep a run in the process group of its supervisor and to kill that group. A process that leaves the
group, by a session or a group of its own, gets away.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import time
from typing import NoReturn

from passband.sandbox.kernel.ends import bell, end_group

__all__ = ["end_apart", "group_apart", "supervised"]

_LOOK_S = 0.2


def supervised(line: int, box: str = "") -> None:
    """Fork; the child returns, the parent supervises it and never does.

    Parameters
    ----------
    line : int
        A pipe that ends when the server does.
    box : str
        Folder that goes with the run.
    """
    os.setsid()
    heard = {signal.SIGTERM, signal.SIGCHLD}
    # Blocked until the supervisor listens, so that none is lost in between.
    signal.pthread_sigmask(signal.SIG_BLOCK, heard)
    pid = os.fork()
    if pid:
        _supervise(pid, line, box)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, heard)


def _supervise(pid: int, line: int, box: str) -> NoReturn:
    # Whoever waits for the end of a stream must not wait for the supervisor.
    os.closerange(3, line)
    os.closerange(line + 1, 4096)
    heard, _rope = bell(signal.SIGTERM, signal.SIGCHLD)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGCHLD})
    done = 0
    while not done:
        ready = select.select([heard, line], [], [])[0]
        said = os.read(heard, 4096) if heard in ready else b""
        if line in ready or signal.SIGTERM in said:  # the server is gone, or says that time is up
            os.kill(pid, signal.SIGKILL)
            done, status = os.waitpid(pid, 0)
        else:
            done, status = os.waitpid(pid, os.WNOHANG)
    end_group(pid)
    if box:
        shutil.rmtree(box, ignore_errors=True)
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        # End the same way, for the server to see.
        if -code not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(max(code, 0))


def group_apart() -> int:
    """Make a process group, named after this process but without it, for what it is about to start.

    Returns
    -------
    int
        The process that keeps the group in being, and ends it should this one die.
    """
    mine, supervisor = os.getpid(), os.getppid()
    os.setpgid(0, 0)
    keeper = os.fork()
    if keeper == 0:
        while os.getppid() == mine:
            time.sleep(_LOOK_S)
        end_group(mine)
    with contextlib.suppress(OSError):  # the supervisor is gone, and the server about to end this
        os.setpgid(0, supervisor)
    return keeper


def end_apart(keeper: int) -> None:
    """End the group that this process has made."""
    end_group(os.getpid())
    with contextlib.suppress(ChildProcessError):
        os.waitpid(keeper, 0)
