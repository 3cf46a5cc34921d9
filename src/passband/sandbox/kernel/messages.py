"""Messages with descriptors over a stream socket: the one kind of local socket that every POSIX system has."""

from __future__ import annotations

import array
import os
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GoneError", "receive", "send"]

_MAX_FDS = 8
_HEAD = 4
# Elsewhere a descriptor whose sender has closed it while it was under way may arrive dead.
_ACKNOWLEDGED = sys.platform != "linux"
_TAKEN = b"A"


class GoneError(OSError):
    """The other side hung up in the middle of a message."""


def send(sock: socket.socket, body: bytes, fds: Sequence[int] = ()) -> None:
    """Send one message; the caller may close its own copies of the descriptors afterwards.

    Parameters
    ----------
    sock : socket.socket
        A connected stream; two threads must not send at once.
    body : bytes
        Up to 4 GiB.
    fds : sequence of int
        Up to eight descriptors that go with it.

    Raises
    ------
    OSError
        Where nobody is there to take it, or not in time.
    """
    data = len(body).to_bytes(_HEAD, "big") + body
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    sent = sock.sendmsg([data], ancillary)
    if sent < len(data):
        sock.sendall(memoryview(data)[sent:])
    if _ACKNOWLEDGED and fds and sock.recv(1) != _TAKEN:
        raise GoneError("the other side hung up")


def receive(sock: socket.socket) -> tuple[bytes, list[int]] | None:
    """Take one message, with its descriptors; None at the end of the stream.

    Raises
    ------
    GoneError
        Where the stream ends in the middle of one.
    OSError
        Where it cannot be read.
    """
    # No further than the length, so that never two messages' descriptors come at once.
    head, ancillary, _flags, _address = sock.recvmsg(_HEAD, socket.CMSG_SPACE(_HEAD * _MAX_FDS))
    if not head:
        return None
    fds = array.array("i")
    for _level, _kind, data in ancillary:
        fds.frombytes(data[: len(data) - len(data) % fds.itemsize])
    try:
        if len(head) < _HEAD:
            head += _exactly(sock, _HEAD - len(head))
        body = _exactly(sock, int.from_bytes(head, "big"))
        if _ACKNOWLEDGED and fds:
            sock.sendall(_TAKEN)
    except OSError:
        for fd in fds:
            os.close(fd)
        raise
    return body, list(fds)


def _exactly(sock: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        piece = sock.recv(size - len(data))
        if not piece:
            raise GoneError("the other side hung up")
        data += piece
    return data
