import pytest

from calc import DisplayOverflow, add, subtract
from tape import Tape


def test_negative():
    assert add(5, -3) == 2
    assert add(-5, -3) == -8


def test_positive():
    assert add(5, 3) == 8
    assert add(-5, 3) == -2


def test_zero():
    assert add(5, 0) == 5
    assert add(0, 5) == 5


def test_subtract():
    assert subtract(5, 3) == 2
    assert subtract(3, 5) == -2


def test_subtract_below_zero():
    assert subtract(5, -3) == 8


def test_overflow():
    with pytest.raises(DisplayOverflow):
        add(999_999_999, 1)
    with pytest.raises(DisplayOverflow):
        subtract(-999_999_999, 1)


def test_refund_on_the_tape():
    tape = Tape()
    tape.enter(5)
    assert tape.enter(-3) == 2
    assert tape.enter(10) == 12
