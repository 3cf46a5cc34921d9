"""The text being edited."""

from editor.history import History


class Buffer:
    """Text that can be changed, and changed back."""

    def __init__(self, text: str = "", limit: int = 100) -> None:
        self._history = History(text, limit)

    @property
    def text(self) -> str:
        return self._history.state

    def type(self, more: str) -> None:
        self._history.record(self.text + more)

    def replace(self, old: str, new: str) -> int:
        """Replace every ``old`` and return how many there were."""
        count = self.text.count(old)
        self._history.record(self.text.replace(old, new))
        return count

    def undo(self, times: int = 1) -> int:
        """Undo up to ``times`` changes and return how many were undone."""
        return sum(self._history.back() for _ in range(times))

    def redo(self, times: int = 1) -> int:
        """Redo up to ``times`` changes and return how many were redone."""
        return sum(self._history.forward() for _ in range(times))
