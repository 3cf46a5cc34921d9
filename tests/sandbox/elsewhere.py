"""A look-alike of macOS on Linux: Python without what Python has on Linux only.

It shows that nothing of Linux's is needed for the plain tier. It is not Apple's kernel: what that does differently
under the same names is not seen here.

Run as a script, ``python elsewhere.py PLATFORM WORD…`` is ``passband WORD…`` on such a system; ``call FILE`` runs a
script there instead.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click  # before it looks for the parts of Python that only Windows has

# What is defined for Linux and not for macOS in the standard library's stubs: typeshed's os/__init__.pyi, select.pyi,
# signal.pyi, _socket.pyi, resource.pyi, fcntl.pyi, time.pyi and mmap.pyi, as of mypy 1.20, functions and the constants
# that a fork server could have a use for. On macOS socket.MSG_NOSIGNAL "sometimes exists" (_socket.pyi).
LINUX_ONLY = {
    "os": """copy_file_range eventfd eventfd_read eventfd_write fdatasync getrandom getresgid getresuid getxattr
        listxattr memfd_create pidfd_open pipe2 posix_fadvise posix_fallocate removexattr sched_getaffinity
        sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam sched_setscheduler
        setresgid setresuid setxattr splice waitid waitid_result
        EFD_CLOEXEC EFD_NONBLOCK GRND_NONBLOCK MFD_CLOEXEC MFD_ALLOW_SEALING O_DIRECT O_LARGEFILE O_NOATIME O_PATH
        O_RSYNC O_TMPFILE P_PIDFD RTLD_DEEPBIND RWF_NOWAIT SCHED_BATCH SCHED_IDLE""",
    "select": """epoll EPOLLERR EPOLLET EPOLLEXCLUSIVE EPOLLHUP EPOLLIN EPOLLMSG EPOLLONESHOT EPOLLOUT EPOLLPRI
        EPOLLRDBAND EPOLLRDHUP EPOLLRDNORM EPOLLWRBAND EPOLLWRNORM EPOLL_CLOEXEC POLLMSG POLLRDHUP""",
    "signal": "SIGCLD SIGPOLL SIGPWR SIGRTMAX SIGRTMIN pidfd_send_signal sigtimedwait sigwaitinfo struct_siginfo",
    "_socket": """AF_ALG AF_NETLINK AF_PACKET AF_VSOCK MSG_CMSG_CLOEXEC MSG_CONFIRM MSG_ERRQUEUE MSG_MORE MSG_NOSIGNAL
        SCM_CREDENTIALS SOCK_CLOEXEC SOCK_NONBLOCK SO_BINDTODEVICE SO_DOMAIN SO_PASSCRED SO_PEERCRED SO_PEERSEC
        SO_PROTOCOL TCP_CORK TCP_INFO TCP_QUICKACK TCP_USER_TIMEOUT""",
    "resource": """RLIMIT_MSGQUEUE RLIMIT_NICE RLIMIT_OFILE RLIMIT_RTPRIO RLIMIT_RTTIME RLIMIT_SIGPENDING RUSAGE_THREAD
        prlimit""",
    "fcntl": "F_ADD_SEALS F_GETPIPE_SZ F_GET_SEALS F_NOTIFY F_SETPIPE_SZ F_SETSIG LOCK_MAND",
    "time": "CLOCK_BOOTTIME CLOCK_TAI pthread_getcpuclockid",
    "mmap": "MADV_DONTFORK MADV_HUGEPAGE MAP_POPULATE MAP_STACK",
}
# Of the C library: what only Linux's has, and `syscall`, behind whose numbers other systems have other calls.
LINUX_LIBC = (
    "syscall prctl unshare setns mount umount2 clone pivot_root memfd_create epoll_create1 signalfd inotify_init"
)
# What Windows lacks of what this package imports somewhere.
NOT_ON_WINDOWS = ("fcntl", "resource")

PREAMBLE = """
def _look_like(platform, linux_only, linux_libc, windows_lacks):
    import builtins, ctypes, importlib, io, os, socket, sys, types

    for name, words in linux_only.items():
        module = importlib.import_module(name)
        for word in words.split():
            for holder in (module, sys.modules.get(name.strip("_")), sys.modules["posix"]):
                if holder is not None and hasattr(holder, word):
                    delattr(holder, word)

    def no_linux(path):
        if isinstance(path, (str, bytes)) and os.fsdecode(path).startswith(("/proc", "/sys/")):
            raise FileNotFoundError(2, "No such file or directory", path)

    def without(function):
        def called(*args, **kwargs):
            if args:
                no_linux(args[0])
            return function(*args, **kwargs)
        return called

    for holder, words in ((builtins, "open"), (io, "open"), (os, "open listdir scandir stat lstat readlink")):
        for word in words.split():
            setattr(holder, word, without(getattr(holder, word)))

    # macOS has no local sockets that keep messages apart; the constant it does have.
    made, pair = socket.socket.__init__, socket.socketpair
    def refuse(family=-1, kind=-1, *rest, **more):
        if kind == socket.SOCK_SEQPACKET:
            raise OSError(43, "Protocol not supported")
    def init(self, *args, **kwargs):
        if kwargs.get("fileno") is None:
            refuse(*args)
        made(self, *args, **kwargs)
    def socketpair(*args, **kwargs):
        refuse(*args, **kwargs)
        return pair(*args, **kwargs)
    socket.socket.__init__, socket.socketpair = init, socketpair

    class Library(ctypes.CDLL):
        def __getattr__(self, name):
            if name == "syscall":
                def syscall(*args):
                    raise AssertionError("a number of Linux's means another call here")
                return syscall
            if name in linux_libc.split():
                raise AttributeError(f"symbol not found: {name}")
            return super().__getattr__(name)
    ctypes.CDLL = ctypes.PyDLL = Library

    def setrlimit(kind, limits, _real=None if platform == "win32" else importlib.import_module("resource").setrlimit):
        import resource
        if kind == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")
        _real(kind, limits)
    if platform != "win32":
        importlib.import_module("resource").setrlimit = setrlimit

    # Modules that a Python built for macOS has, and that the standard library asks for by the name of the system.
    scproxy = sys.modules["_scproxy"] = types.ModuleType("_scproxy")
    scproxy._get_proxy_settings = scproxy._get_proxies = dict
    importlib.import_module("sysconfig").get_config_vars()
    sys.platform = platform
    if platform == "win32":
        del os.fork
        for name in windows_lacks:
            sys.modules[name] = None
"""


def preamble(platform: str) -> str:
    """Return the lines that make a Python process look like one on another system."""
    return f"{PREAMBLE}\n_look_like({platform!r}, {LINUX_ONLY!r}, {LINUX_LIBC!r}, {NOT_ON_WINDOWS!r})\n"


def main() -> None:
    """Look like another system, let every server do so too, and be ``passband``, or a script."""
    assert click
    platform, *words = sys.argv[1:]
    code = preamble(platform)
    exec(code, {})
    from passband.sandbox import launch

    launch._BOOT = code + launch._BOOT
    if words[0] == "call":
        sys.argv = words[1:]
        exec(compile(Path(words[1]).read_text(), words[1], "exec"), {"__name__": "__main__"})
        return
    from passband.cli import main as passband

    sys.exit(passband(words))


if __name__ == "__main__":
    main()
