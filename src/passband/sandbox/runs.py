"""A run in the sandbox as the host sees it: its output drained to a cap, its end in a record."""

from __future__ import annotations

import json
import os
import select
import socket
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from passband.errors import PassbandError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Run", "RunEnd", "SandboxFaultError"]

_GRACE_S = 20.0
_DRAIN_ROUNDS = 64
_LINGER_S = 0.05
_BRANCH_S = 120.0


class SandboxFaultError(PassbandError):
    """The sandbox itself failed, whatever ran in it: worth a retry, never a verdict."""


@dataclass(frozen=True)
class RunEnd:
    """What is known of a run when it is over."""

    returncode: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    peak_kb: int
    out_of_memory: bool = False
    """Whether a process was killed because all of the run's together used too much."""
    log: bytes = b""
    """Standard output and error together, up to the cap."""
    log_truncated: bool = False
    result: bytes = b""
    """What came over the run's own channel, up to the cap."""
    result_truncated: bool = False
    errors: bytes = b""
    """What came over a second channel, for standard error by itself, up to the cap of the log."""
    errors_truncated: bool = False
    bad_tree: str = ""
    """Why the files could not be laid out; empty where the program did start."""


@dataclass
class _Stream:
    fd: int
    cap: int
    data: bytearray = field(default_factory=bytearray)
    truncated: bool = False

    def read(self) -> bool:
        """Take what is there; false at the end of the stream."""
        try:
            piece = os.read(self.fd, 1 << 16)
        except BlockingIOError:
            return True
        except OSError:
            return False
        room = self.cap - len(self.data)
        self.truncated |= len(piece) > room
        self.data += piece[: max(0, room)]
        return bool(piece)


