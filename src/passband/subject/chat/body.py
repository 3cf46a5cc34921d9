"""The body of a reply, of bounded size and in bounded time, whatever the server sends."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["EndlessReplyError", "read_lines", "read_whole"]

_MOST = 64 * 2**20  # bytes: a thousand times the longest answers there are


class _Streamed(Protocol):
    def iter_bytes(self) -> Iterator[bytes]: ...


class EndlessReplyError(Exception):
    """A reply that is longer, or takes longer, than any answer."""


def _pieces(reply: _Streamed, longest_s: float, begun: float) -> Iterator[bytes]:
    size, deadline = 0, begun + longest_s
    for piece in reply.iter_bytes():
        size += len(piece)
        if size > _MOST:
            raise EndlessReplyError(f"the reply is longer than {_MOST // 2**20} MiB")
        if time.monotonic() > deadline:
            raise EndlessReplyError(f"the reply was not whole after {longest_s:g} s")
        yield piece


def read_whole(reply: _Streamed, longest_s: float, begun: float) -> bytes:
    """Read a body.

    Raises
    ------
    EndlessReplyError
        Where it does not end within `longest_s` seconds of `begun`, by the monotonic clock, or within 64 MiB.
    """
    return b"".join(_pieces(reply, longest_s, begun))


def read_lines(reply: _Streamed, longest_s: float, begun: float) -> Iterator[str]:
    """Read a body line by line, as server-sent events have them: ended by LF, CR or both, and by nothing else.

    A model's text may hold what Unicode calls the end of a line, such as U+2028.

    Raises
    ------
    EndlessReplyError
        As for :func:`read_whole`.
    """
    rest: list[bytes] = []  # of a line whose end has not come: what is before a CR may be the half of it
    for piece in _pieces(reply, longest_s, begun):
        if b"\n" not in piece:
            rest.append(piece)
            continue
        *lines, last = b"".join([*rest, piece]).replace(b"\r\n", b"\n").split(b"\n")
        rest = [last]
        for line in lines:
            yield from _parts(line)
    if left := b"".join(rest):
        yield from _parts(left)


def _parts(line: bytes) -> Iterator[str]:
    for part in line.split(b"\r"):
        yield part.decode(errors="replace")
