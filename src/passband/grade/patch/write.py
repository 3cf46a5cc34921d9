"""From two trees to an answer: the way back, for other harnesses' logs and for subjects that edit files in place."""

from __future__ import annotations

import base64
import json
from difflib import Match, SequenceMatcher
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING

from passband.errors import DataError
from passband.grade.patch.names import canonical, unsafe
from passband.grade.patch.result import RefusalError, shown
from passband.records import Answer, AnswerFormat

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["answer_from_trees", "diff_trees", "path_fault"]

_Change = tuple[int, int, int, int]
"""Lines ``old[a:b]`` become ``new[c:d]``: (a, b, c, d)."""

_CONTEXT = 3
_MAX_STEPS = 2_000_000


def answer_from_trees(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Answer:
    """Write the answer that turns one tree into the other: a diff, or whole files where one holds NUL bytes.

    Raises
    ------
    DataError
        For a path no answer may carry.
    """
    changed = _changed(before, after)
    sides = [content for path in changed for content in (before.get(path), after.get(path)) if content is not None]
    if not any(b"\0" in content for content in sides):
        return Answer(diff_trees(before, after), AnswerFormat.UNIFIED_DIFF)
    files = {path: _json_value(after.get(path)) for path in changed}
    return Answer(json.dumps(files, ensure_ascii=False).encode(), AnswerFormat.FILES)


def _json_value(content: bytes | None) -> str | dict[str, str] | None:
    if content is None:
        return None
    try:
        return content.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode("ascii")}


def diff_trees(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bytes:
    """Write a git-style unified diff that turns `before` into `after` exactly, whatever bytes are in them.

    Parameters
    ----------
    before, after : Mapping of str to bytes
        Relative POSIX path → content.

    Returns
    -------
    bytes
        Empty where the trees are equal. Renames appear as a deletion and a creation.

    Raises
    ------
    DataError
        For a path no answer may carry: one that escapes, holds control characters or is not in its plainest form.
    """
    return b"".join(_section(path, before.get(path), after.get(path)) for path in _changed(before, after))


def _changed(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> list[str]:
    paths = sorted(path for path in {**before, **after} if before.get(path) != after.get(path))
    for path in paths:
        if reason := path_fault(path):
            raise DataError(reason, where="tree")
    return paths


def path_fault(path: str) -> str:
    """Say why no answer may carry a file of that name, or nothing."""
    try:
        reason = unsafe(path) or ("" if canonical(path) == path else "is not in its plainest form")
    except RefusalError as error:
        return error.detail
    return f"the path {shown(path)} {reason}" if reason else ""


def _section(path: str, old: bytes | None, new: bytes | None) -> bytes:
    names = [_quoted(prefix + path) for prefix in ("a/", "b/")]
    lines = [b"diff --git %b %b\n" % (names[0], names[1])]
    if old is None:
        lines.append(b"new file mode 100644\n")
        names[0] = b"/dev/null"
    if new is None:
        lines.append(b"deleted file mode 100644\n")
        names[1] = b"/dev/null"
    if old or new:
        # A tab ends a name that holds blanks, as git writes it: other readers take what follows for a time stamp.
        ends = [b"\t" if b" " in name else b"" for name in names]
        lines.append(b"--- %b%b\n+++ %b%b\n" % (names[0], ends[0], names[1], ends[1]))
        lines += _hunks(BytesIO(old or b"").readlines(), BytesIO(new or b"").readlines())
    return b"".join(lines)


def _quoted(name: str) -> bytes:
    data = name.encode()
    return b'"%b"' % data.replace(b'"', b'\\"') if b'"' in data else data


def _hunks(old: list[bytes], new: list[bytes]) -> list[bytes]:
    written: list[bytes] = []
    for group in _grouped(_changes(old, new)):
        (first_old, _, first_new, _), (_, last_old, _, last_new) = group[0], group[-1]
        lead = min(_CONTEXT, first_old)
        trail = min(_CONTEXT, len(old) - last_old)
        ranges = _range(first_old - lead, last_old + trail), _range(first_new - lead, last_new + trail)
        written.append(b"@@ -%b +%b @@\n" % ranges)
        done = first_old - lead
        for old_start, old_stop, new_start, new_stop in group:
            written += [_line(b" ", line) for line in old[done:old_start]]
            written += [_line(b"-", line) for line in old[old_start:old_stop]]
            written += [_line(b"+", line) for line in new[new_start:new_stop]]
            done = old_stop
        written += [_line(b" ", line) for line in old[done : done + trail]]
    return written


def _range(start: int, stop: int) -> bytes:
    # An empty range is named by the line before it.
    return b"%d,%d" % (start + (stop > start), stop - start)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"


def _changes(old: list[bytes], new: list[bytes]) -> list[_Change]:
    """Find which lines differ, in time bounded by the size of the files."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = next((at for at in range(shorter - head) if old[-1 - at] != new[-1 - at]), shorter - head)
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = _BoundedMatcher(old_middle, new_middle)
    return [
        (head + old_start, head + old_stop, head + new_start, head + new_stop)
        for tag, old_start, old_stop, new_start, new_stop in matcher.get_opcodes()
        if tag != "equal"
    ]


class _BoundedMatcher(SequenceMatcher[bytes]):
    """The standard library's matcher, which gives up looking for common lines after a fixed number of steps.

    Its time can grow with the cube of the file (4,000 lines in 120 kinds took 4.5 s). What has not been matched by then
    is replaced as a whole, which is as exact and only longer.
    """

    def __init__(self, old: list[bytes], new: list[bytes]) -> None:
        super().__init__(None, old, new)
        positions: dict[bytes, list[int]] = self.b2j  # type: ignore[attr-defined]  # documented; the stubs lack it
        self._steps = [0, *accumulate(1 + len(positions.get(line, ())) for line in old)]
        self._left = _MAX_STEPS

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        """Look for a match if there are steps left for it."""
        self._left -= self._steps[-1 if ahi is None else ahi] - self._steps[alo]
        return super().find_longest_match(alo, ahi, blo, bhi) if self._left >= 0 else Match(alo, blo, 0)


def _grouped(changes: list[_Change]) -> list[list[_Change]]:
    """Put changes into one hunk where their contexts would touch."""
    groups: list[list[_Change]] = []
    for change in changes:
        if groups and change[0] - groups[-1][-1][1] <= 2 * _CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups
