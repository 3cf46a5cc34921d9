"""All sessions."""

from collections.abc import Callable

from sessions.session import Session


class SessionStore:
    """Sessions in the order in which they were opened."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []

    def open(self, token: str, user: str, now: int, max_idle: int = 3600) -> Session:
        if self.find(token):
            raise ValueError(f"token {token!r} is in use")
        session = Session(token, user, now, max_idle)
        self.sessions.append(session)
        return session

    def find(self, token: str) -> Session | None:
        return next((s for s in self.sessions if s.token == token), None)

    def touch(self, token: str, now: int) -> bool:
        """Note that a session was used; False if there is none."""
        session = self.find(token)
        if session is None:
            return False
        session.last_seen = now
        return True

    def clean_up(self, now: int) -> list[str]:
        """Remove what expired and return the tokens."""
        return self._remove(lambda session: session.expired(now))

    def log_out(self, user: str) -> list[str]:
        """Remove the sessions of a user and return the tokens."""
        return self._remove(lambda session: session.user == user)

    def _remove(self, unwanted: Callable[[Session], bool]) -> list[str]:
        removed = []
        for index, session in enumerate(self.sessions):
            if unwanted(session):
                removed.append(session.token)
                del self.sessions[index]
        return removed
