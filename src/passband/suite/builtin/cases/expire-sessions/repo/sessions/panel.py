"""A view for the administrator."""

from sessions.store import SessionStore


class Panel:
    """Shows the store's sessions; it is opened once and stays open."""

    def __init__(self, store: SessionStore) -> None:
        self._sessions = store.sessions

    def users(self) -> list[str]:
        """Everybody who is logged in, once, in order of name."""
        return sorted({session.user for session in self._sessions})
