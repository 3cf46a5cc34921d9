"""Who is logged in."""

from sessions.store import SessionStore

__all__ = ["SessionStore"]
