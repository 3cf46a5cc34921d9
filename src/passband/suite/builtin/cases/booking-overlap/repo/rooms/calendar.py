"""One day of one room."""

from rooms.slots import Slot


class Clash(Exception):
    """The room is taken."""


class Calendar:
    """The slots booked so far."""

    def __init__(self, room: str) -> None:
        self.room = room
        self._booked: list[Slot] = []

    def book(self, slot: Slot) -> None:
        for taken in self._booked:
            if slot.overlaps(taken):
                raise Clash(f"{self.room} is taken from {taken}")
        self._booked.append(slot)

    def agenda(self) -> list[str]:
        """The day's slots in order of time."""
        return [str(slot) for slot in sorted(self._booked)]
