from __future__ import annotations

import itertools
import subprocess
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from passband.errors import SandboxUnavailableError
from passband.records import Limits
from passband.sandbox import TIERS, detect, doctor, run_command, tiers
from passband.sandbox.kernel import seccomp
from passband.sandbox.setting import base_python

SECRET = b"what another candidate wrote"
WORKING = [t["tier"] for t in doctor()["trials"] if t["works"]]


def test_doctor_tries_every_tier():
    """The report lists all tiers but the one that isolates nothing, each with what was tried or why it was not."""
    trials = doctor()["trials"]
    assert [t["tier"] for t in trials] == [t for t in TIERS if t != "process"]
    assert all(t["why"] for t in trials)
    assert all(all(t["probes"].values()) for t in trials if t["works"])


@pytest.mark.parametrize("tier", WORKING)
def test_every_tier_holds(tier):
    """In each tier this machine gives: the tree comes back, the host's files and network do not get in."""
    script = "echo hi > made; cat /etc/shadow; id -u; (setsid sleep 30 &)"
    result = run_command(["sh", "-c", script], files={"given": b"x"}, sandbox=tier)
    assert dict(result.files_after) == {"given": b"x", "made": b"hi\n"}
    assert b"root:" not in result.output
    assert result.wall_s < 20


@pytest.mark.parametrize("tier", WORKING)
def test_every_tier_limits_memory(tier):
    """A process that wants more memory than allowed does not get it, in every tier."""
    result = run_command([base_python(), "-c", "bytearray(1 << 30)"], limits=Limits(mem_mb=256), sandbox=tier)
    assert b"MemoryError" in result.output


def test_a_tier_that_is_not_there_is_refused():
    """Asking for what this machine does not give is an error with a reason and a remedy, not a weaker tier."""
    missing = [t for t in TIERS if t not in {*WORKING, "process"}]
    for tier in missing:
        with pytest.raises(SandboxUnavailableError, match=tier):
            detect(tier)
    assert detect("process", unsafe=True).tier == "process"


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_an_engine_that_does_not_work_is_named_with_its_reason(name, tmp_path, monkeypatch):
    """Where the only engine is one whose daemon does not run, the reason is the engine's own."""
    engine = tmp_path / name
    engine.write_text("#!/bin/sh\necho 'some hint' >&2\necho 'cannot connect to the daemon' >&2\nexit 1\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tiers, "_found", {})
    with pytest.raises(SandboxUnavailableError, match=f"container: {name} makes no image: cannot connect"):
        detect("container")


def test_without_an_engine_there_is_no_container(tmp_path, monkeypatch):
    """Where no engine is installed, that is what is said."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(tiers, "_found", {})
    with pytest.raises(SandboxUnavailableError, match="neither podman nor docker is installed"):
        detect("container")


def test_another_system_than_linux_is_told_what_to_do(monkeypatch):
    """Without Linux there is no tier but the unsafe one; the error says why once, and names the page on containers."""
    monkeypatch.setattr("sys.platform", "darwin")
    monkeypatch.setattr(tiers, "_found", {})
    with pytest.raises(SandboxUnavailableError) as raised:
        detect()
    assert str(raised.value) == (
        "no sandbox can be had here: namespaces, bubblewrap, container, landlock: no Linux, this is darwin; "
        "run passband in a Linux container (docs/how-to/use-another-system.md), "
        "or say --unsafe to run without isolation"
    )
    assert detect(unsafe=True).label == "process"


ENGINE = r"""#!/bin/sh
case "$1" in
image) exit 1 ;;
import) cat > "$HERE/image.tar" ;;
run) for word in "$@"; do printf '%s\0' "$word"; done > "$HERE/argv"; echo 'no such runtime' >&2; exit 125 ;;
esac
"""


def test_what_an_engine_is_asked_for(tmp_path, monkeypatch):
    """A container gets an empty image and no network, no rights but those its server needs, nothing it can write to."""
    engine = tmp_path / "docker"
    engine.write_text(ENGINE)
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("HERE", str(tmp_path))
    monkeypatch.setattr("passband.sandbox.engine.ENGINES", ("docker",))
    monkeypatch.setattr(tiers, "_found", {})
    with pytest.raises(SandboxUnavailableError, match="docker runs no container: no such runtime"):
        detect("container")
    with tarfile.open(tmp_path / "image.tar") as image:
        assert all(member.isdir() for member in image)
    words = (tmp_path / "argv").read_text().split("\0")
    pairs = set(itertools.pairwise(words))
    assert {"--rm", "--read-only"} <= set(words)
    assert {("--network", "none"), ("--cap-drop", "ALL"), ("--security-opt", "no-new-privileges")} <= pairs
    assert {right for option, right in pairs if option == "--cap-add"} == {
        *("SETUID", "SETGID", "CHOWN", "KILL", "DAC_OVERRIDE")
    }
    assert all(value.endswith(":ro") for option, value in pairs if option == "--volume")
    assert not any(value.startswith(str(Path.home()) + ":") for option, value in pairs if option == "--volume")


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("inet", [True, False])
def test_filter_jumps_stay_inside(machine, inet):
    """Every jump of the system call filter lands on an instruction, and every path ends in a verdict."""
    code = seccomp.program(machine, inet=inet)
    for at, (kind, yes, no, _value) in enumerate(code):
        if kind in {0x15, 0x35, 0x45}:
            assert at + 1 + max(yes, no) < len(code)
    assert code[-1][0] == 0x06


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ptrace", "ctypes.CDLL(None, use_errno=True).ptrace(16, os.getpid(), 0, 0)"),
        ("unshare", "ctypes.CDLL(None, use_errno=True).unshare(0x10000000)"),
        ("keyctl", "ctypes.CDLL(None, use_errno=True).syscall(250, 0, -1, 0)"),
        ("io_uring", "ctypes.CDLL(None, use_errno=True).syscall(425, 8, 0)"),
        ("bpf", "ctypes.CDLL(None, use_errno=True).syscall(321, 0, 0, 0)"),
        ("mount", "ctypes.CDLL(None, use_errno=True).mount(b'none', b'/box', b'tmpfs', 0, None)"),
    ],
)
@pytest.mark.parametrize("tier", WORKING)
def test_dangerous_calls_are_refused(tier, name, code):
    """System calls that no candidate has business with answer EPERM, in every tier."""
    script = f"import ctypes, os; print({code}, ctypes.get_errno())"
    result = run_command([base_python(), "-c", script], sandbox=tier)
    assert result.output.split() == [b"-1", b"1"], result.output


@pytest.mark.parametrize("tier", WORKING)
def test_the_signal_of_a_parents_death_stays(tier):
    """A program may ask to outlive its supervisor, is told that it will, and will not."""
    script = (
        "import ctypes; libc = ctypes.CDLL(None); was, now = ctypes.c_int(-1), ctypes.c_int(-1); "
        "libc.prctl(2, ctypes.byref(was), 0, 0, 0); print(libc.prctl(1, 15, 0, 0, 0)); "
        "libc.prctl(2, ctypes.byref(now), 0, 0, 0); print(was.value == now.value != 15)"
    )
    result = run_command([base_python(), "-c", script], sandbox=tier)
    assert result.output.split() == [b"0", b"True"], result.output


@pytest.mark.parametrize("family", ["AF_NETLINK", "AF_VSOCK", "AF_PACKET", "AF_ALG"])
def test_unusual_sockets_are_refused(family):
    """Socket families that reach beyond a network namespace, or far into the kernel, cannot be made."""
    script = f"import socket; socket.socket(socket.{family}, socket.SOCK_DGRAM)"
    result = run_command([base_python(), "-c", script])
    assert b"OSError" in result.output or b"PermissionError" in result.output
    assert result.returncode == 1


def test_a_server_of_its_own_on_the_loopback():
    """A program may talk to itself over 127.0.0.1, to nobody else over anything."""
    script = """
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=lambda: server.accept()[0].sendall(b"pong"), daemon=True).start()
print(socket.create_connection(server.getsockname()).recv(9))
"""
    assert run_command([base_python(), "-c", script]).output.strip() == b"b'pong'"


def test_interpreter_is_the_one_beneath_the_environment():
    """Candidates run on the base interpreter, not on the environment's wrapper."""
    assert base_python().startswith(sys.base_prefix)


