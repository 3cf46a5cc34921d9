"""Search/replace blocks, as language models write them.

::

    path/to/file.py
    <<<<<<< SEARCH
    lines that stand in the file exactly once
    =======
    lines to put in their place
    >>>>>>> REPLACE

The path stands on the line before, also in back quotes or bold, with a code fence in between if need be; a block that
follows another at once is about the same file. An empty SEARCH creates a file (or fills an empty one).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.grade.patch.names import canonical
from passband.grade.patch.result import RefusalError, shown
from passband.grade.patch.splice import line_ending, nearest, places, spellings, without_cr

if TYPE_CHECKING:
    from collections.abc import Container

    from passband.grade.patch.draft import Draft

__all__ = ["SEARCH", "BlockEdit", "parse_blocks"]

SEARCH = b"<<<<<<< SEARCH"
_DIVIDER = b"======="
_REPLACE = b">>>>>>> REPLACE"


@dataclass(frozen=True, slots=True)
class BlockEdit:
    r"""Replace lines that stand exactly once; all lines carry their ``\n``."""

    path: str
    number: int
    search: tuple[bytes, ...]
    replace: tuple[bytes, ...]
    special: None = None
    vacates: None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    def apply(self, draft: Draft) -> str:
        """Make the replacement."""
        old = draft.read(self.path)
        if not self.search:
            if old:
                raise self._refusal("has an empty SEARCH, which creates a file, but there is one with content")
            draft.write(self.path, b"".join(self.replace))
            return f"{'created' if old is None else 'edited'} {self.path}"
        if old is None:
            raise self._refusal("searches a file that does not exist")
        draft.write(self.path, self._replaced(old))
        return f"edited {self.path}"

    def _replaced(self, old: bytes) -> bytes:
        ending = line_ending(old)
        # A block cannot say that the file's last line has no line feed: match as if it had one, and take it off again.
        missing = b"" if old.endswith(b"\n") or not old else (ending or b"\n")
        content = old + missing
        for search, replace in spellings(self.search, self.replace, ending):
            found = places(content, search)
            if len(found) > 1:
                lines = " and ".join(str(content.count(b"\n", 0, at) + 1) for at in found)
                raise self._refusal(f"matches more than once (lines {lines}); add lines around it until it is unique")
            if found:
                new = content[: found[0]] + replace + content[found[0] + len(search) :]
                return new.removesuffix(missing) if missing else new
        raise self._refusal(f"does not match the file: {nearest(old, self.search)}")

    def _refusal(self, what: str) -> RefusalError:
        return RefusalError(f"{shown(self.path)}: block {self.number} {what}")


def parse_blocks(text: bytes, known: Container[str]) -> list[BlockEdit]:
    """Read every block of a text, whatever prose and fences stand around them.

    Parameters
    ----------
    text : bytes
        The answer.
    known : container of str
        Paths of the base tree: a line that is one of them is taken as it stands.

    Raises
    ------
    RefusalError
        For a block that is cut short, nested, divided twice or without a file name, and where a diff stands beside
        the blocks: half an answer must not pass for a whole one.
    """
    lines = text.split(b"\n")
    edits: list[BlockEdit] = []
    path: str | None = None
    at = free = 0
    while at < len(lines):
        mark = lines[at].rstrip()
        if mark == SEARCH:
            number = len(edits) + 1
            search, replace, after = _block(lines, at, number)
            path = _path(lines, free, at, known, creates=not search) or path
            if path is None:
                raise RefusalError(f"block {number} has no file name on the line before it (line {at + 1})")
            edits.append(BlockEdit(path, number, search, replace))
            at = free = after
            continue
        if mark.startswith((b"<<<<<<<", _REPLACE)):
            raise RefusalError(f"line {at + 1} of the answer is a stray marker: {shown(mark)}")
        if mark.startswith((b"diff --git ", b"@@ -")):
            raise RefusalError(f"the answer mixes search/replace blocks with a diff (line {at + 1})")
        at += 1
    if not edits:
        raise RefusalError("the answer holds no search/replace block")
    return edits


def _block(lines: list[bytes], start: int, number: int) -> tuple[tuple[bytes, ...], tuple[bytes, ...], int]:
    # A carriage return on the marker is the transport's: then every line has one too many.
    crlf = lines[start].endswith(b"\r")
    parts: tuple[list[bytes], list[bytes]] = ([], [])
    side = 0
    for at in range(start + 1, len(lines)):
        mark = lines[at].rstrip()
        if mark == _DIVIDER and side == 0:
            side = 1
        elif mark == _REPLACE and side == 1:
            return tuple(parts[0]), tuple(parts[1]), at + 1
        elif mark in {SEARCH, _DIVIDER, _REPLACE}:
            raise RefusalError(f"block {number} is malformed: {shown(mark)} on line {at + 1} is one marker too many")
        else:
            parts[side].append((without_cr(lines[at]) if crlf else lines[at]) + b"\n")
    raise RefusalError(f"block {number} (line {start + 1}) has no end")


def _path(lines: list[bytes], free: int, at: int, known: Container[str], *, creates: bool) -> str | None:
    """Find the name a block is under, None where nothing but fences and blanks stands since the block before."""
    for before in range(at - 1, free - 1, -1):
        line = lines[before].strip()
        if not line or line.startswith((b"```", b"~~~")):
            continue
        plain = line.lstrip(b"#").strip().removesuffix(b":").strip(b"*").removesuffix(b":").strip(b"`").strip()
        name = canonical(line)
        if name not in known:
            name = canonical(plain or line)
        if name not in known and not creates and any(ch.isspace() for ch in name):
            raise RefusalError(f"line {before + 1} of the answer, before a block, is no file name: {shown(line)}")
        return name
    return None
