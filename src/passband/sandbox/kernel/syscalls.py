"""Linux system calls that the standard library does not offer, through libc.

Everything raises :class:`OSError` on failure; nothing here decides anything.
"""

from __future__ import annotations

import ctypes
import fcntl
import functools
import os
import platform
import socket
import struct
import sys

__all__ = [
    "AT_RECURSIVE",
    "CLONE_NEWCGROUP",
    "CLONE_NEWIPC",
    "CLONE_NEWNET",
    "CLONE_NEWNS",
    "CLONE_NEWPID",
    "CLONE_NEWUSER",
    "CLONE_NEWUTS",
    "MS_BIND",
    "MS_NODEV",
    "MS_NOEXEC",
    "MS_NOSUID",
    "MS_PRIVATE",
    "MS_RDONLY",
    "MS_REC",
    "PR_SET_NO_NEW_PRIVS",
    "PR_SET_PDEATHSIG",
    "clone",
    "detach",
    "drop_capabilities",
    "loopback_up",
    "mount",
    "pivot_root",
    "prctl",
    "read_only",
    "set_name",
    "setns",
    "syscall",
    "syscall_numbers",
    "unshare",
]

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2
AT_RECURSIVE = 0x8000
_AT_FDCWD = -100
_MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID = 1, 2

PR_SET_PDEATHSIG = 1
PR_SET_NO_NEW_PRIVS = 38
_CAPABILITY_VERSION_3 = 0x20080522
_SIGCHLD = 17

# Numbers below 424 differ by architecture; the rest are common to all.
_NUMBERS = {
    "x86_64": {"pivot_root": 155, "capset": 126, "seccomp": 317},
    "aarch64": {"pivot_root": 41, "capset": 91, "seccomp": 277},
}
_COMMON = {
    "mount_setattr": 442,
    "landlock_create_ruleset": 444,
    "landlock_add_rule": 445,
    "landlock_restrict_self": 446,
}

_CLONE = ctypes.c_long({"x86_64": 56, "aarch64": 220}.get(platform.machine(), -1))

_libc = ctypes.CDLL(None, use_errno=True)
# Holds the interpreter lock over the call: in the child of a raw clone there is no other thread to give it back.
_libc_locked = ctypes.PyDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc_locked.syscall.restype = ctypes.c_long


@functools.cache
def syscall_numbers() -> dict[str, int]:
    """Return the system call numbers of this machine.

    Raises
    ------
    OSError
        On an architecture whose numbers are not known here, and on another system.
    """
    if sys.platform != "linux":
        raise OSError(f"no system calls of Linux on {sys.platform}")
    try:
        return _NUMBERS[platform.machine()] | _COMMON
    except KeyError:
        raise OSError(f"no system call numbers for {platform.machine()}") from None


def _check(result: int, what: str) -> int:
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def syscall(name: str, *args: int | bytes | ctypes.Array[ctypes.c_char]) -> int:
    """Make a system call by name; integers go as longs."""
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return _check(_libc.syscall(ctypes.c_long(syscall_numbers()[name]), *words), name)


def clone(flags: int) -> int:
    """Fork, with the child in new namespaces; 0 in the child, its pid in the parent.

    ``unshare`` followed by ``fork`` would cost a second process per run and would move the caller's own children.

    The caller must have one thread only. Then no lock of the interpreter's can be held and the child's only thread is
    the one it knows, so none of the interpreter's fork handlers is needed; they would cost two thirds of the whole
    fork, mostly by writing to shared pages. The one thing that must differ afterwards, a generator seeded from the
    system, is seeded here.
    """
    if sys.platform != "linux":
        return os.fork()
    zero = ctypes.c_long(0)
    pid: int = _libc_locked.syscall(_CLONE, ctypes.c_ulong(flags | _SIGCHLD), zero, zero, zero, zero)
    if pid == 0 and "random" in sys.modules:
        sys.modules["random"].seed()
    return _check(pid, "clone")


def setns(fd: int, kind: int) -> None:
    """Move this process into the namespace behind a descriptor."""
    _check(_libc.setns(fd, kind), "setns")


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str | None = None) -> None:
    """Mount, in the C order of arguments."""
    encoded = [os.fsencode(x) if x is not None else None for x in (source, target, kind, options)]
    result = _libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), encoded[3])
    _check(result, f"mount {kind or 'bind'} on {target}")


def read_only(path: str, *, recursive: bool = True) -> None:
    """Make a mount, and by default all below it, read-only and deaf to set-user-id bits."""
    attributes = struct.pack("QQQQ", _MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    syscall("mount_setattr", _AT_FDCWD, os.fsencode(path), flags, attributes, len(attributes))


def detach(path: str) -> None:
    """Unmount lazily."""
    _check(_libc.umount2(os.fsencode(path), MNT_DETACH), f"umount {path}")


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root and put the former one at `old`."""
    syscall("pivot_root", os.fsencode(new), os.fsencode(old))


def prctl(option: int, *args: int) -> int:
    """Call ``prctl`` with the unused arguments zero."""
    words = [ctypes.c_ulong(a) for a in (*args, 0, 0, 0, 0)[:4]]
    return _check(_libc.prctl(option, *words), f"prctl {option}")


def set_name(name: str) -> None:
    """Name this process, where that can be done, for people who look at a list of processes."""
    if sys.platform == "linux":
        _libc.prctl(15, name.encode()[:15], 0, 0, 0)


def drop_capabilities() -> None:
    """Give up every capability for good, for this process and all it will ever start.

    Once no_new_privs is set nothing that is executed gains any, so the bounding set and the secure bits have no more to
    say; clearing the permitted set clears the ambient one.
    """
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    syscall("capset", struct.pack("Ii", _CAPABILITY_VERSION_3, 0), bytes(24))


def loopback_up() -> None:
    """Bring ``lo`` up in a fresh network namespace, so that a program may talk to itself over 127.0.0.1."""
    get_flags, set_flags, up = 0x8913, 0x8914, 0x1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        request = fcntl.ioctl(sock, get_flags, struct.pack("16sh22x", b"lo", 0))
        flags = struct.unpack("16sh22x", request)[1]
        fcntl.ioctl(sock, set_flags, struct.pack("16sh22x", b"lo", flags | up))
