"""Starting the process of a fork server: here, inside bubblewrap, or inside a container."""

from __future__ import annotations

import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from passband.sandbox import engine, outer
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import base_python

if TYPE_CHECKING:
    from passband.sandbox.setting import Setting

__all__ = ["launch"]

_PACKAGE = Path(__file__).resolve().parents[1]
# Packages as bare name spaces: a run's process needs the kernel's modules and none of what the real packages import.
_BOOT = """
import sys, types
root, where = sys.argv[1:]
for name in ("passband", "passband.sandbox", "passband.grade"):
    module = sys.modules[name] = types.ModuleType(name)
    module.__path__ = [root + name[8:].replace(".", "/")]
from passband.sandbox.kernel.start import main
main(where)
"""
_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC"}
_START_S = 60.0


def launch(setting: Setting) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a server's process.

    Returns
    -------
    process, socket
        The process, or the program that it runs in, and our end of its control socket.

    Raises
    ------
    SandboxFaultError
        Where a container does not come up; the message is the engine's own account.
    """
    if setting.isolation == "container":
        return _in_container(setting)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        where = str(theirs.fileno())
        argv = _argv(str(_PACKAGE), where)
        if setting.isolation == "bubblewrap":
            argv = [*outer.bubblewrap(setting, _PACKAGE), *_argv(outer.PACKAGE, where)]
        # No parent-death signal: it would follow the thread that happens to start the server. The server ends
        # when its socket closes, which it does however this process dies.
        process = subprocess.Popen(
            argv,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=_environment(setting),
            cwd="/",
        )
    return process, ours


def _argv(root: str, where: str) -> list[str]:
    # Not isolated mode, which would not listen to the seed; there is nothing else in the environment to listen to.
    return [base_python(), "-P", "-s", "-S", "-c", _BOOT, root, where]


def _environment(setting: Setting) -> dict[str, str]:
    return {**_ENVIRONMENT, "PYTHONHASHSEED": str(setting.hash_seed)}


def _in_container(setting: Setting) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a server in a container: an engine hands on no descriptors, so it knocks at a socket of ours."""
    engine.provide_image(setting.engine)
    with (
        # Nobody else's, and gone as soon as the server has called: no run can knock as well.
        tempfile.TemporaryDirectory(prefix="passband-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as door,
        tempfile.TemporaryFile() as said,
    ):
        door.bind(f"{folder}/control")
        door.listen(1)
        argv = engine.container(setting, _PACKAGE, folder, _environment(setting))
        process = subprocess.Popen(
            [*argv, *_argv(outer.PACKAGE, f"{engine.DOOR}/control")],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
        )
        try:
            return process, _caller(door, process, said, setting.engine)
        except BaseException:
            process.kill()
            process.wait()
            raise


def _caller(door: socket.socket, process: subprocess.Popen[bytes], said: IO[bytes], name: str) -> socket.socket:
    door.settimeout(0.1)
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        try:
            control, _address = door.accept()
        except TimeoutError:
            if process.poll() is None:
                continue
            break
        control.setblocking(True)
        return control
    said.seek(0)
    raise SandboxFaultError(f"{name} runs no container: {engine.last_words(said.read()) or 'no answer'}")
