"""Control groups, where this process may make some: memory and processes of a whole run, not only of one process.

Groups are made once and lent to one run after another. Both versions of the interface are known; the second only where
the controllers are already handed down, since a group that holds processes cannot begin to do so.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Cgroups"]

_SLACK = 32 << 20
_NAME = re.compile(r"passband-(\d+)-[0-9a-f]+-\d+")


class _Kind(NamedTuple):
    folder: int
    """Descriptor of the group that this process is in."""
    memory: str
    pids: str
    events: str
    """The file that counts how often a process was killed for memory."""


def _mounts() -> dict[str, str]:
    """Return controller → mount point; "" stands for the unified hierarchy."""
    found = {}
    with open("/proc/self/mountinfo") as file:
        for line in file:
            left, _, right = line.partition(" - ")
            kind, _source, options = right.split()[:3]
            where = left.split()[4]
            if kind == "cgroup2":
                found[""] = where
            elif kind == "cgroup":
                found.update({name: where for name in options.split(",") if name in {"memory", "pids"}})
    return found


def _own() -> dict[str, str]:
    """Return controller → path of the group that this process is in."""
    with open("/proc/self/cgroup") as file:
        rows = [line.strip().split(":", 2) for line in file]
    return {name: path for _number, names, path in rows for name in names.split(",")}


def _kinds() -> list[_Kind]:
    mounts, own = _mounts(), _own()
    found = []
    for name, files in (
        ("memory", ("memory.limit_in_bytes", "", "memory.oom_control")),
        ("pids", ("", "pids.max", "")),
    ):
        if name in mounts and name in own:
            found.append(_Kind(_open(mounts[name] + own[name]), *files))
    if not found and "" in mounts and "" in own:
        folder = _open(mounts[""] + own[""])
        with open(os.open("cgroup.subtree_control", os.O_RDONLY, dir_fd=folder)) as file:
            handed = file.read().split()
        if {"memory", "pids"} <= set(handed):
            found.append(_Kind(folder, "memory.max", "pids.max", "memory.events"))
    return found


def _open(path: str) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


class _Group:
    """One group, in each hierarchy, with its files held open."""

    def __init__(self, kinds: list[_Kind], name: str) -> None:
        self.limits: tuple[int, int] | None = None
        self._kinds, self._name = kinds, name
        for kind in kinds:
            os.mkdir(name, dir_fd=kind.folder)
            # Held as long as this process lives: what nobody holds is left over.
            fcntl.flock(os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=kind.folder), fcntl.LOCK_SH)
        self._entries = [self._open(kind, "cgroup.procs", os.O_WRONLY) for kind in kinds]
        self._counts = [self._open(kind, kind.events, os.O_RDONLY) for kind in kinds if kind.events]
        self._killed = 0

    def _open(self, kind: _Kind, file: str, mode: int) -> int:
        return os.open(f"{self._name}/{file}", mode, dir_fd=kind.folder)

    def limit(self, memory: int, pids: int) -> None:
        if self.limits == (memory, pids):
            return
        for kind in self._kinds:
            for file, value in ((kind.memory, memory), (kind.pids, pids)):
                if file:
                    fd = self._open(kind, file, os.O_WRONLY)
                    os.write(fd, str(value).encode())
                    os.close(fd)
        self.limits = (memory, pids)

    def add(self, pid: int) -> None:
        for fd in self._entries:
            os.write(fd, str(pid).encode())

    def killed(self) -> bool:
        """Whether a process was killed for memory since this was last asked."""
        now = 0
        for fd in self._counts:
            lines = os.pread(fd, 4096, 0).decode().splitlines()
            now += int(dict(line.split() for line in lines).get("oom_kill", 0))
        before, self._killed = self._killed, now
        return now > before

    def remove(self) -> None:
        for kind in self._kinds:
            with contextlib.suppress(OSError):
                os.rmdir(self._name, dir_fd=kind.folder)


def _sweep(kind: _Kind) -> None:
    """Remove the groups of servers that were killed before they could."""
    for name in os.listdir(kind.folder):
        found = _NAME.fullmatch(name)
        if found is None or _lives(int(found[1])):
            continue
        with contextlib.suppress(OSError):  # its processes live on, or it is another container's, where numbers differ
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=kind.folder)
            try:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.rmdir(name, dir_fd=kind.folder)
            finally:
                os.close(folder)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


class Cgroups:
    """Groups for the runs of one server.

    Parameters
    ----------
    pids : bool
        Whether processes are to be counted too; where each run has a user id of its own, that one's limit does it.
    """

    def __init__(self, *, pids: bool) -> None:
        self._groups: list[_Group] = []
        self._free: list[int] = []
        self._kinds: list[_Kind] = []
        # Whatever stands in the way, runs are still limited process by process.
        with contextlib.suppress(OSError, ValueError):
            self._kinds = [kind for kind in _kinds() if pids or kind.memory]
            for kind in self._kinds:
                _sweep(kind)
        # A number comes round again, and with it the name of a group that could not be removed.
        self._stem = f"passband-{os.getpid()}-{os.urandom(4).hex()}"

    def take(self, limits: Mapping[str, Any], box: int) -> int:
        """Return the number of a group with these limits; -1 where there are none to be had."""
        if not self._kinds:
            return -1
        try:
            if not self._free:
                self._groups.append(_Group(self._kinds, f"{self._stem}-{len(self._groups)}"))
                self._free.append(len(self._groups) - 1)
            self._groups[self._free[-1]].limit(int(limits["mem_mb"] * 2**20) + box + _SLACK, int(limits["pids"]) + 1)
        except OSError:
            self._kinds = []
            return -1
        return self._free.pop()

    def add(self, group: int, pid: int) -> None:
        """Put a process into a group."""
        self._groups[group].add(pid)

    def release(self, group: int) -> bool:
        """Take a group back; returns whether a process in it was killed for memory."""
        self._free.append(group)
        return self._groups[group].killed()

    def close(self) -> None:
        """Remove the groups; all their processes must be gone."""
        for group in self._groups:
            group.remove()
