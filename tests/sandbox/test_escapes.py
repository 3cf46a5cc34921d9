"""What a run must not reach, tried from inside: in every tier, with a user id for each run and with the caller's."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from passband.sandbox import CommandResult, doctor, probes, tiers
from passband.sandbox.command import CommandServer
from passband.sandbox.kernel import seccomp
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import base_python, interpreter_binds

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKING = [t["tier"] for t in doctor()["trials"] if t["works"]]
# A container's server is always root in it; a user id for each run takes root outside.
WAYS = [
    (tier, own_id)
    for tier in WORKING
    for own_id in (False, True)
    if (own_id or tier != "container") and (not own_id or tier == "container" or os.geteuid() == 0)
]
ATTEMPTS = """
import ctypes, json, os, sys
done = {}
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, action):
    try:
        done[name] = action()
    except OSError as error:
        done[name] = f"{type(error).__name__}: {error}"
def called(result):
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""


@pytest.fixture(scope="module", params=WAYS, ids=lambda way: f"{way[0]}-{'own-id' if way[1] else 'callers-id'}")
def server(request) -> Iterator[CommandServer]:
    """Start a server of one tier, with the rights that it takes or without."""
    tier, own_id = request.param
    setting = replace(tiers._trial(tier).setting, privileged=own_id, binds=tuple(interpreter_binds(packages=False)))
    try:
        with contextlib.closing(CommandServer(setting)) as made:
            # An interpreter that only root can reach: then no run with an id of its own can have it.
            if made.run([base_python(), "-c", ""]).returncode != 0:
                setting = replace(setting, privileged=False)
    except SandboxFaultError:
        setting = replace(setting, privileged=False)
    with contextlib.closing(CommandServer(setting)) as made:
        yield made


def inside(server: CommandServer, script: str, *args: str) -> dict[str, Any]:
    """Run attempts in the sandbox and return what came of each."""
    text = f"{ATTEMPTS}\n{script}\nprint(json.dumps(done))"
    result = server.run([base_python(), "-I", "-S", "-c", text, *args])
    assert result.fault is None
    assert dict(result.files_after).keys() <= {"a", "b", "c", "t.tar", "out/a"}, "a forged report"
    done: dict[str, Any] = json.loads(result.output)
    return done


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """Make a folder that everybody may pass through, however deep it lies."""
    above = [p for p in tmp_path.parents if p.is_relative_to("/tmp") and str(p) != "/tmp"]
    before = {p: p.stat().st_mode for p in above if p.owner() == tmp_path.owner()}
    for path in before:
        path.chmod(0o755)
    tmp_path.chmod(0o755)
    yield tmp_path
    for path, mode in before.items():
        path.chmod(mode)


def test_the_report_is_out_of_reach(server):
    """No descriptor and no memory of the program that reports, of the supervisor or of the server can be opened."""
    script = """
mine = {os.fstat(fd).st_ino for fd in (0, 1, 2)}
opened = []
try:
    shown = os.listdir("/proc")
except OSError:
    shown = []
for pid in [p for p in shown if p.isdigit() and int(p) != os.getpid()]:
    for path in ("mem", "environ", "maps"):
        try:
            if open(f"/proc/{pid}/{path}", "rb").read(1): opened.append(f"{pid} {path}")
        except OSError:
            pass
    try:
        for fd in os.listdir(f"/proc/{pid}/fd"):
            try:
                file = os.open(f"/proc/{pid}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
                if os.fstat(file).st_ino not in mine:
                    opened.append(f"{pid} {fd}")
                    os.write(file, b"forged")
            except OSError:
                pass
    except OSError:
        pass
done["opened"] = opened
"""
    assert inside(server, script) == {"opened": []}


