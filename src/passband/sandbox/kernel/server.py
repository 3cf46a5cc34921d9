"""A warm, single-threaded process that forks one confined child per run, owns its wall clock and reports its end.

Only the host talks to the server, over a socket that candidates never hold. A run arrives as one message with its
descriptors: a status socket, a memory file with the payload, standard output, then the channels of the program that
is to run. The status socket carries one letter from the child before any untrusted code runs (``R`` ready, ``T`` the
tree cannot be written, ``E`` the sandbox could not be set up) and, at the end, one JSON record from the server.
"""

from __future__ import annotations

# Not the public module: the first use of its enumerations in a fork writes to a hundred shared pages.
import _signal  # type: ignore[import-not-found] # it has no stub
import contextlib
import gc
import marshal
import os
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from passband.sandbox.kernel import child, confine, landlock, messages, seccomp, view
from passband.sandbox.kernel import syscalls as sc
from passband.sandbox.kernel.bases import Bases
from passband.sandbox.kernel.bind import Bind
from passband.sandbox.kernel.cgroup import Cgroups
from passband.sandbox.kernel.ends import Ends, end_group, peak_kb
from passband.sandbox.kernel.identity import Identities, map_self
from passband.sandbox.kernel.networks import Networks

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Server", "settle"]

# Each run has these of its own, and the use of a network; host name and control groups nobody in a run can change.
_NAMESPACES = sc.CLONE_NEWUSER | sc.CLONE_NEWNS | sc.CLONE_NEWPID | sc.CLONE_NEWIPC
_SHARED = sc.CLONE_NEWUTS | sc.CLONE_NEWCGROUP

_WORD = {True: "true", False: "false"}


class _Run(NamedTuple):
    pid: int
    held: int
    status: socket.socket
    started: float
    deadline: float
    network: int
    group: int
    base: str


