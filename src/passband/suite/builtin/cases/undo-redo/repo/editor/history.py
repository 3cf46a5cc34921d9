"""States gone by and states undone."""


class History:
    """The current state between a past and a future."""

    def __init__(self, state: str, limit: int = 100) -> None:
        if limit < 1:
            raise ValueError("remember at least one state")
        self.state = state
        self.limit = limit
        self._past: list[str] = []
        self._future: list[str] = []

    def record(self, state: str) -> None:
        """Make ``state`` the current one."""
        if state == self.state:
            return
        self._past.append(self.state)
        del self._past[: -self.limit]
        self.state = state

    def back(self) -> bool:
        """Step back; False if there is nothing to step back to."""
        if not self._past:
            return False
        self._future.append(self.state)
        self.state = self._past.pop()
        return True

    def forward(self) -> bool:
        """Step forward again; False if there is nothing."""
        if not self._future:
            return False
        self._past.append(self.state)
        self.state = self._future.pop()
        return True
