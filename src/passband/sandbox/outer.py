"""What a run sees in the tiers that build no view of their own: a bubblewrap command, or a list for Landlock."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passband.sandbox.kernel.view import Bind

__all__ = ["bubblewrap", "readable"]

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = (
    *("alternatives", "group", "hosts", "ld.so.cache", "localtime", "mime.types", "nsswitch.conf", "passwd"),
    *("protocols", "resolv.conf", "services", "ssl"),
)
_SCRATCH_BYTES = 1 << 30


def bubblewrap(binds: Sequence[Bind], package: Path, *, share_network: bool) -> list[str]:
    """Return the command that runs a server inside bubblewrap.

    Parameters
    ----------
    binds : sequence of Bind
        What to show beside the system.
    package : Path
        This package, for the server to load; it is covered again where the binds say so.
    share_network : bool
        Whether to leave the host's network in place.

    Returns
    -------
    list of str
    """
    argv = ["bwrap", "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if not share_network:
        argv.append("--unshare-net")
    argv += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    for path in _SYSTEM:
        if os.path.islink(path):
            argv += ["--symlink", os.readlink(path), path]
        else:
            argv += ["--ro-bind-try", path, path]
    for name in _ETC:
        argv += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    argv += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        argv += ["--size", str(_SCRATCH_BYTES), "--tmpfs", folder]
    for part in ("sandbox/kernel", "grade/inside"):
        argv += ["--ro-bind", str(package / part), str(package / part)]
    for bind in sorted(binds, key=lambda b: b.target.count("/")):
        if bind.source is not None:
            argv += ["--ro-bind", bind.source, bind.target]
        elif os.path.isdir(bind.target):
            argv += ["--tmpfs", bind.target, "--remount-ro", bind.target]
    return [*argv, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]


def readable(binds: Sequence[Bind]) -> dict[str, list[str]]:
    """List what a run may read under Landlock.

    Landlock can only allow. Of a folder with a hole in it the parts may be read, and the names of all may be listed.

    Returns
    -------
    dict
        ``listable`` and ``readable``: paths.
    """
    listable = []
    blank = {b.target for b in binds if b.source is None}
    paths = [*_SYSTEM, *(f"/etc/{name}" for name in _ETC)]
    for bind in binds:
        if bind.source is None:
            continue
        holes = {b for b in blank if b.startswith(f"{bind.target}/")}
        if not holes:
            paths.append(bind.source)
            continue
        listable.append(bind.source)
        paths += [entry.path for entry in os.scandir(bind.source) if f"{bind.target}/{entry.name}" not in holes]
    return {"listable": listable, "readable": paths}
