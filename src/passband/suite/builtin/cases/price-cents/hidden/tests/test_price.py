import math

import pytest

from pricelist.order import total
from pricelist.price import to_cents
from pricelist.reader import read


def test_cents_of_everyday_prices():
    assert [to_cents(p) for p in [19.99, 1.15, 0.29, 4.35, 1.1]] == [1999, 115, 29, 435, 110]
    assert all(to_cents(cents / 100) == cents for cents in range(3000))


def test_cents_that_come_out_a_hair_too_high():
    # 0.07 * 100 and 1.1 * 100 are a little above 7 and 110 in binary.
    assert to_cents(0.07) == 7
    assert to_cents(0.14) == 14
    assert to_cents(0.55) == 55


def test_refund():
    assert to_cents(-0.29) == -29
    assert to_cents(-19.99) == -1999


def test_whole_prices():
    assert [to_cents(p) for p in [0.0, 5.0, 12.5, -3.0]] == [0, 500, 1250, -300]


def test_cents_are_whole_numbers():
    assert type(to_cents(2.5)) is int


def test_total_of_a_list():
    prices = read(["pen\t1.15", "lamp\t19.99", "credit\t-0.29"])
    assert total(prices, {"pen": 10, "lamp": 1, "credit": 1}) == 1150 + 1999 - 29


def test_not_a_price():
    for price in [math.nan, math.inf]:
        with pytest.raises(ValueError):
            to_cents(price)


def test_line_without_price():
    with pytest.raises(ValueError, match="line 2"):
        read(["a\t1", "b"])
