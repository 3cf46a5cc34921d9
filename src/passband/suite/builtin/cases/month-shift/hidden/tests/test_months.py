from datetime import date

import pytest

from billing.months import add_months, months_between
from billing.plan import Plan


def test_december_stays_in_its_year():
    assert add_months(date(2024, 11, 5), 1) == date(2024, 12, 5)
    assert add_months(date(2024, 12, 5), 0) == date(2024, 12, 5)
    assert add_months(date(2024, 12, 5), 12) == date(2025, 12, 5)


def test_january_is_in_the_next_year():
    assert add_months(date(2024, 12, 5), 1) == date(2025, 1, 5)
    assert add_months(date(2024, 11, 5), 2) == date(2025, 1, 5)


def test_back_to_december():
    assert add_months(date(2025, 1, 31), -1) == date(2024, 12, 31)
    assert Plan(date(2025, 1, 10)).cancel_by(0) == date(2024, 12, 10)


def test_back_over_a_year():
    assert add_months(date(2025, 3, 1), -14) == date(2024, 1, 1)
    assert add_months(date(2025, 3, 1), -4) == date(2024, 11, 1)


def test_short_months_and_leap_years():
    assert add_months(date(2024, 1, 31), 1) == date(2024, 2, 29)
    assert add_months(date(2023, 10, 31), 4) == date(2024, 2, 29)
    assert add_months(date(2024, 2, 29), 11) == date(2025, 1, 29)


def test_schedule_across_new_year():
    days = Plan(date(2024, 10, 31)).schedule(5)
    assert [(d.year, d.month, d.day) for d in days] == [
        (2024, 10, 31),
        (2024, 11, 30),
        (2024, 12, 31),
        (2025, 1, 31),
        (2025, 2, 28),
    ]


def test_months_between():
    assert months_between(date(2024, 1, 15), date(2024, 3, 15)) == 2
    assert months_between(date(2024, 1, 15), date(2024, 3, 14)) == 1


def test_invoice_numbers_are_not_negative():
    with pytest.raises(ValueError):
        Plan(date(2024, 1, 1)).invoice(-1)
