"""A fork server in a process of its own."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from passband.sandbox.host import Server
from passband.sandbox.kernel import messages
from passband.sandbox.launch import launch
from passband.sandbox.outer import readable, readable_inside
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.sandbox.setting import Setting

__all__ = ["ForkServer"]

# Where the folders of runs are in a file system of the host's; elsewhere one is made for the server and goes with it.
_HOST_SCRATCH = frozenset({"landlock", "process"})
# The usual place is so deep on macOS that no socket can be made in a folder below that of a run.
_WHERE = None if sys.platform == "linux" else "/tmp"


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
        self._scratch, scratch = None, "/tmp"
        if setting.isolation in _HOST_SCRATCH:
            self._scratch = tempfile.TemporaryDirectory(prefix="passband-", dir=_WHERE)
            scratch = os.path.realpath(self._scratch.name)  # as a run sees its own folder
            os.chmod(scratch, 0o711)  # noqa: S103 - runs have other user ids, and their folders names nobody lists
        message = {
            "program": program,
            "isolation": setting.isolation,
            "privileged": setting.privileged,
            "proc": setting.proc,
            "binds": [tuple(b) for b in setting.binds],
            **(readable(setting.binds) if setting.isolation == "landlock" else readable_inside(setting.binds)),
            "scratch": scratch,
            **(config or {}),
        }
        try:
            control.settimeout(60)
            messages.send(control, marshal.dumps(message))
            taken = messages.receive(control)
            answer = taken[0] if taken is not None else b""
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
