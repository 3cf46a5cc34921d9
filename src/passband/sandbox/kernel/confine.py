"""The last steps before untrusted code runs: a private disk, limits, no rights, no way back."""

from __future__ import annotations

import math
import os
import resource
import sys
from typing import TYPE_CHECKING, Any

from passband.sandbox.kernel import seccomp
from passband.sandbox.kernel import syscalls as sc
from passband.sandbox.kernel.view import BOX

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BadTreeError", "limit", "mount_box", "renounce", "reset_environment", "write_tree"]


class BadTreeError(Exception):
    """The tree to run in cannot exist on this file system: a name too long, a file that is also a folder."""


def mount_box(size: int, *, proc: bool) -> None:
    """Mount the run's own tmpfs and its own ``/proc``.

    Parameters
    ----------
    size : int
        Bytes the run may write in all, its tree included.
    proc : bool
        Whether this machine lets a namespace mount ``/proc``; where not, an empty folder covers it.
    """
    options = f"size={size},mode=755,nr_inodes={16384 + size // 4096}"
    sc.mount("box", BOX, "tmpfs", sc.MS_NOSUID | sc.MS_NODEV, options)
    for name in ("repo", "tmp", "shm", "hidden"):
        os.mkdir(f"{BOX}/{name}")
    flags = sc.MS_NOSUID | sc.MS_NODEV | sc.MS_NOEXEC | sc.MS_RDONLY
    sc.mount("proc", "/proc", "proc" if proc else "tmpfs", flags)


def write_tree(tree: Mapping[str, bytes], root: str) -> None:
    """Write files under `root`.

    Raises
    ------
    BadTreeError
        Where the file system refuses one.
    """
    made = {root}
    for path, content in tree.items():
        try:
            target = f"{root}/{path}"
            folder = os.path.dirname(target)
            if folder not in made:
                os.makedirs(folder, exist_ok=True)
                made.add(folder)
            fd = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
            try:
                view = memoryview(content)
                while view:
                    view = view[os.write(fd, view) :]
            finally:
                os.close(fd)
        except (OSError, UnicodeError, ValueError) as error:
            raise BadTreeError(f"{path!r} cannot be written: {error}") from None


def limit(limits: Mapping[str, Any]) -> None:
    """Set the resource limits; the CPU limit kills at once, with no signal a program could catch first."""
    cpu = max(1, math.ceil(limits["cpu_s"]))
    memory, size = int(limits["mem_mb"] * 2**20), int(limits["file_mb"] * 2**20)
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_FSIZE: size,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_AS: memory,
    }
    if sys.platform == "linux":
        # Elsewhere nothing tells cheaply how many processes the user has already, whom this limit counts.
        wanted |= {resource.RLIMIT_NPROC: int(limits["pids"]), resource.RLIMIT_MSGQUEUE: 0}
    for kind, value in wanted.items():
        hard = resource.getrlimit(kind)[1]
        top = value if hard == resource.RLIM_INFINITY else min(value, hard)
        try:
            resource.setrlimit(kind, (top, top))
        except (OSError, ValueError):
            # macOS counts its shared libraries as a process's own memory, which is then over any limit.
            if sys.platform == "linux" or kind != resource.RLIMIT_AS:
                raise


def reset_environment() -> None:
    """Leave an environment of constants: the same in every run on every machine."""
    seed = os.environ.get("PYTHONHASHSEED", "0")
    os.environ.clear()
    os.environ.update(
        HOME=f"{BOX}/tmp",
        LANG="C.UTF-8",
        MKL_NUM_THREADS="1",
        OMP_NUM_THREADS="1",
        # One thread, since each would reserve address space that the limit counts.
        OPENBLAS_NUM_THREADS="1",
        PATH="/usr/local/bin:/usr/bin:/bin",
        PYTHONDONTWRITEBYTECODE="1",
        PYTHONHASHSEED=seed,
        TMPDIR=f"{BOX}/tmp",
        TZ="UTC",
    )


def renounce(**may: bool) -> None:
    """Give up what is left: capabilities, the survival of the supervisor's death, dangerous system calls.

    What may be done is as for :func:`passband.sandbox.kernel.seccomp.program`.
    """
    sc.drop_capabilities()
    # Set last: a change of credentials clears it, and the filter forbids changing it afterwards.
    sc.prctl(sc.PR_SET_PDEATHSIG, 9)
    seccomp.install(**may)