def test_nobodys_local_socket_answers(server, open_folder):
    """A socket of the host's that everybody may call at cannot be called at, by no kind of socket."""
    with socket.socket(socket.AF_UNIX) as stream, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        for sock, name in ((stream, "s"), (datagrams, "d")):
            sock.bind(f"{open_folder}/{name}")
            (open_folder / name).chmod(0o777)
        stream.listen()
        script = """
import socket
where = sys.argv[1]
attempt("stream", lambda: socket.socket(socket.AF_UNIX).connect(where + "/s"))
attempt("datagram", lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"x", where + "/d"))
attempt("pair", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", where + "/d"))
attempt("stream pair", lambda: socket.socketpair()[0].connect(where + "/s"))
"""
        done = inside(server, script, str(open_folder))
        assert all("Error" in str(said) for said in done.values()), done
        datagrams.setblocking(False)
        with pytest.raises(BlockingIOError):
            datagrams.recv(1)


def test_other_processes_keep_their_limits_and_priorities(server):
    """Neither the host's processes nor those of the sandbox can be limited; the host's keep their priorities."""
    script = """
import resource
host, over = int(sys.argv[1]), os.getppid()
for name, pid in (("host", host), ("over", over), ("first", 1)):
    attempt(f"limit {name}", lambda: resource.prlimit(pid, resource.RLIMIT_CORE))
attempt("nice", lambda: os.setpriority(os.PRIO_PROCESS, host, 19))
attempt("nice user", lambda: os.setpriority(os.PRIO_USER, int(sys.argv[2]), 19))
attempt("processors", lambda: os.sched_setaffinity(host, {0}))
attempt("class", lambda: os.sched_setscheduler(host, os.SCHED_IDLE, os.sched_param(0)))
"""
    nice, processors = os.nice(0), os.sched_getaffinity(0)
    done = inside(server, script, str(os.getpid()), str(os.getuid()))
    done.pop("nice user")  # in namespaces it is made, of the run's own user
    assert all("Error" in str(said) for said in done.values()), done
    assert (os.nice(0), os.sched_getaffinity(0)) == (nice, processors)


def test_the_hosts_files_keep_their_modes_and_times(server, open_folder):
    """Whatever the calls answer, mode, times, owner and attributes of a file of the host's stay."""
    file = open_folder / "file"
    file.write_text("x")
    file.chmod(0o600)
    script = """
path, program = sys.argv[1], os.open(sys.executable, os.O_RDONLY)
attempt("mode", lambda: os.chmod(path, 0o777))
attempt("times", lambda: os.utime(path, (1, 1)))
attempt("attribute", lambda: os.setxattr(path, "user.a", b"1"))
attempt("owner", lambda: os.chown(path, os.getuid(), os.getgid()))
attempt("program", lambda: os.fchmod(program, 0o777))
attempt("program's times", lambda: os.utime(program, (1, 1)))
"""
    program = os.path.realpath(base_python())
    before = [(s.st_mode, s.st_mtime_ns, s.st_ctime_ns) for s in map(os.stat, (file, program))]
    inside(server, script, str(file))
    assert [(s.st_mode, s.st_mtime_ns, s.st_ctime_ns) for s in map(os.stat, (file, program))] == before


def test_no_memory_queue_or_event_is_shared(server, open_folder):
    """Shared memory of the host's is not there, and its folders cannot be watched."""
    libc = ctypes.CDLL(None, use_errno=True)
    key = int.from_bytes(os.urandom(3), "big") + 1
    segment = libc.shmget(key, 4096, 0o1666)
    assert segment >= 0
    try:
        script = """
key, where = int(sys.argv[1]), sys.argv[2]
attempt("memory", lambda: called(libc.shmget(key, 4096, 0)))
attempt("by number", lambda: called(libc.shmctl(int(sys.argv[3]), 2, ctypes.create_string_buffer(512))))
attempt("watch", lambda: called(libc.inotify_add_watch(called(libc.inotify_init1(0)), where.encode(), 0xfff)))
"""
        done = inside(server, script, str(key), str(open_folder), str(segment))
    finally:
        libc.shmctl(segment, 0, None)
    assert all("Error" in str(said) for said in done.values()), done


