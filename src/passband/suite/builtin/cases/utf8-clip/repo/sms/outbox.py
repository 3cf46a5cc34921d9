"""Messages on their way."""

from sms.clip import clip_with_mark
from sms.parts import PART_BYTES, segments


class Outbox:
    """Parts in the order in which they are sent."""

    def __init__(self, part_bytes: int = PART_BYTES) -> None:
        self.part_bytes = part_bytes
        self.sent: list[tuple[str, str]] = []

    def send(self, number: str, text: str) -> int:
        """Send a message and return how many parts it took."""
        parts = segments(text, self.part_bytes)
        self.sent.extend((number, part) for part in parts)
        return len(parts)

    def preview(self, index: int, limit: int = 20) -> str:
        """The beginning of a part that was sent."""
        return clip_with_mark(self.sent[index][1], limit)
