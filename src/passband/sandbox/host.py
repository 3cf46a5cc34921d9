"""The host's side of a fork server: start it, hand it runs, collect what comes back."""

from __future__ import annotations

import array
import json
import marshal
import os
import select
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from passband.errors import PassbandError
from passband.sandbox.kernel.view import Bind

if TYPE_CHECKING:
    from passband.records import Limits

__all__ = [
    "ForkServer",
    "Run",
    "RunEnd",
    "SandboxFaultError",
    "Setting",
    "base_python",
    "interpreter_binds",
    "package_folders",
]

_PACKAGE = Path(__file__).resolve().parents[1]
# Packages as bare name spaces: a run's process needs the kernel's modules and none of what the real packages import.
_BOOT = """
import sys, types
root, fd = sys.argv[1], int(sys.argv[2])
for name in ("passband", "passband.sandbox", "passband.grade"):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = [root + name[8:].replace(".", "/")]
from passband.sandbox.kernel.server import main
main(fd)
"""
_GRACE_S = 20.0
_DRAIN_ROUNDS = 64


class SandboxFaultError(PassbandError):
    """The sandbox itself failed, whatever ran in it: worth a retry, never a verdict."""


@dataclass(frozen=True)
class Setting:
    """How a fork server isolates what it runs."""

    isolation: str = "namespaces"
    privileged: bool = False
    """Whether mounts are made with the rights of root, and each run gets a user id of its own."""
    proc: bool = True
    """Whether a fresh ``/proc`` may be mounted."""
    binds: tuple[Bind, ...] = ()


@dataclass(frozen=True)
class RunEnd:
    """What is known of a run when it is over."""

    returncode: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    peak_kb: int
    log: bytes = b""
    """Standard output and error together, up to the cap."""
    log_truncated: bool = False
    result: bytes = b""
    """What came over the run's own channel, up to the cap."""
    result_truncated: bool = False
    bad_tree: str = ""
    """Why the files could not be laid out; empty where the program did start."""


def interpreter_binds(*, packages: bool) -> list[Bind]:
    """List what a Python program needs to see: the base interpreter, and where asked the installed packages."""
    base = Path(sys.base_prefix).resolve()
    binds = [Bind(str(base), sys.base_prefix)]
    if str(base) != sys.base_prefix:
        binds.append(Bind(str(base), str(base)))
    if packages:
        for path in package_folders():
            binds.append(Bind(str(Path(path).resolve()), path))
            # The package's own folder holds the built-in suite with its references and hidden tests.
            binds.append(Bind(None, f"{path}/passband"))
    return binds


def package_folders() -> list[str]:
    """Return the folders of installed packages on this interpreter's path."""
    return [p for p in sys.path if p.endswith(("site-packages", "dist-packages")) and os.path.isdir(p)]


def memory_file(payload: Any) -> int:
    """Return a descriptor of an anonymous file that holds `payload`, read from its start."""
    fd = os.memfd_create("passband")
    with open(fd, "wb", closefd=False) as file:
        marshal.dump(payload, file)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