def test_honest_calls_go_on(server):
    """What programs do as a matter of course works: copies, archives, pairs of sockets, limits of their own."""
    script = """
import asyncio, pathlib, resource, shutil, socket, subprocess, tarfile
pathlib.Path("a").write_text("a")
attempt("copy", lambda: (shutil.copy2("a", "b"), shutil.copy("a", "c")) and True)
attempt("touch", lambda: pathlib.Path("a").touch())
with tarfile.open("t.tar", "w") as tar:
    tar.add("a")
attempt("unpack", lambda: tarfile.open("t.tar").extractall("out"))
attempt("pair", lambda: [s.close() for s in socket.socketpair()] and True)
attempt("loop", lambda: asyncio.run(asyncio.sleep(0)))
attempt("limit", lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
attempt("processors", lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)))
attempt("nice", lambda: os.nice(1))
attempt("program", lambda: subprocess.run(["true"]).returncode)
"""
    done = inside(server, script)
    assert not [name for name, said in done.items() if "Error" in str(said)], done


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("may", [{}, {"own": False}, {"own": False, "unix": False, "inet": False, "inodes": False}])
def test_filters_answer_every_call(machine, may):
    """Walked through for every number, each filter ends in a verdict, and refuses what it is there to refuse."""
    arch = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}[machine]
    code = seccomp.program(machine, **may)

    def verdict(number: int, *arguments: int) -> int:
        data = {0: number, 4: arch} | {16 + 8 * i: a for i, a in enumerate((*arguments, *(7,) * 6)[:6])}
        at, register = 0, 0
        while True:
            kind, yes, no, value = code[at]
            at += 1
            match kind:
                case 0x20:
                    register = data[value]
                case 0x05:
                    at += value
                case 0x15:
                    at += yes if register == value else no
                case 0x35:
                    at += yes if register >= value else no
                case 0x45:
                    at += yes if register & value else no
                case 0x06:
                    return value

    allow, eperm, pretend = 0x7FFF0000, 0x00050001, 0x00050000
    column = 0 if machine == "x86_64" else 1
    limit, pair, chmod, shm = ((302, 261), (53, 199), (268, 53), (29, 194))
    assert verdict(limit[column], 0) == allow
    assert verdict(limit[column], 1) == eperm
    assert verdict(pair[column], 1, 1) == allow
    assert verdict(pair[column], 1, 2) == (allow if may.get("unix", True) else eperm)
    assert verdict(pair[column], 40, 1) not in {allow, eperm}
    assert verdict(chmod[column]) == (allow if may.get("inodes", True) else pretend)
    assert verdict(shm[column]) == (allow if may.get("own", True) else eperm)
    assert verdict(60 if column == 0 else 93) == allow  # exit
    assert {verdict(n) for n in range(500)} <= {allow, eperm, pretend, 0x00050026, 0x00050061}


class _Leaky:
    """Stands for a server whose runs reach the host with their signals; it runs nothing."""

    def __init__(self) -> None:
        self.ran: list[list[str]] = []

    def run(self, argv: list[str], **_more: object) -> CommandResult:
        """Note what is to be run, and do to the host's process what a run would."""
        self.ran.append(argv)
        os.kill(int(argv[-2]), signal.SIGURG)
        return CommandResult(output=b'{"leave a process behind": true, "write beside it": false}')


def test_probes_end_nothing_where_signals_get_out():
    """A tier whose runs can signal the host is told to kill nothing: it would be everything of this user's."""
    leaky = _Leaky()
    held = {probe.name: probe.held for probe in probes.run_probes(leaky)}
    assert held["signal the host"] is False
    assert len(leaky.ran) == 1
    assert not any("kill -9" in word or "os.kill(pid, 9)" in word for word in leaky.ran[0])
