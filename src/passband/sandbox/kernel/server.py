"""A warm, single-threaded process that forks one confined child per run, owns its wall clock and reports its end.

Only the host talks to the server, over a socket that candidates never hold. A run arrives as one message with its
descriptors: a status socket, a memory file with the payload, standard output, then the channels of the program that
is to run. The status socket carries one letter from the child before any untrusted code runs (``R`` ready, ``T`` the
tree cannot be written, ``E`` the sandbox could not be set up) and, at the end, one JSON record from the server.
"""

from __future__ import annotations

# Not the public module: the first use of its enumerations in a fork writes to a hundred shared pages.
import _signal  # type: ignore[import-not-found] # it has no stub
import array
import contextlib
import gc
import importlib
import json
import marshal
import os
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from passband.sandbox.kernel import confine, seccomp, view
from passband.sandbox.kernel import syscalls as sc

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["main"]

_INSIDE_ID = 1000
_MAX_FDS = 8
# Each run has these of its own. The network's is dear to make and cannot be soiled by who has no rights in it, so a
# server keeps a few and gives each to one run at a time; host name and control groups nobody in a run can change.
_NAMESPACES = sc.CLONE_NEWUSER | sc.CLONE_NEWNS | sc.CLONE_NEWPID | sc.CLONE_NEWIPC
_SHARED = sc.CLONE_NEWUTS | sc.CLONE_NEWCGROUP


class _Run(NamedTuple):
    pid: int
    pidfd: int
    status: socket.socket
    started: float
    deadline: float
    network: int


