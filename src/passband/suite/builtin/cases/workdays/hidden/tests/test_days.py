from datetime import date

import pytest

from delivery.days import add_workdays, is_workday
from delivery.promise import leaves_on, promise

FRIDAY = date(2024, 6, 7)


def test_saturday_is_no_workday():
    assert not is_workday(date(2024, 6, 8))


def test_friday_is_a_workday():
    assert is_workday(FRIDAY)
    assert leaves_on(FRIDAY) == FRIDAY


def test_sunday_is_no_workday():
    assert not is_workday(date(2024, 6, 9))


def test_friday_plus_one_is_monday():
    assert add_workdays(FRIDAY, 1) == date(2024, 6, 10)
    assert promise(FRIDAY, "express") == "Your parcel arrives on 2024-06-10."


def test_weekend_order_leaves_on_monday():
    assert leaves_on(date(2024, 6, 8)) == date(2024, 6, 10)
    assert add_workdays(date(2024, 6, 8), 1) == date(2024, 6, 11)


def test_within_a_week():
    assert add_workdays(date(2024, 6, 3), 4) == FRIDAY
    assert add_workdays(date(2024, 6, 3), 0) == date(2024, 6, 3)


def test_holidays_are_skipped():
    assert add_workdays(date(2024, 12, 24), 1) == date(2024, 12, 27)
    assert not is_workday(date(2025, 1, 1))


def test_unknown_service():
    with pytest.raises(ValueError):
        promise(FRIDAY, "pigeon")
