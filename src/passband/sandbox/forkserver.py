"""A fork server in a process of its own."""

from __future__ import annotations

import marshal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passband.sandbox.host import Server
from passband.sandbox.launch import launch
from passband.sandbox.outer import readable, readable_inside
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.sandbox.setting import Setting

__all__ = ["ForkServer"]

# Where the folders of runs are in a file system of the host's; elsewhere one is made for the server and goes with it.
_HOST_SCRATCH = frozenset({"landlock", "process"})


class ForkServer(Server):
    """A server of its own: a warm process.

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
        launched = launch(setting)
        self._process, control = launched.process, launched.control
        super().__init__(control)
        self._scratch = tempfile.TemporaryDirectory(prefix="passband-") if setting.isolation in _HOST_SCRATCH else None
        if self._scratch is not None:
            Path(self._scratch.name).chmod(0o711)  # runs have other user ids, and their folders names nobody lists
        message = {
            "program": program,
            "isolation": setting.isolation,
            "privileged": setting.privileged,
            "proc": setting.proc,
            "binds": [tuple(b) for b in setting.binds],
            **(readable(setting.binds) if setting.isolation == "landlock" else readable_inside(setting.binds)),
            "scratch": self._scratch.name if self._scratch is not None else "/tmp",
            **(config or {}),
        }
        try:
            control.settimeout(60)
            control.send(marshal.dumps(message))
            answer = control.recv(1 << 13)
        except OSError as error:
            answer = b"E" + str(error).encode()
        with launched.said:
            if answer != b"R":
                self.close()
                why = launched.last_words() or answer[1:].decode(errors="replace") or "died"
                raise SandboxFaultError(f"a sandbox server did not start: {why}")
        control.settimeout(None)
        self.keeps = setting.isolation == "namespaces"

    def close(self) -> None:
        """End the server and whatever still runs in it."""
        super().close()
        with self._lock:
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            if self._scratch is not None:
                self._scratch.cleanup()
