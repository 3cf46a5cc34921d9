"""Finding where lines stand in a file, exactly, and what to say when they stand nowhere."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from passband.grade.patch.result import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["line_ending", "nearest", "places", "spellings", "without_cr"]

_NEAREST_LINES = 64  # how much of a block is compared when looking for the place that was meant


def line_ending(content: bytes) -> bytes | None:
    r"""Return ``\n`` or ``\r\n`` if the file uses only that, None if it mixes them."""
    crlf = content.count(b"\r\n")
    if crlf == 0:
        return b"\n"
    return b"\r\n" if content.count(b"\n") == crlf else None


def without_cr(line: bytes) -> bytes:
    r"""Drop the carriage return before the end of a line, with or without its ``\n``."""
    if line.endswith(b"\r\n"):
        return line[:-2] + b"\n"
    return line.removesuffix(b"\r")


def spellings(old: Sequence[bytes], new: Sequence[bytes], ending: bytes | None) -> Iterator[tuple[bytes, bytes]]:
    r"""Yield the ways to read an edit: as it stands, then in the file's own line ending.

    The second reading exists only where it loses nothing: an edit free of ``\r`` in a CRLF file, or one with ``\r`` at
    the end of every line in an LF file. Where endings are mixed, in the file or in the edit, bytes are bytes.

    Parameters
    ----------
    old, new : sequence of bytes
        Lines with their ``\n``; only the last may lack it.
    ending : bytes or None
        The file's, from :func:`line_ending`.
    """
    yield b"".join(old), b"".join(new)
    if ending == b"\r\n":
        if not any(line.endswith(b"\r\n") for line in old):
            yield b"".join(map(_with_cr, old)), b"".join(map(_with_cr, new))
    elif ending == b"\n" and all(line.endswith((b"\r\n", b"\r")) for line in (*old, *new)):
        yield b"".join(map(without_cr, old)), b"".join(map(without_cr, new))


def _with_cr(line: bytes) -> bytes:
    return line[:-1] + b"\r\n" if line.endswith(b"\n") and not line.endswith(b"\r\n") else line


def places(content: bytes, lines: bytes) -> list[int]:
    r"""Return the offsets at which whole lines stand in `content`: all of them if there are fewer than two, else two.

    `lines` is one or more lines; if the last has no ``\n``, it matches the end of the file alone. ``bytes.find``
    is linear since Python 3.10, also on the inputs made to hurt it, so nothing cleverer is called for.
    """
    if not lines.endswith(b"\n"):
        at = len(content) - len(lines)
        return [at] if content.endswith(lines) and (at == 0 or content[at - 1 : at] == b"\n") else []
    found = [0] if content.startswith(lines) else []
    needle = b"\n" + lines
    at = content.find(needle)
    while at >= 0 and len(found) < 2:
        found.append(at + 1)
        at = content.find(needle, at + 1)
    return found


def nearest(content: bytes, wanted: Sequence[bytes]) -> str:
    """Describe the place in a file most like `wanted`, white space aside, and the first line that differs there."""
    wanted = [line.removesuffix(b"\n") for line in wanted]
    lines = content.removesuffix(b"\n").split(b"\n")
    sought = {stripped for line in wanted[:_NEAREST_LINES] if (stripped := line.strip())}
    where: dict[bytes, list[int]] = {}
    for number, line in enumerate(lines):
        if (stripped := line.strip()) in sought:
            where.setdefault(stripped, []).append(number)
    votes = Counter[int]()
    for offset, line in enumerate(wanted[:_NEAREST_LINES]):
        for number in where.get(line.strip(), ())[:_NEAREST_LINES]:
            if number >= offset:
                votes[number - offset] += 2 if lines[number] == line else 1
    if not votes:
        return "none of its lines stands in the file"
    start = min(votes, key=lambda at: (-votes[at], at))
    for offset, line in enumerate(wanted):
        there = lines[start + offset] if start + offset < len(lines) else None
        if there != line:
            break
    else:
        return f"the lines stand at line {start + 1}, but one has a line feed at the end of the file and the other none"
    if there is None:
        return f"nearest is line {start + 1}, but the file ends before {shown(line)}"
    how = "only white space differs: " if there.strip() == line.strip() else ""
    return (
        f"nearest is line {start + 1}, where {how}line {start + offset + 1} reads {shown(there)} and not {shown(line)}"
    )
