"""Starting the process of a fork server: here, inside bubblewrap, or inside a container."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from passband.sandbox import engine, outer
from passband.sandbox.host import memory_file
from passband.sandbox.runs import SandboxFaultError
from passband.sandbox.setting import base_python

if TYPE_CHECKING:
    from passband.sandbox.setting import Setting

__all__ = ["Launched", "launch"]

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


class Launched(NamedTuple):
    """A server's process, as the host holds it."""

    process: subprocess.Popen[bytes]
    """The server, or the program that it runs in."""
    control: socket.socket
    said: IO[bytes]
    """What the process wrote to its standard error."""

    def last_words(self) -> str:
        """Return the last line the process wrote."""
        self.said.seek(0)
        return engine.last_words(self.said.read())


def launch(setting: Setting) -> Launched:
    """Start a server's process.

    Raises
    ------
    SandboxFaultError
        Where a container does not come up; the message is the engine's own account.
    """
    if setting.isolation == "container":
        return _in_container(setting)
    said = _memory()
    ours, theirs = socket.socketpair()
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
            stderr=said,
            env=_environment(setting),
            cwd="/",
        )
    return Launched(process, ours, said)


def _memory() -> IO[bytes]:
    return os.fdopen(memory_file(b""), "w+b")


def _argv(root: str, where: str) -> list[str]:
    # Not isolated mode, which would not listen to the seed; there is nothing else in the environment to listen to.
    return [base_python(), "-P", "-s", "-S", "-c", _BOOT, root, where]


def _environment(setting: Setting) -> dict[str, str]:
    return {**_ENVIRONMENT, "PYTHONHASHSEED": str(setting.hash_seed)}


def _in_container(setting: Setting) -> Launched:
    """Start a server in a container: an engine hands on no descriptors, so it knocks at a socket of ours."""
    engine.provide_image(setting.engine)
    said = _memory()
    # The folder is nobody else's, and gone as soon as the server has called: no run can knock as well.
    with (
        tempfile.TemporaryDirectory(prefix="passband-") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door,
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
            launched = Launched(process, _caller(door, process), said)
        except OSError:
            process.kill()
            process.wait()
            said.seek(0)
            why = engine.last_words(said.read()) or "no answer"
            said.close()
            raise SandboxFaultError(f"{setting.engine} runs no container: {why}") from None
    return launched


def _caller(door: socket.socket, process: subprocess.Popen[bytes]) -> socket.socket:
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
    raise TimeoutError
