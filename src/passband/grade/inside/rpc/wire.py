"""Length-prefixed JSON over a stream socket, between a process that is trusted and one that is not."""

from __future__ import annotations

import json
import os
import socket
import struct
import time
from typing import Any

__all__ = ["MAX_MESSAGE", "GoneError", "ProtocolError", "Wire"]

MAX_MESSAGE = 16 << 20
_MAX_TOTAL = 128 << 20
_PIECE = 1 << 16
_encode = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_decode = json.JSONDecoder().decode


class ProtocolError(Exception):
    """The other side sent what no honest one would."""


class GoneError(Exception):
    """The other side is no more, or did not answer in time."""


class Wire:
    """One end of the line.

    Parameters
    ----------
    fd : int
        Descriptor of a connected stream socket; whoever made it closes it.
    deadline : float, optional
        Clock reading (:func:`time.monotonic`) after which nothing is waited for.
    """

    def __init__(self, fd: int, deadline: float | None = None) -> None:
        self.fd = fd
        self._deadline = deadline
        self._rest = b""
        self._left = _MAX_TOTAL
        if deadline is not None:
            # The kernel's own time-outs: a poll before each call would double the system calls.
            left = max(0.001, deadline - time.monotonic())
            parts = struct.pack("ll", int(left), int(left % 1 * 1e6))
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0, os.dup(fd)) as sock:
                for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
                    sock.setsockopt(socket.SOL_SOCKET, option, parts)

    def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises
        ------
        GoneError
            Where nobody is there to take it.
        """
        body = _encode(message).encode()
        data = len(body).to_bytes(4, "big") + body
        try:
            sent = os.write(self.fd, data)
            while sent < len(data):
                sent += os.write(self.fd, data[sent : sent + _PIECE])
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
        data = self._rest
        while len(data) < 4:
            data += self._more()
        end = 4 + int.from_bytes(data[:4], "big")
        if end - 4 > MAX_MESSAGE:
            raise ProtocolError(f"a message of {end - 4} bytes")
        self._left -= end
        if self._left < 0:
            raise ProtocolError(f"more than {_MAX_TOTAL} bytes in all")
        if len(data) < end:
            pieces, have = [data], len(data)
            while have < end:
                pieces.append(self._more())
                have += len(pieces[-1])
            data = b"".join(pieces)
        self._rest = data[end:]
        try:
            message = _decode(data[4:end].decode())
        except (ValueError, RecursionError):
            raise ProtocolError("a message that is not JSON") from None
        if type(message) is not dict:
            raise ProtocolError("a message that is not an object")
        return message

    def _more(self) -> bytes:
        if self._deadline is not None and time.monotonic() > self._deadline:
            raise GoneError("timed out: no answer before the end of wall_s")
        try:
            piece = os.read(self.fd, _PIECE)
        except BlockingIOError:
            raise GoneError("timed out: no answer before the end of wall_s") from None
        except OSError as error:
            raise GoneError(f"the candidate's process is gone: {error}") from None
        if not piece:
            raise GoneError("the candidate's process is gone")
        return piece
