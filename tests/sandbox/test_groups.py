"""Control groups: none is left over, whatever became of the server that made it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

CODE = """
import sys
from passband.sandbox import run_command
assert run_command(["true"]).fault is None
print("ready", flush=True)
sys.stdin.read()
"""


def start() -> subprocess.Popen[bytes]:
    """Start a process that has run a command, and keeps its server."""
    process = subprocess.Popen([sys.executable, "-c", CODE], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def family(pid: int) -> list[int]:
    """List a process and its descendants, the youngest first."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
    return [*(young for child in children for young in family(child)), pid]


def groups(pids: list[int]) -> set[str]:
    """List the control groups that servers of these numbers have made."""
    found = {path.name for path in Path("/sys/fs/cgroup").rglob("passband-*") if path.is_dir()}
    return {name for name in found if int(name.split("-")[1]) in pids}


def test_the_groups_of_killed_servers_are_removed_by_the_next_one():
    """After a kill of a process and of its servers the next server clears up, and spares those of servers that live."""
    living, killed = start(), start()
    spared, dead = family(living.pid), family(killed.pid)
    before, made = groups(spared), groups(dead)
    assert len(before) == len(made)  # some, where this machine lets us make any
    for pid in dead:
        os.kill(pid, signal.SIGKILL)
    killed.communicate(timeout=60)
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in dead) and time.monotonic() < deadline:
        time.sleep(0.02)
    last = start()
    assert groups(dead) == set()
    assert groups(spared) == before
    for process in (living, last):
        process.communicate(timeout=60)
        assert process.returncode == 0
