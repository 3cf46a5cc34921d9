"""The file system a sandbox sees: a new root that holds what is listed, read-only, and nothing else."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from passband.sandbox.kernel import syscalls as sc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passband.sandbox.kernel.bind import Bind

__all__ = ["BOX", "HIDDEN", "REPO", "build"]

BOX = "/box"
"""Where each run's own tmpfs goes: the tree, the scratch space, and nothing that outlives the run."""
REPO = f"{BOX}/repo"
HIDDEN = f"{BOX}/hidden"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    "alternatives",
    "group",
    "hosts",
    "ld.so.cache",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "passwd",
    "protocols",
    "resolv.conf",
    "services",
    "ssl",
)
_DEVICES = ("null", "zero", "full", "random", "urandom")
_MOUNT_POINTS = ("/tmp", "/mnt", "/var/tmp", "/run", "/srv")


def _place(target: str, *, folder: bool) -> None:
    """Make the mount point."""
    if folder:
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "a"):
            pass


def _bind(source: str, target: str) -> None:
    _place(target, folder=os.path.isdir(source))
    sc.mount(source, target, None, sc.MS_BIND | sc.MS_REC)


def _system() -> list[tuple[str, str]]:
    """List (link target or "", path) of what every sandbox shows, before anything is moved."""
    plan = [(os.readlink(p) if os.path.islink(p) else "", p) for p in _SYSTEM if os.path.isdir(p)]
    return plan + [("", f"/etc/{name}") for name in _ETC if os.path.exists(f"/etc/{name}")]


def _devices(old: str, new: str) -> None:
    os.makedirs(f"{new}/dev")
    for name in _DEVICES:
        _bind(f"{old}/dev/{name}", f"{new}/dev/{name}")
    for name, to in (("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")):
        os.symlink(f"/proc/self/fd{to}", f"{new}/dev/{name}")
    os.symlink(f"{BOX}/shm", f"{new}/dev/shm")


def _scratch(new: str, binds: Iterable[Bind]) -> None:
    """Let the usual folders for scratch files lead to the run's own; but not where something is to show in them."""
    os.makedirs(f"{new}/var")
    for name in ("/tmp", "/var/tmp"):
        if not any(bind.target.startswith(f"{name}/") for bind in binds):
            os.symlink(f"{BOX}/tmp", new + name)


def build(binds: list[Bind]) -> int:
    """Enter a new root in this process's own mount namespace, which must be a fresh one.

    Parameters
    ----------
    binds : list of Bind
        What to show beside the system's own libraries and programs.

    Returns
    -------
    int
        A descriptor of the former ``/proc``, for writing the id maps of children.

    Raises
    ------
    OSError
        Where a mount is refused or a source is missing.
    """
    if sys.platform != "linux":
        raise OSError(f"no mount namespaces on {sys.platform}")
    system = [(link, path, os.path.realpath(path)) for link, path in _system()]
    sc.mount("none", "/", None, sc.MS_REC | sc.MS_PRIVATE)
    base = next(p for p in _MOUNT_POINTS if os.path.isdir(p))
    sc.mount("passband", base, "tmpfs", sc.MS_NOSUID | sc.MS_NODEV, "size=4m,mode=755")
    for name in ("old", "new"):
        os.mkdir(f"{base}/{name}")
    sc.mount(f"{base}/new", f"{base}/new", None, sc.MS_BIND)
    sc.pivot_root(base, f"{base}/old")
    os.chdir("/")
    # The base's tmpfs became the root, so nothing of the host is covered under /old.
    old, new = "/old", "/new"
    for link, path, real in system:
        if link:
            os.symlink(link, new + path)
        else:
            _bind(old + real, new + path)
    _devices(old, new)
    _scratch(new, binds)
    for bind in sorted(binds, key=lambda b: b.target.count("/")):
        if bind.source is not None:
            if not os.path.exists(new + bind.target):  # already there as part of /usr
                _bind(old + bind.source, new + bind.target)
        elif os.path.isdir(new + bind.target):
            sc.mount("none", new + bind.target, "tmpfs", sc.MS_NOSUID | sc.MS_NODEV, "size=4k,mode=555")
    for folder in (HIDDEN, "/base"):
        os.makedirs(new + folder)
    _bind(f"{old}/proc", f"{new}/proc")
    proc = os.open(f"{old}/proc", os.O_PATH | os.O_DIRECTORY)
    os.mkdir(f"{new}/.old")
    sc.pivot_root(new, f"{new}/.old")
    os.chdir("/")
    sc.detach("/.old")
    os.rmdir("/.old")
    sc.read_only("/")
    return proc
