"""Hunks of a unified diff: reading them with their counts, and putting them where they belong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING

from passband.grade.patch.result import RefusalError, shown
from passband.grade.patch.splice import nearest, places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passband.grade.patch.draft import Draft

__all__ = ["Hunk", "apply_hunks", "read_hunks"]

_HEADER = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_VERSION = re.compile(rb"\d+(\.\w+)+")
_LINE_COST = 16  # what a line of the table of lines costs against the allowance, beside its bytes


@dataclass(frozen=True, slots=True)
class Hunk:
    r"""Lines and what becomes of them; each carries its ``\n`` unless the diff says that there is none."""

    line: int
    """Number of its header in the answer."""
    start: int
    """First line it replaces, from 1."""
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]


def read_hunks(lines: list[bytes], at: int) -> tuple[tuple[Hunk, ...], int]:
    r"""Read the hunks that begin at line `at` and return them with the number of the line after.

    The counts of a header decide where its hunk ends, and the line after it must not look like more of the hunk: a
    parser that stops there in silence drops what the author wrote. A carriage return at the end of a line is part of
    it, as for git.

    Raises
    ------
    RefusalError
        Where counts and lines disagree.
    """
    hunks: list[Hunk] = []
    while at < len(lines) and lines[at].startswith(b"@@"):
        hunk, at = _read_hunk(lines, at)
        hunks.append(hunk)
    after = at
    while after < len(lines) and not lines[after].rstrip(b"\r"):
        after += 1
    if hunks and after < len(lines) and lines[after][:1] in {b" ", b"+", b"-"} and not _ends_diff(lines, after):
        raise _inconsistent(hunks[-1].line, after, "more lines follow than its header counts")
    return tuple(hunks), at


def _ends_diff(lines: list[bytes], at: int) -> bool:
    """Tell the next file's header, or the signature that ``git format-patch`` ends with, from a line of a hunk."""
    following = lines[at + 1] if at + 1 < len(lines) else b""
    if lines[at].startswith(b"--- ") and following.startswith(b"+++ "):
        return True
    return lines[at].rstrip() == b"--" and (at + 1 == len(lines) or _VERSION.match(following) is not None)


def _read_hunk(lines: list[bytes], at: int) -> tuple[Hunk, int]:
    header = at
    match = _HEADER.match(lines[at])
    if not match:
        raise RefusalError(f"line {at + 1} of the answer is no hunk header with line numbers: {shown(lines[at])}")
    count_old, count_new = (int(count) if count is not None else 1 for count in match.group(2, 4))
    old: list[bytes] = []
    new: list[bytes] = []
    sides: tuple[list[bytes], ...] = ()
    at += 1
    while at < len(lines):
        line = lines[at]
        if line.startswith(b"\\ "):
            _drop_line_feed(sides, header, at)
            at += 1
            continue
        if len(old) == count_old and len(new) == count_new:
            break
        kind = line[:1]
        if kind in {b" ", b""}:  # an empty line is a blank context line whose space an editor has trimmed
            sides = (old, new)
        elif kind == b"-":
            sides = (old,)
        elif kind == b"+":
            sides = (new,)
        else:
            raise _inconsistent(header, at, f"it counts more lines, but there stands {shown(line)}")
        for side in sides:
            if side and not side[-1].endswith(b"\n"):
                raise _inconsistent(header, at, "a line follows one that is said to end the file")
            side.append(line[1:] + b"\n")
        if len(old) > count_old or len(new) > count_new:
            raise _inconsistent(header, at, "it counts fewer lines on one side")
        at += 1
    if len(old) < count_old or len(new) < count_new:
        raise _inconsistent(header, at, "it counts more lines, but the answer ends")
    return Hunk(header + 1, int(match[1]), tuple(old), tuple(new)), at


def _drop_line_feed(sides: tuple[list[bytes], ...], header: int, at: int) -> None:
    """Honour the marker that the line before it has no line feed, on the sides that line stands on."""
    if not sides or not all(side[-1].endswith(b"\n") for side in sides):
        raise _inconsistent(header, at, "the marker for a missing line feed follows no line")
    for side in sides:
        side[-1] = side[-1][:-1]


def _inconsistent(header: int, at: int, why: str) -> RefusalError:
    return RefusalError(f"the hunk header on line {header + 1} of the answer disagrees with line {at + 1}: {why}")


def apply_hunks(content: bytes, hunks: Sequence[Hunk], path: str, draft: Draft) -> bytes:
    """Replace each hunk's lines, in order and without overlap.

    A hunk goes to the line its header names if its old lines stand there, and else to the one place where they do.

    Raises
    ------
    RefusalError
        Where there is no such place, or more than one.
    """
    target = _Target(content, path, draft)
    pieces: list[bytes] = []
    done = 0
    for number, hunk in enumerate(hunks, 1):
        where = f"{shown(path)}: hunk {number} (line {hunk.line} of the answer)"
        if not hunk.old and (content or len(hunks) > 1):
            raise RefusalError(f"{where} has neither context nor removed lines to find its place by")
        old, new = b"".join(hunk.old), b"".join(hunk.new)
        at = target.place(hunk, old, where)
        end = at + len(old)
        if at < done:
            raise RefusalError(f"{where} stands before the end of the hunk before it")
        if new and not new.endswith(b"\n") and end != len(content):
            raise RefusalError(f"{where} leaves a line without a line feed in the middle of the file")
        pieces += (content[done:at], new)
        done = end
    return b"".join((*pieces, content[done:]))


class _Target:
    """A file's content with the table of its lines."""

    def __init__(self, content: bytes, path: str, draft: Draft) -> None:
        lines = BytesIO(content).readlines()
        draft.charge(path, _LINE_COST * len(lines))
        self._content = content
        self._starts = [0, *accumulate(map(len, lines))]
        self._path = path
        self._draft = draft

    def place(self, hunk: Hunk, old: bytes, where: str) -> int:
        """Return the offset a hunk applies at, byte for byte."""
        if 1 <= hunk.start < len(self._starts):
            at = self._starts[hunk.start - 1]
            whole = old.endswith(b"\n") or at + len(old) == len(self._content)
            if whole and self._content.startswith(old, at):
                return at
        self._draft.charge(self._path, len(self._content))
        found = places(self._content, old)
        if len(found) > 1:
            raise RefusalError(f"{where} does not match at line {hunk.start}, and in more than one place elsewhere")
        if not found:
            raise RefusalError(f"{where} does not match the file: {nearest(self._content, hunk.old)}")
        return found[0]
