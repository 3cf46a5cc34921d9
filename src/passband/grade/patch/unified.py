r"""Reading unified diffs: plain ones and git's, with a commit message before them or a code fence around them.

Why not a library: the three for Python (unidiff 1.0, whatthepatch 1.0, patch-ng 1.19) all drop in silence what a hunk
holds beyond its header's counts; two take a quoted name (``"a/te\163ts/x"``) as it stands and the third makes another
one of it; none reports that a new file is a symbolic link; whatthepatch accepts a hunk that is cut short, and splits
lines at U+2028 and form feeds; patch-ng mends ``../`` in a name instead of refusing it; two read text, not bytes. Each
of these is a way past the policy, or a changed byte.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from passband.grade.patch.blocks import SEARCH
from passband.grade.patch.githeader import Header
from passband.grade.patch.hunks import read_hunks
from passband.grade.patch.result import RefusalError, shown

if TYPE_CHECKING:
    from passband.grade.patch.diffedit import DiffEdit

__all__ = ["parse_diff"]

_GIT = b"diff --git "
_BINARY = re.compile(rb"GIT binary patch|Binary files .* differ")


def parse_diff(text: bytes) -> list[DiffEdit]:
    r"""Read every section of a diff.

    Lines end at ``\n`` alone; a last line without one counts as if it had it. Headers may end in ``\r\n``; in a hunk a
    ``\r`` is part of its line. Text between sections is skipped, but
    not where it could be part of a change: a hunk without a header, a header without a hunk, a binary change.

    Raises
    ------
    RefusalError
        Where the text cannot be read as a diff without a doubt.
    """
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    edits: list[DiffEdit] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(_GIT):
            edit, at = _git_section(lines, at)
        elif _plain_header(lines, at):
            edit, at = _plain_section(lines, at)
        else:
            _check_skipped(line, at)
            at += 1
            continue
        edits.append(edit)
    if not edits:
        raise RefusalError("the answer holds no unified diff")
    return edits


def _plain_header(lines: list[bytes], at: int) -> bool:
    return lines[at].startswith(b"--- ") and at + 1 < len(lines) and lines[at + 1].startswith(b"+++ ")


def _check_skipped(line: bytes, at: int) -> None:
    if line.startswith(b"@@"):
        raise RefusalError(f"the hunk on line {at + 1} of the answer follows no file header")
    if _BINARY.match(line):
        raise RefusalError(f"line {at + 1} of the answer stands for a binary change: {shown(line)}")
    if line.rstrip() == SEARCH:
        raise RefusalError(f"the answer mixes a diff with search/replace blocks (line {at + 1})")


def _git_section(lines: list[bytes], at: int) -> tuple[DiffEdit, int]:
    header = Header(at + 1, git=lines[at][len(_GIT) :].removesuffix(b"\r"))
    at += 1
    while at < len(lines) and header.extend(lines[at].removesuffix(b"\r")):
        at += 1
    if at < len(lines) and _BINARY.match(lines[at]):
        header.binary = True
        return header.edit(()), at + 1
    if at < len(lines) and _plain_header(lines, at):
        return _with_hunks(header, lines, at)
    return header.edit(()), at


def _plain_section(lines: list[bytes], at: int) -> tuple[DiffEdit, int]:
    return _with_hunks(Header(at + 1), lines, at)


def _with_hunks(header: Header, lines: list[bytes], at: int) -> tuple[DiffEdit, int]:
    old, new = (line[4:].removesuffix(b"\r") for line in lines[at : at + 2])
    header.sides = (old, new)
    hunks, after = read_hunks(lines, at + 2)
    if not hunks:
        raise RefusalError(f"no hunk follows the file header on line {at + 1} of the answer")
    return header.edit(hunks), after
