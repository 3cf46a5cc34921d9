"""One file's section of a diff, ready to be applied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from passband.grade.patch.hunks import Hunk, apply_hunks
from passband.grade.patch.result import RefusalError, shown

if TYPE_CHECKING:
    from passband.grade.patch.draft import Draft

__all__ = ["DiffEdit"]


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """Change, create, delete, rename or copy one file.

    As in ``git apply``, deletions, renames and copies see the base tree, whatever the order of the sections; a plain
    change sees what earlier sections made of its file.
    """

    kind: Literal["edited", "created", "deleted", "renamed", "copied"]
    old: str
    new: str
    hunks: tuple[Hunk, ...]
    names: tuple[str, ...]
    special: str | None = None
    fault: str | None = None
    """Why it can't be applied, found while reading; raised only after every name has been checked."""

    @property
    def vacates(self) -> str | None:
        """The file that is no longer where it was."""
        return self.old if self.kind in {"deleted", "renamed"} else None

    def apply(self, draft: Draft) -> str:
        """Make the change."""
        if self.fault:
            raise RefusalError(self.fault)
        if self.kind == "edited":
            self._edit(draft)
        elif self.kind == "deleted":
            if self._patched(draft, draft.original(self.old) or b""):
                raise RefusalError(f"{shown(self.old)} is deleted, but the hunks do not remove all of its content")
        else:
            self._create(draft)
        return f"{self.kind} {self.new}"

    def _edit(self, draft: Draft) -> None:
        content = draft.read(self.new)
        if content is None:
            # A diff without "/dev/null" creates a file all the same if its one hunk says that nothing was there.
            if len(self.hunks) != 1 or self.hunks[0].old:
                raise RefusalError(f"{shown(self.new)} does not exist, so it cannot be changed")
            content = b""
        if self.hunks:  # none where only the mode changes: a tree has no modes
            draft.write(self.new, self._patched(draft, content))

    def _create(self, draft: Draft) -> None:
        if draft.read(self.new) is not None:
            raise RefusalError(f"{shown(self.new)} cannot be {self.kind}: it already exists")
        content = b"" if self.kind == "created" else draft.original(self.old)
        if content is None:
            raise RefusalError(f"{shown(self.old)} does not exist, so it cannot be {self.kind}")
        draft.write(self.new, self._patched(draft, content))

    def _patched(self, draft: Draft, content: bytes) -> bytes:
        return apply_hunks(content, self.hunks, self.new, draft) if self.hunks else content
