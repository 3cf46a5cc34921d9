"""What a run sees in the tiers that build no view of their own: a bubblewrap command, or a list for Landlock."""

from __future__ import annotations

import os
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from passband.sandbox.kernel.bind import Bind
    from passband.sandbox.setting import Setting

__all__ = ["ETC", "PACKAGE", "PARTS", "RIGHTS", "SCRATCH_BYTES", "SYSTEM", "bubblewrap", "readable", "readable_inside"]

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = tuple(
    f"/etc/{name}"
    for name in (
        *("alternatives", "group", "hosts", "ld.so.cache", "localtime", "mime.types", "nsswitch.conf", "passwd"),
        *("protocols", "resolv.conf", "services", "ssl"),
    )
)
SCRATCH_BYTES = 1 << 30
PACKAGE = "/passband"
"""Where the server's own code shows inside another program's sandbox: beside what hides the rest of this package."""
PARTS = ("sandbox/kernel", "grade/inside")
RIGHTS = ("SETUID", "SETGID", "CHOWN", "KILL", "DAC_OVERRIDE")
"""What a server needs to give each run a user id of its own, and to end it and clear away after it. No run has them."""


def bubblewrap(setting: Setting, package: Path) -> list[str]:
    """Return the command that runs a server inside bubblewrap.

    Parameters
    ----------
    setting : Setting
        As root (``privileged``) no user namespace is made. In one the server's user would still be root to the kernel,
        whom the limit on processes does not bind; without one each run can get another user's id.
    package : Path
        This package, for the server to load.

    Returns
    -------
    list of str
    """
    argv = ["bwrap", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    if not setting.privileged:
        argv.append("--unshare-user")
    if not setting.share_network:
        argv.append("--unshare-net")
    argv += ["--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    if setting.privileged:
        argv += [word for right in RIGHTS for word in ("--cap-add", f"CAP_{right}")]
    for path in SYSTEM:
        if os.path.islink(path):
            argv += ["--symlink", os.readlink(path), path]
        else:
            argv += ["--ro-bind-try", path, path]
    # Made without being told to, a parent would be for the server's user alone.
    argv += ["--dir", "/etc"]
    for path in ETC:
        argv += ["--ro-bind-try", path, path]
    argv += ["--proc", "/proc", "--dev", "/dev"]
    for folder in ("/tmp", "/dev/shm"):
        argv += ["--size", str(SCRATCH_BYTES), "--tmpfs", folder]
    for part in PARTS:
        argv += ["--ro-bind", str(package / part), f"{PACKAGE}/{part}"]
    for bind in sorted(setting.binds, key=lambda b: b.target.count("/")):
        if bind.source is not None:
            parents = [str(p) for p in reversed(PurePosixPath(bind.target).parents) if not str(p).startswith(SYSTEM)]
            argv += [word for parent in parents[1:] for word in ("--dir", parent)]
            argv += ["--ro-bind", bind.source, bind.target]
        elif os.path.isdir(bind.target):
            argv += ["--tmpfs", bind.target, "--remount-ro", bind.target]
    return [*argv, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/", "--"]


def readable_inside(binds: Sequence[Bind]) -> dict[str, list[str]]:
    """List what a run may read inside another program's sandbox, which it shares with its server's other runs.

    All of what is shown there but the folders of the other runs: another candidate's answer is none of its business.

    Returns
    -------
    dict
        ``listable`` and ``readable``: paths.
    """
    shown = [bind.target for bind in binds if bind.source is not None]
    return {"listable": ["/"], "readable": [*SYSTEM, *ETC, "/proc", *shown]}


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
    paths = [*SYSTEM, *ETC]
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
