"""What a sandbox must hold, tried from inside: a tier that fails one of these is not used."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from passband.records import Limits
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import base_python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passband.sandbox.command import CommandServer

__all__ = ["Probe", "run_probes"]

_LIMITS = Limits(wall_s=20, cpu_s=5, mem_mb=256, file_mb=8, pids=24)

# Each answers what it managed; the host compares with what it must not manage.
_SCRIPT = r"""
import json, os, resource, signal, socket, subprocess, sys, time
port, canary, host_pid, marker = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
done = {}

def attempt(name, action):
    try:
        done[name] = bool(action())
    except (OSError, MemoryError):
        done[name] = False

def connect():
    socket.create_connection(("127.0.0.1", port), timeout=2).close()
    return True

def datagram():
    # Documentation network: nobody answers, but without a route nothing leaves.
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.connect(("192.0.2.1", 9))
    return s.send(b"x")

def call():
    s = socket.socket(socket.AF_UNIX)
    s.connect(canary + ".socket")
    return True

def spoil():
    path = os.path.dirname(os.__file__) + "/passband_probe"
    open(path, "w").close()
    os.unlink(path)
    return True

def signal_host():
    # Whether it arrived is seen outside: the same number may be that of a process of this sandbox's own.
    os.kill(host_pid, signal.SIGURG)

def outgrow():
    return len(bytearray(512 << 20))

def multiply():
    children = []
    try:
        for _ in range(64):
            children.append(os.fork())
            if not children[-1]:
                time.sleep(5)
                os._exit(0)
    finally:
        for child in children:
            os.kill(child, 9)
            os.waitpid(child, 0)
    return True

def fill():
    with open("big", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    return True

def privileged():
    # To root where it is not so already, and then to something that takes more than the name.
    if os.getuid() != 0:
        os.setuid(0)
    os.chroot("/")
    return True

attempt("reach the host over TCP", connect)
attempt("send a datagram out", datagram)
attempt("call at a local socket", call)
attempt("read a private file", lambda: open(canary).read())
attempt("write beside it", lambda: open(canary + ".x", "w").write("x"))
attempt("change its mode", lambda: os.chmod(canary, 0o666) or True)
attempt("write to the system", spoil)
attempt("signal the host", signal_host)
attempt("limit the host", lambda: resource.prlimit(host_pid, resource.RLIMIT_NOFILE))
attempt("take more memory than allowed", outgrow)
attempt("start more processes than allowed", multiply)
attempt("write more than allowed", fill)
attempt("keep privileges", privileged)
subprocess.Popen([sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)", marker], start_new_session=True)
done["leave a process behind"] = True
print(json.dumps(done), flush=True)
"""
# Only where signals stay inside; elsewhere these would end whatever this user runs.
_KILL_ALL = "kill -9 $PPID; kill -9 1; kill -9 -1"


@dataclass(frozen=True)
class Probe:
    """One attempt to get out."""

    name: str
    held: bool
    """Whether the sandbox refused it."""


@contextlib.contextmanager
def _listener() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextlib.contextmanager
def _bait(marker: str) -> Iterator[Path]:
    """Make a file that is nobody's to read, and beside it a socket that anybody may call at."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as door:
        canary = Path(folder, "canary")
        canary.write_text(marker)
        canary.chmod(0o600)
        Path(folder).chmod(0o755)
        door.bind(f"{canary}.socket")
        Path(f"{canary}.socket").chmod(0o777)
        door.listen(1)
        yield canary


@contextlib.contextmanager
def _bystander() -> Iterator[int]:
    """Start a process that keeps the one signal that harms nobody pending; yields its number."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})
    try:
        process = subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _signalled(pid: int) -> bool:
    """Whether a process has been sent the signal."""
    status = dict(line.partition(":")[::2] for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(status["ShdPnd"], 16) >> (signal.SIGURG - 1) & 1)


def _runs(marker: str) -> bool:
    """Whether a process with this word on its command line lives on this machine."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                if marker.encode() in Path(entry.path, "cmdline").read_bytes():
                    return True
    return False


def _dead(marker: str) -> bool:
    for _ in range(20):
        if not _runs(marker):
            return True
        time.sleep(0.02)
    return False


def run_probes(server: CommandServer) -> list[Probe]:
    """Try to get out of a sandbox.

    Parameters
    ----------
    server : CommandServer
        Runs commands in the tier under test.

    Returns
    -------
    list of Probe

    Raises
    ------
    SandboxFaultError
        Where the tier cannot even run the attempt.
    """
    marker = f"passband-probe-{secrets.token_hex(8)}"
    with _bait(marker) as canary, _listener() as port, _bystander() as bystander:
        argv = [base_python(), "-I", "-S", "-c", _SCRIPT, str(port), str(canary), str(bystander), marker]
        result = server.run(argv, limits=_LIMITS)
        if result.fault is not None:
            raise SandboxFaultError(result.fault.detail)
        try:
            done: dict[str, bool] = json.loads(result.output)
        except ValueError:
            text = result.output.decode(errors="replace")[-300:]
            raise SandboxFaultError(f"the probes did not finish: {text or result.returncode}") from None
        done["leave a process behind"] &= not _dead(marker)
        done["write beside it"] |= canary.with_name("canary.x").exists()
        done["signal the host"] = _signalled(bystander)
        # Where the call is only said to have been made, nothing has changed.
        done["change its mode"] = canary.stat().st_mode & 0o777 != 0o600
    if not done["signal the host"]:
        # Where this reaches the server, nothing of the above is believed.
        after = server.run(["sh", "-c", _KILL_ALL], limits=_LIMITS)
        if after.fault is not None:
            raise SandboxFaultError(f"a run can end its server: {after.fault.detail}")
    return [Probe(name, held=not managed) for name, managed in done.items()]
