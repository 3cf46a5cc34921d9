"""A run that does one job after another."""

from __future__ import annotations

import marshal
import socket
from typing import TYPE_CHECKING, Any

from passband.sandbox.host import BRANCH_LIFE_S
from passband.sandbox.kernel import messages
from passband.sandbox.runs import SandboxFaultError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passband.records import Limits
    from passband.sandbox.host import Server
    from passband.sandbox.runs import Run, RunEnd

__all__ = ["Worker"]

_ANSWER_CAP = 1 << 26
_TAKE_S = 20.0


class Worker:
    """A run that does one job after another, each with a descriptor of its own.

    Parameters
    ----------
    server : Server
        Forks it.
    payload : mapping
        For the program.
    limits : Limits
        For all its jobs together.

    Raises
    ------
    SandboxFaultError
        Where the server is gone.
    """

    def __init__(self, server: Server, payload: Mapping[str, Any], limits: Limits) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_TAKE_S)
        with theirs:
            try:
                self._run = server.start(payload, limits, [theirs.fileno()], wall_s=BRANCH_LIFE_S)
            except SandboxFaultError:
                self._socket.close()
                raise

    def send(self, job: Mapping[str, Any], fd: int) -> bool:
        """Hand over one job.

        Parameters
        ----------
        job : mapping
            Marshallable.
        fd : int
            Goes with it; the caller closes its own copy.

        Returns
        -------
        bool
            Whether the worker took it.
        """
        try:
            messages.send(self._socket, marshal.dumps(dict(job)), [fd])
        except OSError:
            return False
        return True

    def answer(self, beside: Run, seconds: float) -> bytes | None:
        """Wait for the answer, and drain the output of another run meanwhile.

        Returns
        -------
        bytes or None
            None where there is none in time; the worker is then good for nothing more.
        """
        return beside.attend(self._socket, seconds, _ANSWER_CAP)

    def end(self) -> RunEnd:
        """End the worker and say how it ended.

        Raises
        ------
        SandboxFaultError
            Where its server is gone.
        """
        self._socket.close()
        return self._run.stop()

    def close(self) -> None:
        """End the worker."""
        self._socket.close()
        self._run.cancel()
