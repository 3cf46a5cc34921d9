"""Meeting rooms and who has them when."""

from rooms.calendar import Calendar, Clash
from rooms.slots import Slot

__all__ = ["Calendar", "Clash", "Slot"]
