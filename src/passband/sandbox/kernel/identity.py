"""Who a run is: a user id of its own as root, the caller's otherwise; always the same one seen from inside."""

from __future__ import annotations

import os
import sys

__all__ = ["INSIDE", "Identities", "become", "map_self"]

INSIDE = 1000
"""User and group id of a run, as it sees itself."""


class Identities:
    """Gives each run an identity.

    Parameters
    ----------
    privileged : bool
        Whether there are ids to spare: only root may map others' ids than its own.
    """

    def __init__(self, *, privileged: bool) -> None:
        self._privileged = privileged
        self._first, self._count = _spare() if privileged else (0, 1)
        self._next = os.getpid()  # servers side by side start at different places

    def take(self) -> int:
        """Return the id for the next run."""
        self._next += 1
        return self._first + self._next % self._count

    def give(self, proc: int, pid: int) -> None:
        """Map a process in a new user namespace to the next identity.

        Parameters
        ----------
        proc : int
            Descriptor of a ``/proc`` that shows the process.
        pid : int
            The process.
        """
        line = f"{INSIDE} {self.take()} 1"
        if not self._privileged:
            _write(proc, f"{pid}/setgroups", "deny")
        _write(proc, f"{pid}/uid_map", line)
        _write(proc, f"{pid}/gid_map", line)


def _write(proc: int, path: str, text: str) -> None:
    fd = os.open(path, os.O_WRONLY, dir_fd=proc)
    try:
        os.write(fd, text.encode())
    finally:
        os.close(fd)


def map_self(uid: int, gid: int) -> None:
    """Map this process, in a new user namespace, to root there."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def become(identity: int) -> None:
    """Take on an identity."""
    if sys.platform != "linux":
        raise OSError(f"no spare identities on {sys.platform}")
    os.setresgid(identity, identity, identity)
    os.setresuid(identity, identity, identity)


def _spare() -> tuple[int, int]:
    """Return (first, how many) of user ids that exist here and belong to nobody, from the largest range."""
    with open("/proc/self/uid_map") as file:
        first, count = max(((int(a), int(c)) for a, _b, c in map(str.split, file)), key=lambda x: x[1])
    if count < 2048:
        return (65534, 1) if first <= 65534 < first + count else (first + count - 1, 1)
    # Far from the ids that people, services and containers get, and from those that mean "nobody" and "no change".
    spare = min(8192, count // 4)
    return first + min(count, 0x7000_0000) - spare - 1024, spare