class Server:
    """Starts runs and ends them, until the host goes away.

    Parameters
    ----------
    control : socket.socket
        To the host.
    config : dict
        As the host sent it.
    program : module
        What runs in the children: ``preload``, ``run`` and, where it has them, ``branch``.
    state
        What the program has prepared.
    branched : bool
        Whether this is a branch: confined already, as a whole.
    """

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
        self.namespaces = config["isolation"] == "namespaces" and not branched
        self.runs: dict[int, _Run] = {}  # by pid
        self.poll = select.poll()
        self.poll.register(control, select.POLLIN)
        self.ends = Ends(self.poll)
        self.proc = -1
        self.bases = Bases()
        self.networks: Networks | None = None
        # A supervisor ends its run and then itself; init of a pid namespace takes all with it.
        alone = self.namespaces or (branched and sys.platform == "linux")
        self.last_signal = signal.SIGKILL if alone else signal.SIGTERM
        self.identities = Identities(privileged=config["privileged"] and not branched)
        # The limit on a user's processes does not bind root, nor does it tell the runs of one user apart.
        counted = self.namespaces and (config["privileged"] or os.geteuid() != 0)
        self.cgroups = None if branched else Cgroups(pids=not counted)

    def enter(self) -> None:
        """Move into the view that every run inherits, where there is one."""
        if self.namespaces:
            self.networks = Networks()
            uid, gid = os.geteuid(), os.getegid()
            if self.config["privileged"]:
                sc.unshare(sc.CLONE_NEWNS | _SHARED)
            else:
                sc.unshare(sc.CLONE_NEWUSER | sc.CLONE_NEWNS | _SHARED)
                map_self(uid, gid)
            self.proc = view.build([Bind(*b) for b in self.config["binds"]])
        confine.reset_environment()
        if self.config["isolation"] != "process":
            self.config["landlock"] = landlock.version() > 0
            seccomp.prepare(**child.allowed(self.config, network=False))

    def serve(self) -> None:
        """Answer until the host goes away."""
        while True:
            pause = None
            if self.runs:
                pause = max(0.0, min(r.deadline for r in self.runs.values()) - time.monotonic()) * 1000 + 1
            ready = dict(self.poll.poll(pause))
            self.ends.hush(ready)
            # In this order: what ends gives up descriptors, whose numbers what begins may get.
            for run in list(self.runs.values()):
                if not (self.ends.rung(run.held, ready) and self.finish(run)) and run.status.fileno() in ready:
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

    def kill(self, run: _Run) -> None:
        """End a run, if it has not ended already."""
        # Not waited for yet, so that the number is nobody else's.
        with contextlib.suppress(ProcessLookupError):
            os.kill(run.pid, self.last_signal)

    def accept(self) -> bool:
        """Start one run; false when the host is gone."""
        try:
            taken = messages.receive(self.control)
        except OSError:
            taken = None
        if taken is None:
            self.close()
            return False
        message, fds = taken
        status = socket.socket(fileno=fds[0])
        try:
            header = marshal.loads(message)
            if "keep" in header:
                self.keep(header, fds[1])
                _tell(status, b"R{}")
                status.close()
            else:
                self.start(header, status, fds[1:])
        except (OSError, ValueError, EOFError, TypeError, confine.BadTreeError) as error:
            _tell(status, b"E" + str(error).encode(errors="replace"))
            status.close()
        finally:
            for fd in fds[1:]:
                os.close(fd)
        return True

    def close(self) -> None:
        """End all runs."""
        for run in self.runs.values():
            self.kill(run)
            os.waitpid(run.pid, 0)
            if sys.platform != "linux":
                end_group(run.pid)
        if self.cgroups:
            self.cgroups.close()

    def keep(self, header: dict[str, Any], payload: int) -> None:
        """Keep a tree for the runs to come."""
        if not self.namespaces:
            raise OSError("trees are kept in namespaces only")
        tree = marshal.loads(os.pread(payload, header["size"], 0))
        self.bases.keep(header["keep"], tree, {run.base for run in self.runs.values()})

    def start(self, header: dict[str, Any], status: socket.socket, fds: list[int]) -> None:
        """Fork the child of a run, put it where it belongs, and let it go.

        Raises
        ------
        OSError
            Where it cannot be made.
        """
        if header["base"] and not self.bases.has(header["base"]):
            raise OSError("the tree is not kept any more")
        wait, go = os.pipe()
        started = time.monotonic()
        network = self.networks.enter(self.proc, shared=header["network"]) if self.networks else -1
        group = self.cgroups.take(header["limits"], header["box"]) if self.cgroups and not header["branch"] else -1
        # A branch is confined as a whole; its runs share its namespaces.
        pid = sc.clone(_NAMESPACES if self.namespaces else 0)
        if pid == 0:
            os.close(go)
            self.child(header, status, fds, wait)
        os.close(wait)
        held = self.ends.watch(pid, go)
        run = _Run(pid, held, status, started, started + header["wall_s"], network, group, header["base"])
        self.runs[pid] = run
        self.poll.register(status, select.POLLIN)  # the host says nothing on it, but it may hang up
        try:
            if self.namespaces:
                self.identities.give(self.proc, pid)
            if group >= 0 and self.cgroups:
                self.cgroups.add(group, pid)
            os.write(go, b"g")
        except OSError as error:
            self.kill(run)
            _tell(status, b"E" + f"identity of the run: {error}".encode())
        finally:
            if held != go:
                os.close(go)

    def finish(self, run: _Run) -> bool:
        """Report the end of a run; false where it has not ended."""
        ended, code, used = os.wait4(run.pid, os.WNOHANG)
        if not ended:
            return False
        del self.runs[run.pid]
        timed_out = time.monotonic() >= run.deadline
        if sys.platform != "linux":
            end_group(run.pid)
        if self.networks:
            self.networks.release(run.network)
        with contextlib.suppress(KeyError):
            self.poll.unregister(run.status)
        self.ends.forget(run.held)
        memory = self.cgroups.release(run.group) if self.cgroups and run.group >= 0 else False
        # Written out: an encoder would touch pages that the server shares with its runs, for each of them.
        end = (
            f'{{"returncode": {os.waitstatus_to_exitcode(code)}, "timed_out": {_WORD[timed_out]}, '
            f'"wall_s": {time.monotonic() - run.started}, "cpu_s": {used.ru_utime + used.ru_stime}, '
            f'"peak_kb": {peak_kb(used.ru_maxrss)}, "out_of_memory": {_WORD[memory]}}}'
        )
        _tell(run.status, end.encode())
        run.status.close()
        return True

    def child(self, header: dict[str, Any], status: socket.socket, fds: list[int], wait: int) -> None:
        """Become a run; never returns."""
        code = 97
        try:
            self.ends.leave()
            if not self.branched and sys.platform == "linux":  # the end of a branch is the end of all in its namespace
                sc.prctl(sc.PR_SET_PDEATHSIG, 9)
            _signal.signal(2, _signal.default_int_handler)
            if os.read(wait, 1) != b"g":
                os._exit(code)
            try:
                request, channels = self.confine(header, status.fileno(), fds, wait)
            except confine.BadTreeError as error:
                _tell(status, b"T" + str(error).encode(errors="replace"))
                os._exit(code)
            if header["branch"]:
                self.state = self.program.branch(self.state, request, channels[1:])
                _tell(status, b"R")
                status.close()
                branch = Server(socket.socket(fileno=channels[0]), self.config, self.program, self.state, branched=True)
                settle()
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
        self, header: dict[str, Any], status: int, fds: list[int], line: int
    ) -> tuple[dict[str, Any], list[int]]:
        """Confine the child in the way of this server's tier; returns its request and its descriptors."""
        if self.branched:
            return child.enter_branch_run(header, status, fds, line)
        if self.namespaces:
            return child.enter_namespaces(self.config, header, status, fds)
        spare = self.identities.take() if self.config["privileged"] else None
        return child.enter_supervised(self.config, header, status, fds, line, spare)


def settle() -> None:
    """Leave to the forks a heap that no collection will touch."""
    gc.collect()
    gc.freeze()
    gc.disable()


def _tell(status: socket.socket, message: bytes) -> None:
    # The host may have stopped listening; there is nobody else to tell.
    with contextlib.suppress(OSError):
        status.sendall(message[:4096], socket.MSG_DONTWAIT)
