"""Tokens."""

from dataclasses import dataclass

from access import clock


@dataclass(frozen=True)
class Token:
    """Who may come in, and until when."""

    user: str
    number: int
    expires: int

    def valid(self, at: int | None = None) -> bool:
        """Whether it has not run out yet, now or at a given time."""
        moment = clock.now() if at is None else at
        return moment < self.expires
