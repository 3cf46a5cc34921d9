"""What applying an answer gives: the changed files, or the reason there are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from passband.records import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Applied", "RefusalError", "Refused", "shown"]

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Applied:
    """The whole answer fits.

    Parameters
    ----------
    changes : Mapping of str to bytes or None
        Relative POSIX path → new content, or None for a deleted file. Never empty, and every entry differs from the
        base tree.
    summary : str
        One line for people: the format that was read and what happened to which file.
    """

    changes: Mapping[str, bytes | None]
    summary: str

    def tree(self, base: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return `base` with the changes made; `base` itself stays as it is."""
        merged = {**base, **self.changes}
        return {path: content for path, content in merged.items() if content is not None}


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing of the answer was applied.

    Parameters
    ----------
    outcome : Outcome
        ``not_applied``, ``out_of_scope`` or ``safety_violation``.
    detail : str
        One line a developer can act on: the file, the block or hunk, and what stands there instead.
    """

    outcome: Outcome
    detail: str


class RefusalError(Exception):
    """Carries a refusal out of parsing and applying; it never leaves this package."""

    def __init__(self, detail: str, outcome: Outcome = Outcome.NOT_APPLIED) -> None:
        super().__init__(detail)
        self.detail = detail
        self.outcome = outcome


def shown(text: str | bytes) -> str:
    """Quote somebody's text for a message: one printable line, short."""
    if isinstance(text, bytes):
        text = text[: 2 * _SHOWN].decode(errors="backslashreplace")
    return f"{text[:_SHOWN]!r}…" if len(text) > _SHOWN else repr(text)
