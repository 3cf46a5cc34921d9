"""A run in the sandbox as the host sees it: its output drained to a cap, its end in a record."""

from __future__ import annotations

import json
import os
import select
import socket
import time
from dataclasses import dataclass, field

from passband.errors import PassbandError

__all__ = ["Run", "RunEnd", "SandboxFaultError"]

_GRACE_S = 20.0
_DRAIN_ROUNDS = 64
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
    log: bytes = b""
    """Standard output and error together, up to the cap."""
    log_truncated: bool = False
    result: bytes = b""
    """What came over the run's own channel, up to the cap."""
    result_truncated: bool = False
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
    """One run under way."""

    def __init__(self, status: socket.socket, log: int, wall_s: float, log_cap: int) -> None:
        self._status, self._log = status, log
        self._deadline = time.monotonic() + wall_s + _GRACE_S
        self._log_cap = log_cap

    def begun(self, result: int, result_cap: int) -> bytes:
        """Wait until a branch is ready and return what it wrote to `result`, which is closed here.

        Raises
        ------
        SandboxFaultError
            Where it never gets ready.
        """
        status, out = _Stream(self._status.fileno(), 1 << 13), _Stream(result, result_cap)
        streams = {status.fd: status, out.fd: out}
        poll = select.poll()
        for fd in streams:
            os.set_blocking(fd, False)
            poll.register(fd, select.POLLIN)
        try:
            while len(streams) > 1 or not status.data:
                events = poll.poll(_BRANCH_S * 1000)
                if not events:
                    raise SandboxFaultError("a branch of a sandbox server does not get ready")
                for fd, _event in events:
                    if fd in streams and not streams[fd].read():
                        poll.unregister(fd)
                        del streams[fd]
                if status.fd not in streams or (status.data and status.data[:1] != b"R"):
                    said = bytes(status.data[1:]).partition(b"{")[0].decode(errors="replace")
                    raise SandboxFaultError(f"a branch of a sandbox server did not start: {said or 'died'}")
        finally:
            os.close(result)
        return bytes(out.data)

    def cancel(self) -> None:
        """Stop listening: the server then kills the run."""
        self._status.close()
        os.close(self._log)

    def stop(self) -> RunEnd:
        """End the run now, if it has not ended, and say how it ended.

        Raises
        ------
        SandboxFaultError
            As for :meth:`wait`.
        """
        self._status.shutdown(socket.SHUT_WR)
        return self.wait()

    def wait(self, result: int | None = None, *, result_cap: int = 1 << 24) -> RunEnd:
        """Drain the run's output to its caps until the supervisor reports the end.

        Streams are never waited for to their end: a process that got away would hold them open.

        Parameters
        ----------
        result : int, optional
            Descriptor to read the program's result from; it is closed here.
        result_cap : int
            Bytes of it that are kept.

        Raises
        ------
        SandboxFaultError
            Where the sandbox could not be set up, the server died or it does not answer.
        """
        status = _Stream(self._status.fileno(), 1 << 16)
        log = _Stream(self._log, self._log_cap)
        streams = {status.fd: status, log.fd: log}
        out = _Stream(result, result_cap) if result is not None else None
        if out is not None:
            streams[out.fd] = out
        try:
            self._drain(status, streams)
            return self._end(bytes(status.data), log, out)
        finally:
            self._status.close()
            os.close(log.fd)
            if result is not None:
                os.close(result)

    def _drain(self, status: _Stream, streams: dict[int, _Stream]) -> None:
        poll = select.poll()
        for fd in streams:
            os.set_blocking(fd, False)
            poll.register(fd, select.POLLIN)
        running = True
        rounds = 0
        while rounds < _DRAIN_ROUNDS:
            left = self._deadline - time.monotonic()
            if left <= 0:
                raise SandboxFaultError("a sandbox server does not answer")
            events = poll.poll(left * 1000 if running else 0)
            if not running and not events:
                return
            for fd, _event in events:
                if not streams[fd].read():
                    poll.unregister(fd)
                    running = running and streams[fd] is not status
            rounds += not running

    @staticmethod
    def _end(status: bytes, log: _Stream, out: _Stream | None) -> RunEnd:
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
            raise SandboxFaultError("a sandbox server died under a run") from None
        if not letter or letter not in b"RT":
            raise SandboxFaultError(f"a run ended before it began ({end.get('returncode')})")
        return RunEnd(
            **end,
            log=bytes(log.data),
            log_truncated=log.truncated,
            result=bytes(out.data) if out else b"",
            result_truncated=out.truncated if out else False,
            bad_tree=bad_tree,
        )
