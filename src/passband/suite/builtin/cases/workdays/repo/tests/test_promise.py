from datetime import date

from delivery.promise import leaves_on, promise


def test_standard_from_monday():
    assert promise(date(2024, 6, 3)) == "Your parcel arrives on 2024-06-06."


def test_sunday_order_leaves_later():
    assert leaves_on(date(2024, 6, 9)) == date(2024, 6, 10)
