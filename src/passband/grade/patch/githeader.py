"""The header of a file's section in a diff: every name in it is found, stripped of its prefix, and compared."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from passband.grade.patch.diffedit import DiffEdit
from passband.grade.patch.names import canonical, unquote
from passband.grade.patch.result import RefusalError, shown

if TYPE_CHECKING:
    from passband.grade.patch.hunks import Hunk

__all__ = ["Header"]

_DEV_NULL = b"/dev/null"
_FORWARD = ((b"a/", b"b/"), (b"i/", b"w/"), (b"c/", b"i/"), (b"c/", b"w/"), (b"o/", b"w/"), (b"1/", b"2/"))
_PREFIXES = frozenset(_FORWARD) | {(b, a) for a, b in _FORWARD}
"""Prefixes git puts before names: the usual ones, those of ``diff.mnemonicPrefix``, and each pair under ``-R``."""

_MODE_KEYS = (b"old mode", b"new mode", b"deleted file mode", b"new file mode")
_EXTENDED = re.compile(
    rb"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to"
    rb"|similarity index|dissimilarity index|index) (.*)",
    re.DOTALL,
)
_SPECIAL = {0o120000: "a symbolic link", 0o160000: "a submodule"}


@dataclass(slots=True)
class Header:
    """What the lines before the hunks say, as raw bytes."""

    line: int
    """Number of its first line in the answer."""
    git: bytes | None = None
    """What follows ``diff --git``."""
    extended: dict[bytes, bytes] = field(default_factory=dict)
    sides: tuple[bytes, bytes] | None = None
    """What follows ``---`` and ``+++``."""
    binary: bool = False

    def extend(self, line: bytes) -> bool:
        """Take an extended header line of git's; False if it is none."""
        match = _EXTENDED.fullmatch(line)
        if not match:
            return False
        if match[1] in self.extended:
            raise RefusalError(f"the file header on line {self.line} of the answer says {match[1].decode()!r} twice")
        self.extended[match[1]] = match[2]
        return True

    def edit(self, hunks: tuple[Hunk, ...]) -> DiffEdit:
        """Settle which file this is about and what happens to it.

        Raises
        ------
        RefusalError
            Where a line cannot be read. Names that contradict each other are a *fault* of the edit instead, so that
            each of them is still checked against the policy first.
        """
        fault = "holds a binary change" if self.binary else None
        moved = self._moved()
        git = _git_names(self.git) if self.git is not None else None
        pairs: list[tuple[bytes | None, bytes | None]] = [moved[1:]] if moved else []
        prefixes = (b"", b"")
        if git:
            prefixes = _prefixes(*git)
            pairs.append((git[0].removeprefix(prefixes[0]), git[1].removeprefix(prefixes[1])))
        if self.sides:
            old, new = (_side_name(raw) for raw in self.sides)
            if not git:
                prefixes = _prefixes(old, new)
            if any(not name.startswith((prefix, _DEV_NULL)) for name, prefix in zip((old, new), prefixes, strict=True)):
                fault = fault or "names the file with and without a prefix"
            pairs.append((_stripped(old, prefixes[0]), _stripped(new, prefixes[1])))
        if all(name is None for pair in pairs for name in pair):
            raise RefusalError(
                f"line {self.line} of the answer names no file that can be told: {shown(self.git or b'')}"
            )
        olds = list(dict.fromkeys(canonical(old) for old, _ in pairs if old is not None))
        news = list(dict.fromkeys(canonical(new) for _, new in pairs if new is not None))
        names = tuple(dict.fromkeys(olds + news))
        kind = self._kind(moved[0] if moved else None)
        if kind is None or not self._agree(olds, news, moved=moved is not None):
            fault = fault or "contradicts itself on which file it is about"
        if self.git is not None and not git and not _spells(self.git, pairs[0]):
            fault = fault or "contradicts itself on which file it is about"
        return DiffEdit(
            kind=kind or "edited",
            old=(olds or news)[0],
            new=(news or olds)[0],
            hunks=hunks,
            names=names,
            special=self._special(names),
            fault=fault and f"the section of {shown(names[-1])} (line {self.line} of the answer) {fault}",
        )

    def _moved(self) -> tuple[Literal["renamed", "copied"], bytes, bytes] | None:
        found: list[tuple[Literal["renamed", "copied"], bytes, bytes]] = []
        verbs: tuple[tuple[Literal["renamed", "copied"], bytes], ...] = (("renamed", b"rename"), ("copied", b"copy"))
        for kind, verb in verbs:
            ends = [self.extended.get(verb + end) for end in (b" from", b" to")]
            names = [_whole_name(raw) for raw in ends if raw is not None]
            if len(names) == 1:
                raise RefusalError(f"the file header on line {self.line} of the answer has half a {verb.decode()}")
            if names:
                found.append((kind, names[0], names[1]))
        if len(found) > 1:
            raise RefusalError(f"the file header on line {self.line} of the answer both renames and copies")
        return found[0] if found else None

    def _kind(
        self, moved: Literal["renamed", "copied"] | None
    ) -> Literal["edited", "created", "deleted", "renamed", "copied"] | None:
        """What happens to the file; None if the header says two things."""
        gone = [side is not None and _side_name(side) == _DEV_NULL for side in self.sides or (None, None)]
        created = b"new file mode" in self.extended or gone[0]
        deleted = b"deleted file mode" in self.extended or gone[1]
        if created + deleted + (moved is not None) > 1 or (self.sides and gone != [created, deleted]):
            return None
        return "created" if created else "deleted" if deleted else moved or "edited"

    @staticmethod
    def _agree(olds: list[str], news: list[str], *, moved: bool) -> bool:
        if moved:
            return len(olds) == len(news) == 1
        return len({*olds, *news}) == 1

    def _special(self, names: tuple[str, ...]) -> str | None:
        """Say which mode, if any, is not a regular file's."""
        modes = [self.extended[key] for key in _MODE_KEYS if key in self.extended]
        # "index 1234567..89abcde 120000" gives the mode where it stays the same.
        modes += self.extended.get(b"index", b"").split()[1:2]
        found = None
        for raw in modes:
            kind = int(raw, 8) & 0o170000 if re.fullmatch(rb"[0-7]{6}", raw.strip()) else 0
            if kind in _SPECIAL:
                found = f"{shown(names[-1])} is {_SPECIAL[kind]}, which an answer may not touch"
            elif kind != 0o100000:
                raise RefusalError(f"the file header on line {self.line} of the answer has an odd mode: {shown(raw)}")
        return found


