"""The program that runs one command in the box and hands back the tree it leaves."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from typing import Any

from passband.sandbox.kernel import plain, supervise
from passband.sandbox.kernel import syscalls as sc
from passband.sandbox.kernel.bind import RUN_FOLDER

__all__ = ["preload", "run"]

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36


def preload(config: dict[str, Any]) -> None:
    """Nothing to warm up: the command is another program."""


def run(_state: None, request: dict[str, Any], channels: list[int]) -> int:
    """Run ``request["argv"]`` and write how it ended, and the tree it left, to the first channel.

    The process that does so is init of its own pid namespace: no signal from inside reaches it, and what the command
    leaves running ends before the tree is read. What is written is a length of eight bytes, as much JSON, and the
    content of all the files that it lists. A second channel, where there is one, is the command's standard error.
    """
    keeper = 0
    if sys.platform != "linux":
        keeper = plain.group_apart()
    else:
        # The command has the same user id: it must not open this process's memory or descriptors under /proc.
        sc.prctl(_PR_SET_DUMPABLE, 0)
        if os.getpid() != 1:
            sc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # By its name: a command may remove its own folder, and then it has left nothing.
    root = os.getcwd()
    stderr = channels[1] if len(channels) > 1 else None
    end: dict[str, Any] = {"returncode": None, "timed_out": False, "error": None}
    deadline = time.monotonic() + request["wall_s"]
    try:
        argv = [word.replace(RUN_FOLDER, request["box"]) for word in request["argv"]]
        os.environ.update({k: v.replace(RUN_FOLDER, request["box"]) for k, v in request["env"].items()})
        if keeper:
            process = subprocess.Popen(argv, stderr=stderr, process_group=os.getpid())
        else:
            process = subprocess.Popen(argv, stderr=stderr, start_new_session=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        end["error"] = str(error)
    else:
        try:
            end["returncode"] = process.wait(deadline - time.monotonic())
        except subprocess.TimeoutExpired:
            end["timed_out"] = True
    if keeper:
        plain.end_apart(keeper)
    else:
        _end_all()
    files, skipped = _read_tree(root, request["room"])
    with os.fdopen(channels[0], "wb") as out:
        sizes = [[path, len(content)] for path, content in files.items()]
        head = json.dumps({**end, "skipped": skipped, "files": sizes}).encode()
        out.write(len(head).to_bytes(8, "big") + head)
        out.writelines(files.values())
    return 0


def _end_all() -> None:
    """Kill everything else in the namespace, or what descends from here, and wait until it is gone."""
    if os.getpid() != 1:
        with contextlib.suppress(OSError):  # without a view of /proc that is for the supervisor to do
            supervise.end_all()
        return
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _read_tree(root: str, room: int) -> tuple[dict[str, bytes], list[str]]:
    """Read the regular files below `root`; links, devices and what cannot be read are named, not followed.

    No more than `room` bytes: sparse files cost who makes them nothing, and who reads them all. One that is cut is
    named too. Not by recursion, as :func:`os.walk` does: a command that left folders deep enough would choose that its
    tree can't be read. What is too deep for the system to name is not there.
    """
    files: dict[str, bytes] = {}
    skipped: list[str] = []
    todo = [""]
    while todo:
        folder = todo.pop()
        path = os.path.join(root, folder) if folder else root
        try:
            names = [] if os.path.islink(path) else sorted(os.listdir(path))
        except OSError:
            skipped += [folder] if folder else []
            continue
        for name in names:
            relative = f"{folder}/{name}" if folder else name
            whole = False
            try:
                found = os.lstat(os.path.join(root, relative))
                if stat.S_ISDIR(found.st_mode):
                    todo.append(relative)
                    continue
                if stat.S_ISREG(found.st_mode):
                    with open(os.path.join(root, relative), "rb") as file:
                        files[relative] = file.read(room)
                    room -= len(files[relative])
                    whole = len(files[relative]) >= found.st_size
            except OSError:
                pass
            if not whole:
                skipped.append(relative)
    return files, skipped
