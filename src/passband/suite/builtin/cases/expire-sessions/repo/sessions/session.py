"""One session."""

from dataclasses import dataclass


@dataclass
class Session:
    """A token of a user; times are seconds."""

    token: str
    user: str
    last_seen: int
    max_idle: int = 3600

    def expired(self, now: int) -> bool:
        """Whether it was idle for longer than it may be."""
        return now - self.last_seen > self.max_idle
