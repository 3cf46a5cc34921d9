import pytest

from rooms import Calendar, Clash, Slot


def test_agenda_is_in_order():
    blue = Calendar("Blue")
    blue.book(Slot.of("14:00", "15:00"))
    blue.book(Slot.of("9:00", "9:45"))
    assert blue.agenda() == ["9:00 to 9:45", "14:00 to 15:00"]


def test_double_booking_is_refused():
    blue = Calendar("Blue")
    blue.book(Slot.of("9:00", "11:00"))
    with pytest.raises(Clash, match="Blue is taken from 9:00 to 11:00"):
        blue.book(Slot.of("10:00", "10:30"))