class _Server:
    def __init__(
        self,
        control: socket.socket,
        config: dict[str, Any],
        program: ModuleType,
        state: Any = None,
        *,
        branched: bool = False,
    ) -> None:
        self.control, self.config, self.program, self.state = control, config, program, state
        self.branched = branched
        self.runs: dict[int, _Run] = {}  # by pidfd
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.proc = self.host_network = -1
        self.networks: list[int] = []
        """Network namespaces that no run is in."""
        self.ids = (0, 1)
        self.count = os.getpid()  # servers side by side start at different identities

    def enter(self) -> None:
        """Move into the view that every run inherits."""
        self.host_network = os.open("/proc/self/ns/net", os.O_RDONLY)
        if self.config["privileged"]:
            self.ids = _spare_ids()
            sc.unshare(sc.CLONE_NEWNS | _SHARED)
        else:
            uid, gid = os.geteuid(), os.getegid()
            sc.unshare(sc.CLONE_NEWUSER | sc.CLONE_NEWNS | _SHARED)
            for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(text)
        self.proc = view.build([view.Bind(*b) for b in self.config["binds"]])
        confine.reset_environment()
        seccomp.prepare()

    def take_network(self, *, shared: bool) -> int:
        """Enter the network namespace for the next run, a free one or the host's; returns its descriptor."""
        if shared:
            sc.setns(self.host_network, sc.CLONE_NEWNET)
            return self.host_network
        if self.networks:
            sc.setns(self.networks[-1], sc.CLONE_NEWNET)
            return self.networks.pop()
        sc.unshare(sc.CLONE_NEWNET)
        sc.loopback_up()
        return os.open("self/ns/net", os.O_RDONLY, dir_fd=self.proc)

    def serve(self) -> None:
        """Answer until the host goes away."""
        while True:
            pause = None
            if self.runs:
                pause = max(0.0, min(r.deadline for r in self.runs.values()) - time.monotonic()) * 1000 + 1
            ready = dict(self.poll.poll(pause))
            # In this order: what ends gives up descriptors, whose numbers what begins may get.
            for run in list(self.runs.values()):
                if run.pidfd in ready:
                    self.finish(run)
                elif run.status.fileno() in ready:
                    self.abandon(run)
            if self.control.fileno() in ready and not self.accept():
                return
            now = time.monotonic()
            for run in self.runs.values():
                if run.deadline <= now:
                    self.kill(run)

    def abandon(self, run: _Run) -> None:
        """End a run whose host no longer listens."""
        self.poll.unregister(run.status)
        self.kill(run)

    @staticmethod
    def kill(run: _Run) -> None:
        """End a run, if it has not ended already."""
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(run.pidfd, signal.SIGKILL)

    def accept(self) -> bool:
        """Start one run; false when the host is gone."""
        message, ancillary, _flags, _address = self.control.recvmsg(1 << 16, socket.CMSG_SPACE(4 * _MAX_FDS))
        if not message:
            for run in self.runs.values():
                self.kill(run)
                os.waitpid(run.pid, 0)
            return False
        fds = array.array("i")
        for _level, _kind, data in ancillary:
            fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
        status = socket.socket(fileno=fds[0])
        try:
            self.start(marshal.loads(message), status, list(fds[1:]))
        except OSError as error:
            _tell(status, b"E" + str(error).encode())
            status.close()
        finally:
            for fd in fds[1:]:
                os.close(fd)
        return True

    def start(self, header: dict[str, Any], status: socket.socket, fds: list[int]) -> None:
        wait, go = os.pipe()
        started = time.monotonic()
        # A branch is confined as a whole; its runs share its namespaces.
        network = -1 if self.branched else self.take_network(shared=header["network"])
        pid = sc.clone(0 if self.branched else _NAMESPACES)
        if pid == 0:
            os.close(go)
            self.child(header, status, fds, wait)
        os.close(wait)
        pidfd = os.pidfd_open(pid)
        run = _Run(pid, pidfd, status, started, started + header["wall_s"], network)
        self.runs[pidfd] = run
        self.poll.register(pidfd, select.POLLIN)
        self.poll.register(status, select.POLLRDHUP)
        try:
            if not self.branched:
                self.identify(pid)
            os.write(go, b"g")
        except OSError as error:
            self.kill(run)
            _tell(status, b"E" + f"identity of the run: {error}".encode())
        finally:
            os.close(go)

    def identify(self, pid: int) -> None:
        """Give the child an identity of its own: as root a spare user id, else the one there is."""
        self.count += 1
        outer = self.ids[0] + self.count % self.ids[1]
        if not self.config["privileged"]:
            self.write(pid, "setgroups", "deny")
        self.write(pid, "uid_map", f"{_INSIDE_ID} {outer} 1")
        self.write(pid, "gid_map", f"{_INSIDE_ID} {outer} 1")

    def write(self, pid: int, name: str, text: str) -> None:
        fd = os.open(f"{pid}/{name}", os.O_WRONLY, dir_fd=self.proc)
        try:
            os.write(fd, text.encode())
        finally:
            os.close(fd)

    def finish(self, run: _Run) -> None:
        """Report the end of a run."""
        del self.runs[run.pidfd]
        timed_out = time.monotonic() >= run.deadline
        _pid, code, used = os.wait4(run.pid, 0)
        if run.network not in {-1, self.host_network}:
            # All of the run's processes are gone, and their sockets with them.
            self.networks.append(run.network)
        self.poll.unregister(run.pidfd)
        with contextlib.suppress(KeyError):
            self.poll.unregister(run.status)
        os.close(run.pidfd)
        end = {
            "returncode": os.waitstatus_to_exitcode(code),
            "timed_out": timed_out,
            "wall_s": time.monotonic() - run.started,
            "cpu_s": used.ru_utime + used.ru_stime,
            "peak_kb": used.ru_maxrss,
        }
        _tell(run.status, json.dumps(end).encode())
        run.status.close()

    def child(self, header: dict[str, Any], status: socket.socket, fds: list[int], wait: int) -> None:
        """Become a run; never returns."""
        code = 97
        try:
            if not self.branched:  # the end of a branch is the end of its namespace, and of all in it
                sc.prctl(sc.PR_SET_PDEATHSIG, signal.SIGKILL)
            _signal.signal(signal.SIGINT, _signal.default_int_handler)
            if os.read(wait, 1) != b"g":
                os._exit(code)
            try:
                confined = self.confine_run if self.branched else self.confine
                request, channels = confined(header, status, fds)
            except confine.BadTreeError as error:
                _tell(status, b"T" + str(error).encode(errors="replace"))
                os._exit(code)
            if header["branch"]:
                self.state = self.program.branch(self.state, request, channels[1:])
                _tell(status, b"R")
                status.close()
                control = socket.socket(fileno=channels[0])
                branch = _Server(control, self.config, self.program, self.state, branched=True)
                gc.collect()
                gc.freeze()
                gc.disable()
                branch.serve()
                os._exit(0)
            _tell(status, b"R")
            status.close()
            gc.enable()
            code = self.program.run(self.state, request, channels)
        except BaseException as error:  # noqa: BLE001 - a forked child must never unwind into the server's loop
            if status.fileno() >= 0:
                _tell(status, b"E" + repr(error).encode(errors="replace"))
            else:
                sys.excepthook(type(error), error, error.__traceback__)
        finally:
            os._exit(code)

    def confine(
        self, header: dict[str, Any], status: socket.socket, fds: list[int]
    ) -> tuple[dict[str, Any], list[int]]:
        payload, log, *channels = fds
        os.setresgid(_INSIDE_ID, _INSIDE_ID, _INSIDE_ID)
        os.setresuid(_INSIDE_ID, _INSIDE_ID, _INSIDE_ID)
        # A group of its own: kill(0, …) must not reach the server or its other runs.
        os.setsid()
        request: dict[str, Any] = marshal.loads(os.pread(payload, header["size"], 0))
        confine.mount_box(header["box"], proc=self.config["proc"])
        confine.write_tree(request.pop("tree"), view.REPO)
        if "beside" in request:
            confine.write_tree(request.pop("beside"), view.HIDDEN)
        os.chdir(view.REPO)
        if header["env"]:
            os.environ.update(header["env"])
        _settle_descriptors(log, [status.fileno(), *channels])
        if not header["branch"]:
            confine.limit(header["limits"])
        confine.renounce(inet=True)
        return request, channels

    @staticmethod
    def confine_run(header: dict[str, Any], status: socket.socket, fds: list[int]) -> tuple[dict[str, Any], list[int]]:
        """Begin a run of a branch: only the limits are its own."""
        payload, log, *channels = fds
        os.setsid()
        request: dict[str, Any] = marshal.loads(os.pread(payload, header["size"], 0))
        _settle_descriptors(log, [status.fileno(), *channels])
        confine.limit(header["limits"])
        return request, channels


