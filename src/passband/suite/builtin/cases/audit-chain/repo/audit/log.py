"""The log."""

from __future__ import annotations

from collections.abc import Iterable

from audit.link import Link, length, newest, oldest_first


class AuditLog:
    """A handle on a chain; ``add`` returns a new handle and leaves this one as it is."""

    def __init__(self, chain: Link | None = None) -> None:
        self._chain = chain

    def add(self, actor: str, action: str) -> AuditLog:
        return AuditLog(Link(f"{actor}: {action}", self._chain))

    def add_all(self, entries: Iterable[tuple[str, str]]) -> AuditLog:
        log = self
        for actor, action in entries:
            log = log.add(actor, action)
        return log

    def size(self) -> int:
        return length(self._chain)

    def find(self, text: str) -> str | None:
        """The newest entry that contains the text."""
        return newest(self._chain, lambda entry: text in entry)

    def export(self) -> str:
        """Numbered lines, the oldest entry first."""
        entries = oldest_first(self._chain)
        return "".join(f"{i} {entry}\n" for i, entry in enumerate(entries, start=1))
