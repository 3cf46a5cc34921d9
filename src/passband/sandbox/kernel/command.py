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
    content of all the files that it lists.
    """
    keeper = 0
    if sys.platform != "linux":
        keeper = plain.group_apart()
    else:
        # The command has the same user id: it must not open this process's memory or descriptors under /proc.
        sc.prctl(_PR_SET_DUMPABLE, 0)
        if os.getpid() != 1:
            sc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    end: dict[str, Any] = {"returncode": None, "timed_out": False, "error": None}
    deadline = time.monotonic() + request["wall_s"]
    try:
        argv = [word.replace(RUN_FOLDER, request["box"]) for word in request["argv"]]
        os.environ.update({k: v.replace(RUN_FOLDER, request["box"]) for k, v in request["env"].items()})
        if keeper:
            process = subprocess.Popen(argv, process_group=os.getpid())
        else:
            process = subprocess.Popen(argv, start_new_session=True)
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
    files, skipped = _read_tree(os.getcwd())
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


def _read_tree(root: str) -> tuple[dict[str, bytes], list[str]]:
    """Read every regular file below `root`; links, devices and what cannot be read are named, not followed."""
    files: dict[str, bytes] = {}
    skipped: list[str] = []
    for folder, names, leaves in os.walk(root):
        for name in sorted(leaves + [n for n in names if os.path.islink(os.path.join(folder, n))]):
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, root)
            try:
                regular = stat.S_ISREG(os.lstat(path).st_mode)
                if regular:
                    with open(path, "rb") as file:
                        files[relative] = file.read()
            except OSError:
                regular = False
            if not regular:
                skipped.append(relative)
    return files, skipped