class ForkServer:
    """A warm process that forks one confined child per run.

    Parameters
    ----------
    program : str
        Module of this package that the children run; standard library only, unless `config` names package folders.
    setting : Setting
        The isolation.
    config : mapping
        For the program's own ``preload``; marshallable.

    Raises
    ------
    SandboxFaultError
        Where the server does not come up; the message is its own account.
    """

    def __init__(self, program: str, setting: Setting, config: Mapping[str, Any] | None = None) -> None:
        self._lock = threading.Lock()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        with theirs:
            argv = [base_python(), "-I", "-S", "-c", _BOOT, str(_PACKAGE), str(theirs.fileno())]
            # No parent-death signal: it would follow the thread that happens to start the server. The server ends
            # when its socket closes, which it does however this process dies.
            self._process = subprocess.Popen(
                argv,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0", "LANG": "C.UTF-8", "TZ": "UTC"},
                cwd="/",
            )
        message = {
            "program": program,
            "isolation": setting.isolation,
            "privileged": setting.privileged,
            "proc": setting.proc,
            "binds": [tuple(b) for b in setting.binds],
            **(config or {}),
        }
        try:
            ours.settimeout(60)
            ours.send(marshal.dumps(message))
            answer = ours.recv(1 << 13)
        except OSError as error:
            answer = b"E" + str(error).encode()
        if answer != b"R":
            self.close()
            raise SandboxFaultError(f"a sandbox server did not start: {answer[1:].decode(errors='replace') or 'died'}")
        ours.settimeout(None)

    @property
    def alive(self) -> bool:
        """Whether the server can take another run."""
        return self._process.poll() is None and self._control.fileno() >= 0

    def start(
        self,
        payload: Mapping[str, Any],
        limits: Limits,
        channels: Sequence[int] = (),
        *,
        env: Mapping[str, str] | None = None,
        network: bool = False,
        wall_s: float | None = None,
    ) -> Run:
        """Begin a run.

        Parameters
        ----------
        payload : mapping
            For the program; ``tree`` (path → bytes) is laid out in the box, ``beside`` in its folder for hidden files.
        limits : Limits
            What it may use.
        channels : sequence of int
            Descriptors the program gets; the caller still owns, and closes, its own copies.
        env : mapping, optional
            Added to the constant environment.
        network : bool
            Whether the run shares the host's network.
        wall_s : float, optional
            Overrides the limit's clock, for programs that keep their own inside it.

        Raises
        ------
        SandboxFaultError
            Where the server is gone.
        """
        size = sum(len(v) for part in ("tree", "beside") for v in payload.get(part, {}).values())
        clock = limits.wall_s if wall_s is None else wall_s
        header = {
            "limits": {n: getattr(limits, n) for n in limits.__struct_fields__},
            "wall_s": clock,
            "box": int(limits.file_mb * 2**20) + 2 * size + 4096 * 64,
            "env": dict(env or {}),
            "network": network,
        }
        status, theirs = socket.socketpair()
        log_read, log_write = os.pipe()
        body = memory_file({k: dict(v) if isinstance(v, Mapping) else v for k, v in payload.items()})
        fds = array.array("i", [theirs.fileno(), body, log_write, *channels])
        try:
            self._control.sendmsg([marshal.dumps(header)], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        except OSError as error:
            status.close()
            os.close(log_read)
            raise SandboxFaultError(f"a sandbox server is gone: {error}") from None
        finally:
            theirs.close()
            os.close(body)
            os.close(log_write)
        return Run(status, log_read, clock, limits.output_kb * 1024)

    def close(self) -> None:
        """End the server and whatever still runs in it."""
        with self._lock:
            if self._control.fileno() >= 0:
                self._control.close()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def base_python() -> str:
    """Return the interpreter that candidates run on: the one beneath any virtual environment."""
    return getattr(sys, "_base_executable", None) or sys.executable


@dataclass
class _Stream:
    fd: int
    cap: int
    data: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    def read(self) -> bool:
        """Take what is there; false at the end of the stream."""
        try:
            piece = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            return False
        room = self.cap - len(self.data)
        self.truncated |= len(piece) > room
        self.data += piece[: max(0, room)]
        return bool(piece)


class Run:
    """One run under way."""

    def __init__(self, status: socket.socket, log: int, wall_s: float, log_cap: int) -> None:
        self._status, self._log = status, log
        self._deadline = time.monotonic() + wall_s + _GRACE_S
        self._log_cap = log_cap

    def cancel(self) -> None:
        """Stop listening: the server then kills the run."""
        self._status.close()
        os.close(self._log)

    def wait(self, result: int | None = None, *, result_cap: int = 1 << 24) -> RunEnd:
        """Drain the run's output to its caps until the supervisor reports the end.

        Streams are never waited for to their end: a process that got away would hold them open.

        Parameters
        ----------
        result : int, optional
            Descriptor to read the program's result from; it is closed here.
        result_cap : int
            Bytes of it that are kept.

        Raises
        ------
        SandboxFaultError
            Where the sandbox could not be set up, the server died or it does not answer.
        """
        status = _Stream(self._status.fileno(), 1 << 16)
        log = _Stream(self._log, self._log_cap)
        streams = {status.fd: status, log.fd: log}
        out = _Stream(result, result_cap) if result is not None else None
        if out is not None:
            streams[out.fd] = out
        try:
            self._drain(status, streams)
            return self._end(bytes(status.data), log, out)
        finally:
            self._status.close()
            os.close(log.fd)
            if result is not None:
                os.close(result)

    def _drain(self, status: _Stream, streams: dict[int, _Stream]) -> None:
        poll = select.poll()
        for fd in streams:
            os.set_blocking(fd, False)
            poll.register(fd, select.POLLIN)
        running = True
        rounds = 0
        while rounds < _DRAIN_ROUNDS:
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise SandboxFaultError("a sandbox server does not answer")
            events = poll.poll(left * 1000 if running else 0)
            if not running and not events:
                return
            for fd, _event in events:
                if not streams[fd].read():
                    poll.unregister(fd)
                    running = running and streams[fd] is not status
            rounds += not running

    @staticmethod
    def _end(status: bytes, log: _Stream, out: _Stream | None) -> RunEnd:
        letter, message = status[:1], status[1:].decode(errors="replace")
        if letter == b"E":
            raise SandboxFaultError(f"a run could not be set up: {message.partition('{')[0]}")
        bad_tree = ""
        if letter == b"T":
            bad_tree, _brace, rest = message.rpartition("{")
            message = "{" + rest
        try:
            end = json.loads(message)
        except ValueError:
            raise SandboxFaultError("a sandbox server died under a run") from None
        if not letter or letter not in b"RT":
            raise SandboxFaultError(f"a run ended before it began ({end.get('returncode')})")
        return RunEnd(
            **end,
            log=bytes(log.data),
            log_truncated=log.truncated,
            result=bytes(out.data) if out else b"",
            result_truncated=out.truncated if out else False,
            bad_tree=bad_tree,
        )
