"""Bytes to text."""

from wire.errors import FrameError

MAX_LENGTH_DIGITS = 6


class FrameReader:
    """Collects chunks and hands out complete frames."""

    def __init__(self) -> None:
        self._buffer = ""

    def feed(self, chunk: bytes) -> list[str]:
        """Take a chunk and return the texts it completes."""
        self._buffer += chunk.decode()
        texts = []
        while True:
            head, colon, rest = self._buffer.partition(":")
            if not colon:
                if len(head) > MAX_LENGTH_DIGITS:
                    raise FrameError("the length has no end")
                return texts
            if not head.isdigit():
                raise FrameError(f"{head!r} is not a length")
            length = int(head)
            if len(rest) < length:
                return texts
            texts.append(rest[:length])
            self._buffer = rest[length:]

    @property
    def pending(self) -> bool:
        """Whether part of a frame is waiting for the rest."""
        return bool(self._buffer)
