from tape import Tape


def test_two_sales():
    tape = Tape()
    tape.enter(5)
    assert tape.enter(7) == 12


def test_a_line_is_printed_for_each_amount():
    tape = Tape()
    tape.enter(5)
    assert tape.lines == ["         5          5"]
