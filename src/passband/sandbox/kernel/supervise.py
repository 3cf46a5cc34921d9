"""Runs without namespaces: a supervisor for each, which adopts whatever the run leaves behind and ends it.

This is the way of the weaker tiers. Inside a sandbox that another program built, or with Landlock and a system call
filter to hold a run, the supervisor keeps the promises of a pid namespace: nothing outlives the run, and its folder
goes with it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
from typing import NoReturn

from passband.sandbox.kernel import plain
from passband.sandbox.kernel import syscalls as sc

__all__ = ["end_all", "enter"]

_PR_SET_CHILD_SUBREAPER = 36


def children(parent: int) -> list[int]:
    """Return the pids of a process's children, adopted ones included."""
    found = []
    for thread in os.listdir(f"/proc/{parent}/task"):
        with contextlib.suppress(OSError), open(f"/proc/{parent}/task/{thread}/children") as file:
            found += [int(pid) for pid in file.read().split()]
    return found


def enter(scratch: str, line: int, *, owner: int | None) -> str:
    """Fork; the child returns with the path of its own folder, the parent supervises it and never returns.

    Parameters
    ----------
    scratch : str
        Folder in which that of the run is made.
    line : int
        A pipe that ends when the server does.
    owner : int or None
        User and group id that the folder is to belong to; None leaves it.
    """
    box = tempfile.mkdtemp(prefix="run-", dir=scratch)
    os.chmod(box, 0o755)  # noqa: S103 - the run has another user id
    for name in ("repo", "tmp", "shm", "hidden"):
        os.mkdir(f"{box}/{name}")
        if owner is not None:
            os.chown(f"{box}/{name}", owner, owner)
    if sys.platform != "linux":
        plain.supervised(line, box)
        return box
    os.setsid()
    sc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # Blocked until the supervisor waits for it, so that none is lost in between.
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGCHLD})
    pid = sc.clone(0)
    if pid == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGCHLD})
        sc.prctl(sc.PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
    else:
        # Whoever waits for the end of a stream must not wait for the supervisor.
        os.closerange(3, 4096)
        _supervise(pid, box)
    return box


def _supervise(pid: int, box: str) -> NoReturn:
    code = None
    while code is None:
        if signal.sigwait({signal.SIGTERM, signal.SIGCHLD}) == signal.SIGTERM:  # the server says that time is up
            os.kill(pid, signal.SIGKILL)
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        while code is None:
            done, status = os.waitpid(-1, os.WNOHANG)
            if not done:
                break
            code = os.waitstatus_to_exitcode(status) if done == pid else None
    end_all()
    shutil.rmtree(box, ignore_errors=True)
    if code < 0:
        # End the same way, for the server to see.
        if -code not in {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(max(code, 0))


def _descendants() -> set[int]:
    found, todo = set(), children(os.getpid())
    while todo:
        pid = todo.pop()
        if pid not in found:
            found.add(pid)
            with contextlib.suppress(OSError):
                todo += children(pid)
    return found


def end_all() -> None:
    """Kill every process that descends from this one, and those that come meanwhile, until there is nobody."""
    held: set[int] = set()
    while True:
        # Stopped first, all of them: what forks faster than it is killed would get away for ever.
        now = _descendants()
        for number in (signal.SIGSTOP, signal.SIGKILL) if now <= held else (signal.SIGSTOP,):
            for pid in now:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        held = now
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