def test_landlock_takes_no_rights():
    """A process without any rights can bind itself: the tier is for ordinary users."""
    script = """
import os
from passband.sandbox.kernel import landlock
if os.geteuid() == 0:
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
if landlock.version():
    landlock.restrict([], ["/usr"], [])
    try:
        os.listdir("/etc")
    except PermissionError:
        print("bound")
else:
    print("bound")  # by nothing: this kernel has none
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.stdout.split() == [b"bound"], done.stderr


LAYERS = """
import ctypes, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
rules = struct.pack("Q", 1)
count = 0
while True:
    ruleset = libc.syscall(444, rules, ctypes.c_size_t(len(rules)), 0)
    if ruleset < 0 or libc.syscall(446, ruleset, 0) < 0:
        break
    count += 1
print(count)
"""


@pytest.mark.parametrize("tier", WORKING)
def test_landlock_is_part_of_every_tier(tier):
    """Of the sixteen layers that a kernel with Landlock allows, a run finds one taken."""
    argv = [base_python(), "-c", LAYERS]
    outside = int(subprocess.run(argv, capture_output=True, check=True).stdout)
    inside = run_command(argv, sandbox=tier)
    # Without Landlock, or this program in a sandbox already, there are fewer outside as well.
    assert int(inside.output) == max(0, outside - 1), inside.output


@pytest.mark.parametrize("tier", WORKING)
def test_runs_side_by_side_do_not_see_each_other(tier):
    """While one command runs, another one beside it finds its files nowhere; it finds its own."""
    beside = threading.Thread(
        target=run_command, args=(["sleep", "4"],), kwargs={"files": {"a": SECRET}, "sandbox": tier}
    )
    beside.start()
    look = "cat /box/repo/a /tmp/run-*/repo/a /tmp/passband-*/run-*/repo/a /proc/[0-9]*/cwd/a"
    script = f"for i in $(seq 20); do {look}; sleep 0.1; done; cat own"
    found = run_command(["sh", "-c", script], files={"own": b"mine"}, sandbox=tier)
    beside.join()
    assert SECRET not in found.output
    assert found.output.endswith(b"mine")


@pytest.mark.parametrize("tier", WORKING)
def test_what_every_program_reads_is_there(tier):
    """Names of users and hosts can be looked up, and a process can read about itself where there is a /proc."""
    script = "import pwd, socket; print(pwd.getpwuid(0).pw_name, socket.gethostbyname('localhost'))"
    result = run_command([base_python(), "-c", script], sandbox=tier)
    assert result.output.split() == [b"root", b"127.0.0.1"], result.output
