"""Landlock: a process gives up the files, and from newer kernels on the network and the signals, it has no use for."""

from __future__ import annotations

import functools
import os
import stat
import struct
import sys
from typing import TYPE_CHECKING

from passband.sandbox.kernel.syscalls import PR_SET_NO_NEW_PRIVS, prctl, syscall

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["restrict", "version"]

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST = (1 << 13) - 1
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_BIND_TCP_CONNECT_TCP = 3
_SCOPE_SOCKETS_SIGNALS = 3
_CREATE_VERSION, _PATH_BENEATH = 1, 1


@functools.cache
def version() -> int:
    """Return the version of the kernel's interface; 0 where there is none."""
    try:
        return syscall("landlock_create_ruleset", 0, 0, _CREATE_VERSION)
    except OSError:
        return 0


def restrict(listable: Iterable[str], readable: Iterable[str], writable: Iterable[str], *, tcp: bool = False) -> None:
    """Leave this process and all it starts with these paths, and no signals to anybody else.

    Parameters
    ----------
    listable : iterable of str
        Folders whose names, and those of all below them, may be listed.
    readable : iterable of str
        May be read and executed, with all below them; missing ones are passed over.
    writable : iterable of str
        May be changed as well.
    tcp : bool
        Whether it keeps TCP.

    Raises
    ------
    OSError
        Where the kernel has no Landlock.
    """
    level = version()
    if not level:
        raise OSError("this kernel has no Landlock")
    files = (
        _FIRST | (_REFER if level >= 2 else 0) | (_TRUNCATE if level >= 3 else 0) | (_IOCTL_DEV if level >= 5 else 0)
    )
    parts = [files]
    if level >= 4:
        parts.append(0 if tcp else _BIND_TCP_CONNECT_TCP)
    if level >= 6:
        parts.append(_SCOPE_SOCKETS_SIGNALS)
    attributes = struct.pack(f"{len(parts)}Q", *parts)
    ruleset = syscall("landlock_create_ruleset", attributes, len(attributes), 0)
    for paths, rights in ((listable, _READ_DIR), (readable, _READ), (writable, files)):
        for path in paths:
            _allow(ruleset, path, rights & files)
    # Only who can gain no rights, or has them all, may bind itself.
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    if sys.platform != "linux":
        raise OSError(f"no Landlock on {sys.platform}")
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(os.fstat(fd).st_mode):
        rights &= _OF_FILES
    syscall("landlock_add_rule", ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, fd), 0)
    os.close(fd)
