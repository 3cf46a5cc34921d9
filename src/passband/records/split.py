"""Which cases are for training, for choosing, and for the one report at the end."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from passband.errors import DataError
from passband.records.canonical import content_digest, freeze

__all__ = ["Split"]


class Split(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suite's cases, each in one part. Written as JSON beside the suite, read by whatever judges."""

    suite: str
    suite_version: str
    by: str
    """``variant``, ``group:SLICE`` or ``time:SLICE``: what is held out."""
    salt: int = 0
    """Chosen once, for balance; with it, a case's part follows from its content alone."""
    stratify: str | None = None
    shares: Mapping[str, float] = msgspec.field(default_factory=dict)
    """Part → share of the cases it was to get, for splits by hash."""
    cutoffs: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Part → the first date in it, for splits by time."""
    parts: Mapping[str, tuple[str, ...]]
    """Part → ids of its cases."""

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for part, ids in self.parts.items():
            for case in ids:
                if case in seen:
                    raise DataError(f"case {case!r} is in the parts {seen[case]!r} and {part!r}", where="split")
                seen[case] = part
        for name in ("shares", "cutoffs", "parts"):
            msgspec.structs.force_setattr(self, name, freeze(getattr(self, name)))

    def part_digest(self, part: str) -> str:
        """Identity of one part: its cases, of this version of the suite.

        Raises
        ------
        DataError
            Where there is no such part.
        """
        if part not in self.parts:
            raise DataError(f"has no part {part!r}", where="split", fix=f"there are: {', '.join(self.parts)}")
        content = {"suite_version": self.suite_version, "cases": sorted(self.parts[part])}
        return content_digest("passband.split", 1, content)