def _settle_descriptors(log: int, keep: list[int]) -> None:
    """Empty standard input, both outputs to the log, and nothing else open but what the run is for."""
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    low = 3
    for fd in sorted(keep):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, 4096)


def _tell(status: socket.socket, message: bytes) -> None:
    # The host may have stopped listening; there is nobody else to tell.
    with contextlib.suppress(OSError):
        status.sendall(message[:4096], socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT)


def _spare_ids() -> tuple[int, int]:
    """Return (first, how many) of user ids that exist here and belong to nobody, from the end of the largest range."""
    with open("/proc/self/uid_map") as file:
        first, count = max(((int(a), int(c)) for a, _b, c in map(str.split, file)), key=lambda x: x[1])
    if count < 2048:
        return (65534, 1) if first <= 65534 < first + count else (first + count - 1, 1)
    # Far from the ids that people, services and containers get, and from those that mean "nobody" and "no change".
    spare = min(8192, count // 4)
    return first + min(count, 0x7000_0000) - spare - 1024, spare


def main(fd: int) -> None:
    """Read the configuration from the control socket, make ready, say so, and serve."""
    control = socket.socket(fileno=fd)
    try:
        config = marshal.loads(control.recv(1 << 17))
        sys.path += config.get("paths", ())
        program = importlib.import_module(config["program"])
        sc.set_name("pb-" + config["program"].rpartition(".")[2])
        server = _Server(control, config, program)
        server.enter()
        # In the view, so that nothing the program warms up remembers a path of the host.
        server.state = program.preload(config)
    except Exception as error:  # whatever it is, the host must hear of it
        control.send(b"E" + f"{type(error).__name__}: {error}".encode(errors="replace")[:4096])
        raise
    for name in [n for n in sys.modules if n == "passband" or n.startswith("passband.")]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()
    gc.disable()
    empty = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(empty, standard)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the host's to handle; it closes the socket
    control.send(b"R")
    server.serve()
