"""A system call filter: what no graded program has any business with answers ``EPERM``.

The list is a deny list on purpose. The namespaces carry the isolation; the filter takes away what widens the kernel's
attack surface (new namespaces, io_uring, bpf, keyrings, …), what reaches beyond them (vsock) and what would let a
program outlive its supervisor (clearing the parent-death signal).
"""

from __future__ import annotations

import ctypes
import errno
import functools
import platform
import struct

from passband.sandbox.kernel.syscalls import prctl, syscall

__all__ = ["install", "prepare"]

_DENIED = {
    # name: (x86_64, aarch64); -1 where the architecture has no such call
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "personality": (135, 92),
    "vhangup": (153, 58),
    "iopl": (172, -1),
    "ioperm": (173, -1),
    "modify_ldt": (154, -1),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "pidfd_getfd": (438, 438),
    "process_madvise": (440, 440),
    "open_tree": (428, 428),
    "open_tree_attr": (467, 467),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "process_mrelease": (448, 448),
    "memfd_secret": (447, 447),
}
# Where a run has no namespaces of its own: what it would share with other runs of its user's, or with the user.
_SHARED = {
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "inotify_init": (253, -1),  # Landlock does not ask whose folder is watched
    "inotify_init1": (294, 26),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "statmount": (457, 457),
    "listmount": (458, 458),
}
# What Landlock lets happen to any file of the user's, whether it may be read or not. Copying a file and unpacking an
# archive set modes and times as a matter of course, so that these calls are not made and give 0.
_MODES_AND_TIMES = {
    "chmod": (90, -1),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "utime": (132, -1),
    "utimes": (235, -1),
    "futimesat": (261, -1),
    "utimensat": (280, 88),
}
_OWNERS_AND_ATTRIBUTES = {
    "chown": (92, -1),
    "fchown": (93, 55),
    "lchown": (94, -1),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "setxattrat": (463, 463),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
}
# Calls on any process of the user's, which neither Landlock nor a scope of signals covers: only with these arguments
# zero, which means the caller. A limit of CPU time on another process would be a signal to it.
_ON_ITSELF = {"prlimit64": (302, 261, (0,))}
_ON_ITSELF_SHARED = {
    "setpriority": (141, 140, (0, 1)),
    "sched_setaffinity": (203, 122, (0,)),
    "sched_setscheduler": (144, 119, (0,)),
    "sched_setparam": (142, 118, (0,)),
    "sched_setattr": (314, 274, (0,)),
}
_CLONE3 = 435
_SOCKET = (41, 198)
_SOCKETPAIR = (53, 199)
_CLONE = (56, 220)
_PRCTL = (157, 167)
_IOCTL = (16, 29)
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag but NEWTIME, which clone() cannot carry
_PR_SET_PDEATHSIG = 1
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_AF_UNIX, _AF_INET, _AF_INET6 = 1, 2, 10
_DGRAM_OR_RAW = 2  # the bit that both have, and neither streams nor sequences of packets

_LD, _JA, _JEQ, _JGE, _JSET, _RET = 0x20, 0x05, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL = 0x7FFF0000, 0x80000000
_EPERM, _ENOSYS, _EAFNOSUPPORT = (0x00050000 | e for e in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))
# The call is not made and gives 0. The death of the supervisor stays the death of the run, and agents that ask for this
# for what they start, as a matter of course, go on.
_PRETEND = 0x00050000
_NUMBER_AT, _ARCH_AT = 0, 4

_SECCOMP_SET_MODE_FILTER = 1
_PR_SET_NO_NEW_PRIVS = 38
_X32_BIT = 0x40000000
_FEW = 4


def _argument(index: int) -> int:
    return 16 + 8 * index  # the low word, on a little-endian machine


