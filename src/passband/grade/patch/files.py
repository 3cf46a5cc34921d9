"""Whole files as an answer: a JSON object of path → content."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passband.grade.patch.names import canonical
from passband.grade.patch.result import RefusalError, shown

if TYPE_CHECKING:
    from passband.grade.patch.draft import Draft

__all__ = ["FileEdit", "parse_files"]


@dataclass(frozen=True, slots=True)
class FileEdit:
    """Write one file, or delete it where `content` is None."""

    path: str
    content: bytes | None
    special: None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The file."""
        return (self.path,)

    @property
    def vacates(self) -> str | None:
        """The file, if it is deleted."""
        return self.path if self.content is None else None

    def apply(self, draft: Draft) -> str:
        """Write the file; a deletion has been done beforehand."""
        if self.content is None:
            return f"deleted {self.path}"
        verb = "created" if draft.original(self.path) is None else "wrote"
        draft.write(self.path, self.content)
        return f"{verb} {self.path}"


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Two readers may disagree on which of two equal keys counts, and the wrong one would be checked.
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RefusalError("the JSON object holds a key twice")
    return found


def parse_files(text: bytes) -> list[FileEdit]:
    """Read ``{"path": "text" | null | {"base64": "…"}, …}``.

    Raises
    ------
    RefusalError
        Where the answer is not such an object, or names one file twice.
    """
    try:
        data = json.loads(text.decode(), object_pairs_hook=_pairs)
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RefusalError(f"the answer is not a JSON object of files: {shown(reason)}") from None
    if not isinstance(data, dict) or not data:
        raise RefusalError("the answer is not a JSON object of path → content")
    edits: dict[str, FileEdit] = {}
    for key, value in data.items():
        path = canonical(key)
        if path in edits:
            raise RefusalError(f"{shown(path)} is named twice")
        edits[path] = FileEdit(path, _content(path, value))
    return list(edits.values())


def _content(path: str, value: Any) -> bytes | None:
    if value is None:
        return None
    try:
        if isinstance(value, str):
            return value.encode()
        if isinstance(value, dict) and list(value) == ["base64"] and isinstance(value["base64"], str):
            return base64.b64decode(value["base64"], validate=True)
    except (UnicodeEncodeError, binascii.Error, ValueError):
        raise RefusalError(f"the content of {shown(path)} cannot be decoded") from None
    raise RefusalError(f'the content of {shown(path)} is neither a string, nor null, nor {{"base64": "…"}}')
