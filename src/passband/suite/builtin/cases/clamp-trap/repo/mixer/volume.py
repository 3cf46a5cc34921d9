"""The volume knob."""

from mixer.ranges import clamp

FULL = 100
STEP = 5


class Volume:
    """A level in per cent of full volume."""

    def __init__(self, level: int = 50) -> None:
        self.level = 0
        self.set(level)

    def set(self, level: int) -> None:
        self.level = clamp(level, 0, FULL)

    def louder(self) -> None:
        self.set(self.level + STEP)

    def quieter(self) -> None:
        self.set(self.level - STEP)

    @property
    def lamp(self) -> str:
        """What the lamp beside the knob shows."""
        if self.level == 0:
            return "mute"
        return "loud" if self.level == FULL else "on"

    def gain(self) -> float:
        """The factor for the amplifier."""
        return self.level / FULL