class Run:
    """One run under way.

    Parameters
    ----------
    status : socket.socket
        Where the server reports.
    log : int
        Descriptor of the run's output.
    wall_s : float
        The run's clock.
    log_cap : int
        Bytes of the output that are kept.
    lost : callable
        Called where the server turns out to have died.
    """

    def __init__(self, status: socket.socket, log: int, wall_s: float, log_cap: int, lost: Callable[[], None]) -> None:
        self._socket = status
        self._lost = lost
        self._deadline = time.monotonic() + wall_s + _GRACE_S
        self._status = _Stream(status.fileno(), 1 << 16)
        self._log = _Stream(log, log_cap)
        self._open = {self._status.fd: self._status, self._log.fd: self._log}
        for fd in self._open:
            os.set_blocking(fd, False)

    def begun(self, result: int, result_cap: int) -> bytes:
        """Wait until a branch is ready and return what it wrote to `result`, which is closed here.

        Raises
        ------
        SandboxFaultError
            Where it never gets ready.
        """
        out = _Stream(result, result_cap)
        os.set_blocking(result, False)
        streams = {self._status.fd: self._status, result: out}
        try:
            while result in streams or not self._status.data:
                if not _pump(streams, _BRANCH_S):
                    raise SandboxFaultError("a branch of a sandbox server does not get ready")
                if self._status.fd not in streams or bytes(self._status.data[:1]) not in {b"", b"R"}:
                    raise SandboxFaultError(f"a branch of a sandbox server did not start: {self._why()}")
        finally:
            os.close(result)
        return bytes(out.data)

    def kept(self) -> None:
        """Wait until the server has kept a tree.

        Raises
        ------
        SandboxFaultError
            Where it has not.
        """
        streams = {self._status.fd: self._status}
        while streams and _pump(streams, _BRANCH_S):
            pass
        self.cancel()
        if self._status.data[:1] != b"R":
            raise SandboxFaultError(f"a tree could not be kept: {self._why()}")

    def _why(self) -> str:
        """Return what the server said of a start that failed."""
        if bytes(self._status.data) in {b"", b"R"}:  # neither a reason nor the record of an end
            self._lost()
        return bytes(self._status.data[1:]).partition(b"{")[0].decode(errors="replace") or "died"

    def cancel(self) -> None:
        """Stop listening: the server then kills the run."""
        self._socket.close()
        os.close(self._log.fd)

    def stop(self) -> RunEnd:
        """End the run now, if it has not ended, and say how it ended.

        Raises
        ------
        SandboxFaultError
            As for :meth:`wait`.
        """
        # Most end by themselves about now; to be told so would cost the server more than the end itself.
        deadline = time.monotonic() + _LINGER_S
        streams = dict(self._open)
        while self._status.fd in streams and _pump(streams, max(0.0, deadline - time.monotonic())):
            pass
        if self._status.fd in streams:
            self._socket.shutdown(socket.SHUT_WR)
        return self.wait()

    def wait(
        self,
        result: int | None = None,
        *,
        result_cap: int = 1 << 24,
        errors: int | None = None,
        beside: Run | None = None,
    ) -> RunEnd:
        """Drain the run's output to its caps until the supervisor reports the end.

        Streams are never waited for to their end: a process that got away would hold them open.

        Parameters
        ----------
        result : int, optional
            Descriptor to read the program's result from; it is closed here.
        result_cap : int
            Bytes of it that are kept.
        errors : int, optional
            Descriptor to read standard error from, where it is not in the log; closed here too.
        beside : Run, optional
            Another run, whose output is drained meanwhile so that it does not wait for a reader.

        Raises
        ------
        SandboxFaultError
            Where the sandbox could not be set up, the server died or it does not answer.
        """
        streams = dict(self._open)
        out = _Stream(result, result_cap) if result is not None else None
        if out is not None:
            os.set_blocking(out.fd, False)
            streams[out.fd] = out
        said = _Stream(errors, self._log.cap) if errors is not None else None
        if said is not None:
            os.set_blocking(said.fd, False)
            streams[said.fd] = said
        others = beside._open if beside is not None else {}  # noqa: SLF001 - of the same kind
        try:
            while self._status.fd in streams:
                left = self._deadline - time.monotonic()
                if left <= 0 or not _pump(streams, left, others):
                    raise SandboxFaultError("a sandbox server does not answer")
            for _ in range(_DRAIN_ROUNDS):
                if not streams or not _pump(streams, 0):
                    break
            return self._end(bytes(self._status.data), out, said)
        finally:
            self.cancel()
            for fd in (result, errors):
                if fd is not None:
                    os.close(fd)

    def attend(self, sock: socket.socket, seconds: float, cap: int) -> bytes | None:
        """Drain the run's output until one message, with its length before it, has come over a socket.

        Parameters
        ----------
        sock : socket.socket
            Where the message comes from.
        seconds : float
            How long to wait for it.
        cap : int
            Longest message that is taken.

        Returns
        -------
        bytes or None
            None where it did not come.
        """
        stream = _Stream(sock.fileno(), cap + 4)
        streams = {stream.fd: stream}
        deadline = time.monotonic() + seconds
        while stream.fd in streams:
            if len(stream.data) >= 4 and len(stream.data) >= 4 + int.from_bytes(stream.data[:4], "big"):
                return bytes(stream.data[4:])
            left = deadline - time.monotonic()
            if left <= 0 or not _pump(streams, left, self._open):
                return None
        return None

    def _end(self, status: bytes, out: _Stream | None, said: _Stream | None) -> RunEnd:
        letter, message = status[:1], status[1:].decode(errors="replace")
        if letter == b"E":
            raise SandboxFaultError(f"a run could not be set up: {message.partition('{')[0]}")
        bad_tree = ""
        if letter == b"T":
            bad_tree, _brace, rest = message.rpartition("{")
            message = "{" + rest
        try:
            end = json.loads(message)
        except ValueError:
            self._lost()
            raise SandboxFaultError("a sandbox server died under a run") from None
        if not letter or letter not in b"RT":
            raise SandboxFaultError(f"a run ended before it began ({end.get('returncode')})")
        return RunEnd(
            **end,
            log=bytes(self._log.data),
            log_truncated=self._log.truncated,
            result=bytes(out.data) if out else b"",
            result_truncated=out.truncated if out else False,
            errors=bytes(said.data) if said else b"",
            errors_truncated=said.truncated if said else False,
            bad_tree=bad_tree,
        )


def _pump(streams: dict[int, _Stream], seconds: float, others: dict[int, _Stream] | None = None) -> bool:
    """Read once from every stream that has something; those at their end are taken out. False after the time."""
    poll = select.poll()
    for fd in streams:
        poll.register(fd, select.POLLIN)
    for fd in others or ():
        poll.register(fd, select.POLLIN)
    events = poll.poll(seconds * 1000)
    for fd, _event in events:
        table = streams if fd in streams else others or {}
        if not table[fd].read():
            del table[fd]
    return bool(events)
