import pytest

from rooms import Calendar, Clash, Slot


def test_booking_may_start_when_another_ends():
    room = Calendar("Blue")
    room.book(Slot.of("9:00", "10:00"))
    room.book(Slot.of("10:00", "11:00"))
    assert room.agenda() == ["9:00 to 10:00", "10:00 to 11:00"]


def test_booking_may_end_when_another_starts():
    room = Calendar("Blue")
    room.book(Slot.of("10:00", "11:00"))
    room.book(Slot.of("9:00", "10:00"))
    assert room.agenda() == ["9:00 to 10:00", "10:00 to 11:00"]


def test_touching_slots_do_not_overlap():
    early, late = Slot(540, 600), Slot(600, 660)
    assert not late.overlaps(early)
    assert not early.overlaps(late)


def test_one_shared_minute_overlaps_both_ways():
    early, late = Slot(540, 601), Slot(600, 660)
    assert early.overlaps(late)
    assert late.overlaps(early)


def test_slot_inside_another_clashes():
    room = Calendar("Blue")
    room.book(Slot.of("10:00", "10:15"))
    with pytest.raises(Clash):
        room.book(Slot.of("9:00", "12:00"))


def test_same_slot_twice_clashes():
    room = Calendar("Blue")
    room.book(Slot.of("9:00", "10:00"))
    with pytest.raises(Clash):
        room.book(Slot.of("9:00", "10:00"))


def test_day_can_be_filled_in_order():
    room = Calendar("Red")
    for hour in range(8, 18):
        room.book(Slot(hour * 60, hour * 60 + 60))
    assert len(room.agenda()) == 10


def test_slot_without_length_is_refused():
    with pytest.raises(ValueError):
        Slot(600, 600)
