"""The tree while an answer is being applied, in memory: all of it counts or none."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Protocol

from passband.grade.patch.names import folded
from passband.grade.patch.result import RefusalError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Draft", "Edit"]

_MAX_WORK = 128 * 2**20


class Draft:
    """A base tree and the changes made to it so far.

    Every file may be read through once for free; what is read again (a second block in the same file, a hunk that must
    be searched for, a copy) draws on a fixed allowance of bytes. So the time is bounded by the answer, the tree and a
    constant, whatever the answer: ten thousand blocks into one long file are refused, not ground through.
    """

    def __init__(self, base: Mapping[str, bytes]) -> None:
        self._base = base
        self._changes: dict[str, bytes | None] = {}
        self._read: set[str] = set()
        self._work = 0

    def read(self, path: str) -> bytes | None:
        """Content as it is now, None where there is no such file."""
        if path in self._changes:
            return self._counted(path, self._changes[path])
        return self._counted(path, self._base.get(path))

    def original(self, path: str) -> bytes | None:
        """Content in the base tree."""
        return self._counted(path, self._base.get(path))

    def write(self, path: str, content: bytes) -> None:
        """Give a file new content, or create it."""
        self._changes[path] = content

    def vacate(self, path: str) -> None:
        """Remove a file of the base tree, before anything else happens: deletions and renames see the base."""
        if path not in self._base:
            raise RefusalError(f"{shown(path)} does not exist, so it cannot be removed or renamed")
        if path in self._changes:
            raise RefusalError(f"{shown(path)} is removed or renamed twice")
        self._changes[path] = None

    def charge(self, path: str, size: int) -> None:
        """Draw `size` bytes of work on `path` from the allowance."""
        self._work += size
        if self._work > _MAX_WORK:
            raise RefusalError(f"{shown(path)}: the answer takes too much searching; use fewer, larger edits")

    def finish(self) -> dict[str, bytes | None]:
        """Check that the new tree can exist, and return what is different in it."""
        changes = {path: content for path, content in self._changes.items() if content != self._base.get(path)}
        if not changes:
            raise RefusalError("the answer applies but changes nothing")
        created = [path for path, content in changes.items() if content is not None and path not in self._base]
        if created:
            self._check_created(created, changes)
        return changes

    def _counted(self, path: str, content: bytes | None) -> bytes | None:
        if content is not None:
            if path in self._read:
                self.charge(path, len(content))
            self._read.add(path)
        return content

    def _check_created(self, created: list[str], changes: Mapping[str, bytes | None]) -> None:
        files = {path for path in self._base if path not in changes or changes[path] is not None}.union(created)
        ordered = sorted(files)
        spellings: dict[str, list[str]] = {}
        for path in ordered:
            spellings.setdefault(folded(path), []).append(path)
        for path in created:
            parts = path.split("/")
            for depth in range(1, len(parts)):
                if (parent := "/".join(parts[:depth])) in files:
                    raise RefusalError(f"{shown(path)} cannot be created: {shown(parent)} is a file, not a folder")
            below = bisect_left(ordered, f"{path}/")
            if below < len(ordered) and ordered[below].startswith(f"{path}/"):
                raise RefusalError(f"{shown(path)} cannot be created: it is a folder")
            twins = [other for other in spellings[folded(path)][:2] if other != path]
            if twins:
                raise RefusalError(f"{shown(path)} cannot be created: on some disks it is the file {shown(twins[0])}")


class Edit(Protocol):
    """One change of a parsed patch, whatever its format."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every canonical name it carries."""
        ...

    @property
    def special(self) -> str | None:
        """Why it touches something that is no regular file, if it does."""
        ...

    @property
    def vacates(self) -> str | None:
        """The file of the base tree it removes or renames away, if any."""
        ...

    def apply(self, draft: Draft) -> str:
        """Make the change and say in a few words what it was; raise :class:`RefusalError` where it does not fit."""
        ...
