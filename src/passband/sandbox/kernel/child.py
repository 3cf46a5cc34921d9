"""What a forked child does until untrusted code runs in it: a folder of its own, limits, no rights, no way back."""

from __future__ import annotations

import marshal
import os
import sys
from typing import TYPE_CHECKING, Any

from passband.sandbox.kernel import bases, confine, identity, landlock, plain, supervise, view

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["allowed", "enter_branch_run", "enter_namespaces", "enter_supervised"]

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")
Entered = tuple[dict[str, Any], list[int]]


def enter_namespaces(config: Mapping[str, Any], header: Mapping[str, Any], status: int, fds: list[int]) -> Entered:
    """Confine a child that was made in namespaces of its own.

    Returns
    -------
    request, channels
        What the program is to do, and the descriptors it does it with.

    Raises
    ------
    BadTreeError
        Where the run's files cannot be laid out.
    OSError
        Where the sandbox cannot be set up.
    """
    payload, log, *channels = fds
    identity.become(identity.INSIDE)
    # A group of its own: kill(0, …) must not reach the server or its other runs.
    os.setsid()
    request = _read(payload, header)
    confine.mount_box(header["box"], proc=config["proc"])
    request["box"] = view.BOX
    _lay_out(request, header)
    _settle_descriptors(log, [status, *channels])
    if not header["branch"]:
        confine.limit(header["limits"])
    if config["landlock"]:
        # On top of what the mounts say; the network is empty, so that a program may talk to itself.
        landlock.restrict([], ["/"], [view.BOX, "/dev"], tcp=True)
    confine.renounce(**allowed(config, network=bool(header["network"])))
    return request, channels


def enter_branch_run(header: Mapping[str, Any], status: int, fds: list[int], line: int) -> Entered:
    """Begin a run of a branch, which is confined already: only the limits are its own."""
    payload, log, *channels = fds
    if sys.platform == "linux":
        os.setsid()
    else:
        plain.supervised(line)
    request = _read(payload, header)
    _settle_descriptors(log, [status, *channels])
    confine.limit(header["limits"])
    return request, channels


def enter_supervised(
    config: Mapping[str, Any], header: Mapping[str, Any], status: int, fds: list[int], line: int, spare: int | None
) -> Entered:
    """Confine a child without namespaces; only the candidate's process comes back from this.

    Parameters
    ----------
    config, header, status, fds
        As for :func:`enter_namespaces`.
    line : int
        A pipe that ends when the server does.
    spare : int or None
        User id to run as.
    """
    payload, log, *channels = fds
    request = _read(payload, header)
    box = request["box"] = supervise.enter(config["scratch"], line, owner=spare)
    if spare is not None:
        os.setgroups([])
        identity.become(spare)
    os.environ.update(HOME=f"{box}/tmp", TMPDIR=f"{box}/tmp")
    _lay_out(request, header)
    _settle_descriptors(log, [status, *channels])
    if not header["branch"]:
        others = 0 if spare is not None or sys.platform != "linux" else _processes_of(os.geteuid())
        confine.limit({**header["limits"], "pids": header["limits"]["pids"] + others})
    if config["isolation"] != "process":
        # Inside another program's sandbox for the signals alone: the server lives there too.
        landlock.restrict(config["listable"], config["readable"], [box, *_DEVICES])
        confine.renounce(**allowed(config, network=bool(header["network"])))
    return request, channels


def allowed(config: Mapping[str, Any], *, network: bool) -> dict[str, bool]:
    """Say what the filter of system calls lets pass, for :func:`passband.sandbox.kernel.seccomp.program`.

    Where Landlock stands alone it would let datagrams pass, calls at the local sockets of whatever serves this user,
    and changes to the modes of this user's files.
    """
    alone = config["isolation"] == "landlock"
    return {
        "inet": network or not alone,
        "unix": not alone,
        "own": config["isolation"] == "namespaces",
        "inodes": config["privileged"] or not alone,
    }


def _read(payload: int, header: Mapping[str, Any]) -> dict[str, Any]:
    request: dict[str, Any] = marshal.loads(os.pread(payload, header["size"], 0))
    return request


def _lay_out(request: dict[str, Any], header: Mapping[str, Any]) -> None:
    box = request["box"]
    if header["base"]:
        bases.lay_over(header["base"], request, box)
    else:
        confine.write_tree(request["tree"], f"{box}/repo")
    del request["tree"]
    if "beside" in request:
        confine.write_tree(request.pop("beside"), f"{box}/hidden")
    os.chdir(f"{box}/repo")
    if header["env"]:
        os.environ.update(header["env"])


def _settle_descriptors(log: int, keep: list[int]) -> None:
    """Empty standard input, both outputs to the log, and nothing else open but what the run is for."""
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    low = 3
    for fd in sorted(keep):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, 4096)


def _processes_of(uid: int) -> int:
    """Count the threads a user has running: the limit on processes counts them all."""
    count = 0
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == uid:
                    count += len(os.listdir(f"{entry.path}/task"))
            except OSError:
                continue
    return count
