"""Length-prefixed JSON over a stream socket, between a process that is trusted and one that is not."""

from __future__ import annotations

import json
import select
import socket
import time
from typing import Any

__all__ = ["MAX_MESSAGE", "GoneError", "ProtocolError", "Wire"]

MAX_MESSAGE = 16 << 20
_MAX_TOTAL = 128 << 20


class ProtocolError(Exception):
    """The other side sent what no honest one would."""


class GoneError(Exception):
    """The other side is no more, or did not answer in time."""


class Wire:
    """One end of the line.

    Parameters
    ----------
    sock : socket.socket
        Connected stream socket.
    deadline : float, optional
        Clock reading (:func:`time.monotonic`) after which nothing is waited for.
    """

    def __init__(self, sock: socket.socket, deadline: float | None = None) -> None:
        self._sock = sock
        self._deadline = deadline
        self._buffer = bytearray()
        self._left = _MAX_TOTAL

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises
        ------
        GoneError
            Where nobody is there to take it.
        """
        body = json.dumps(message, separators=(",", ":"), check_circular=False).encode()
        data = memoryview(len(body).to_bytes(4, "big") + body)
        try:
            while data:
                self._wait(write=True)
                data = data[self._sock.send(data, socket.MSG_NOSIGNAL | socket.MSG_DONTWAIT) :]
        except BlockingIOError:
            raise GoneError("the candidate's process does not listen") from None
        except OSError as error:
            raise GoneError(f"the candidate's process is gone: {error}") from None

    def receive(self) -> dict[str, Any]:
        """Take one message.

        Raises
        ------
        GoneError
            At the end of the stream or past the deadline.
        ProtocolError
            For a message too long, or no JSON object.
        """
        size = int.from_bytes(self._take(4), "big")
        if size > MAX_MESSAGE:
            raise ProtocolError(f"a message of {size} bytes")
        self._left -= size
        if self._left < 0:
            raise ProtocolError(f"more than {_MAX_TOTAL} bytes in all")
        try:
            message = json.loads(self._take(size))
        except (ValueError, RecursionError):
            raise ProtocolError("a message that is not JSON") from None
        if type(message) is not dict:
            raise ProtocolError("a message that is not an object")
        return message

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._wait(write=False)
            try:
                piece = self._sock.recv(1 << 16, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue
            except OSError as error:
                raise GoneError(f"the candidate's process is gone: {error}") from None
            if not piece:
                raise GoneError("the candidate's process is gone")
            self._buffer += piece
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken

    def _wait(self, *, write: bool) -> None:
        poll = select.poll()
        poll.register(self._sock, select.POLLOUT if write else select.POLLIN)
        left = None if self._deadline is None else max(0.0, self._deadline - time.monotonic()) * 1000
        if not poll.poll(left):
            raise GoneError("no answer in time")