def _side_name(raw: bytes) -> bytes:
    """Read the name on a ``---`` or ``+++`` line: quoted, or up to the tab before a time stamp."""
    if raw.startswith(b'"'):
        name, rest = unquote(raw)
        if rest and not rest.startswith(b"\t"):
            raise RefusalError(f"text follows the quoted file name {shown(raw)}")
        return name
    return raw.split(b"\t", 1)[0]


def _whole_name(raw: bytes) -> bytes:
    if raw.startswith(b'"'):
        name, rest = unquote(raw)
        if rest:
            raise RefusalError(f"text follows the quoted file name {shown(raw)}")
        return name
    return raw


def _prefixes(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    if old == _DEV_NULL:
        return b"", b"b/" if new.startswith(b"b/") else b""
    if new == _DEV_NULL:
        return b"a/" if old.startswith(b"a/") else b"", b""
    pair = (old[:2], new[:2])
    return pair if pair in _PREFIXES else (b"", b"")


def _stripped(name: bytes, prefix: bytes) -> bytes | None:
    return None if name == _DEV_NULL else name.removeprefix(prefix)


def _git_names(rest: bytes) -> tuple[bytes, bytes] | None:
    """Split what follows ``diff --git`` into two names, prefixes and all; None where blanks leave it open.

    Names with blanks stand there unquoted, so the line alone may be ambiguous. It is not if both halves are the same
    name (git's own rule) or if there is only one way to split it.
    """
    if rest.startswith(b'"'):
        old, after = unquote(rest)
        if not after.startswith(b" "):
            raise RefusalError(f"no second file name follows {shown(rest)}")
        return old, _whole_name(after[1:])
    if rest.endswith(b'"') and (at := rest.find(b' "')) > 0:
        return rest[:at], _whole_name(rest[at + 1 :])
    middle = len(rest) // 2
    old, new = rest[:middle], rest[middle + 1 :]
    if rest[middle : middle + 1] == b" ":
        prefixes = _prefixes(old, new)
        if old.removeprefix(prefixes[0]) == new.removeprefix(prefixes[1]):
            return old, new
    after = b" b/" if rest.startswith(b"a/") else b" "
    if rest.count(after) != 1:
        return None
    at = rest.index(after)
    return rest[:at], rest[at + 1 :]


def _spells(rest: bytes, pair: tuple[bytes | None, bytes | None]) -> bool:
    """Whether an ambiguous ``diff --git`` line can be read as this pair of names, known from elsewhere."""
    old, new = pair[0] or pair[1] or b"", pair[1] or pair[0] or b""
    return any(rest == a + old + b" " + b + new for a, b in (*_PREFIXES, (b"", b"")))