def program(
    machine: str, *, inet: bool = True, unix: bool = True, own: bool = True, inodes: bool = True
) -> list[tuple[int, int, int, int]]:
    """Build the filter.

    Parameters
    ----------
    machine : str
        ``x86_64`` or ``aarch64``.
    inet : bool
        Whether internet sockets may be made at all; safe where the network namespace is empty.
    unix : bool
        Whether local sockets may be made that can call at others', by a path; safe where no one else's path shows.
        Pairs of streams, which can not, always may.
    own : bool
        Whether the run has process and IPC namespaces of its own.
    inodes : bool
        Whether modes, owners, times and attributes of files may be changed; safe where the user's files do not show, or
        the run has another user id.

    Returns
    -------
    list of (code, jump if true, jump if false, constant)
        Classic BPF.
    """
    column = 0 if machine == "x86_64" else 1
    code = [
        (_LD, 0, 0, _ARCH_AT),
        (_JEQ, 1, 0, _AUDIT_ARCH[machine]),
        (_RET, 0, 0, _KILL),  # a 32-bit system call would mean other numbers
        (_LD, 0, 0, _NUMBER_AT),
    ]
    if machine == "x86_64":
        code += [(_JGE, 0, 1, _X32_BIT), (_RET, 0, 0, _KILL)]
    denied = _DENIED | ({} if own else _SHARED) | ({} if inodes else _OWNERS_AND_ATTRIBUTES)
    code += _answering(_EPERM, _column(denied, column))
    if not inodes:
        code += _answering(_PRETEND, _column(_MODES_AND_TIMES, column))
    for *numbers, arguments in (_ON_ITSELF if own else _ON_ITSELF | _ON_ITSELF_SHARED).values():
        code += _only_zero(numbers[column], arguments)
    # clone3 hides its flags behind a pointer; libc falls back to clone when it is not there.
    code += [(_JEQ, 0, 1, _CLONE3), (_RET, 0, 0, _ENOSYS)]
    code += [
        (_JEQ, 0, 4, _CLONE[column]),
        (_LD, 0, 0, _argument(0)),
        (_JSET, 0, 1, _NEW_NAMESPACES),
        (_RET, 0, 0, _EPERM),
        (_RET, 0, 0, _ALLOW),
    ]
    code += [
        (_JEQ, 0, 4, _PRCTL[column]),
        (_LD, 0, 0, _argument(0)),
        (_JEQ, 0, 1, _PR_SET_PDEATHSIG),
        (_RET, 0, 0, _PRETEND),
        (_RET, 0, 0, _ALLOW),
    ]
    code += [
        (_JEQ, 0, 5, _IOCTL[column]),
        (_LD, 0, 0, _argument(1)),
        (_JEQ, 1, 0, _TIOCSTI),
        (_JEQ, 0, 1, _TIOCLINUX),
        (_RET, 0, 0, _EPERM),
        (_RET, 0, 0, _ALLOW),
    ]
    streams = [] if unix else [(_LD, 0, 0, _argument(1)), (_JSET, 0, 1, _DGRAM_OR_RAW), (_RET, 0, 0, _EPERM)]
    code += [
        (_JEQ, 0, 4 + len(streams), _SOCKETPAIR[column]),
        (_LD, 0, 0, _argument(0)),
        (_JEQ, 1, 0, _AF_UNIX),
        (_RET, 0, 0, _EAFNOSUPPORT),
        *streams,
        (_RET, 0, 0, _ALLOW),
    ]
    families = [*((_AF_UNIX,) if unix else ()), *((_AF_INET, _AF_INET6) if inet else ())]
    code += [(_JEQ, 0, 2 + len(families), _SOCKET[column]), (_LD, 0, 0, _argument(0))]
    code += [(_JEQ, len(families) - i, 0, family) for i, family in enumerate(families)]
    code += [(_RET, 0, 0, _EAFNOSUPPORT)]
    return [*code, (_RET, 0, 0, _ALLOW)]


def _only_zero(number: int, arguments: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """Return code that denies a system call unless these arguments are zero."""
    code = [(_JEQ, 0, 2 + 2 * len(arguments), number)]
    for left, index in zip(range(len(arguments) - 1, -1, -1), arguments, strict=True):
        code += [(_LD, 0, 0, _argument(index)), (_JEQ, 0, 1 + 2 * left, 0)]
    return [*code, (_RET, 0, 0, _ALLOW), (_RET, 0, 0, _EPERM)]


def _column(calls: dict[str, tuple[int, int]], column: int) -> list[int]:
    """Return the numbers of these calls on one architecture, in ascending order."""
    return sorted(numbers[column] for numbers in calls.values() if numbers[column] >= 0)


def _answering(answer: int, numbers: list[int]) -> list[tuple[int, int, int, int]]:
    """Return code with one answer for these system calls, in ascending order; with any other it goes on behind itself.

    It halves what is left with each step: when a filter is installed the kernel asks it about every call there is.
    """
    if len(numbers) <= _FEW:
        end = len(numbers) + 1
        code = [(_JEQ, end - at - 1, 0, number) for at, number in enumerate(numbers)]
        return [*code, (_JA, 0, 0, 1), (_RET, 0, 0, answer)]
    middle = len(numbers) // 2
    low, high = _answering(answer, numbers[:middle]), _answering(answer, numbers[middle:])
    return [(_JGE, len(low) + 1, 0, numbers[middle]), *low, (_JA, 0, 0, len(high)), *high]


def compiled(machine: str, **may: bool) -> bytes:
    """Return the filter as the kernel reads it: an array of ``struct sock_filter``."""
    return b"".join(struct.pack("HBBI", *line) for line in program(machine, **may))


@functools.cache
def _ready(**may: bool) -> tuple[ctypes.Array[ctypes.c_char], bytes]:
    machine = platform.machine()
    if machine not in _AUDIT_ARCH:
        raise OSError(errno.ENOSYS, f"no system call filter for {machine}")
    code = compiled(machine, **may)
    buffer = ctypes.create_string_buffer(code, len(code))
    return buffer, struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))


def prepare(**may: bool) -> None:
    """Build the filter ahead of time, so that no fork has to; with what may be done as for :func:`program`."""
    _ready(**may)


def install(**may: bool) -> None:
    """Put the filter on this process and all it starts; there is no way back.

    What may be done is as for :func:`program`.

    Raises
    ------
    OSError
        Where the kernel has no seccomp filters, or the architecture is unknown.
    """
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    syscall("seccomp", _SECCOMP_SET_MODE_FILTER, 0, _ready(**may)[1])
