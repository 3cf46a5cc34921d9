import pytest

from tab.slip import slip
from tab.split import shares, split


def test_shares_add_up():
    for cents in [1, 2, 99, 100, 2000, 10000, 10001, 123457]:
        for guests in range(1, 12):
            assert sum(shares(cents, guests)) == cents


def test_odd_cents_go_to_the_first_guests():
    assert shares(10000, 3) == [3334, 3333, 3333]
    assert shares(2000, 3) == [667, 667, 666]
    assert split(5, ["a", "b", "c", "d"]) == {"a": 2, "b": 1, "c": 1, "d": 1}


def test_slip_adds_up():
    assert slip(1000, ["Ann", "Bob", "Cy"], tip=10) == "Ann 3.67\nBob 3.67\nCy 3.66\nsum 11.00"


def test_even_shares():
    assert shares(900, 3) == [300, 300, 300]
    assert shares(0, 2) == [0, 0]


def test_one_guest_pays_all():
    assert shares(1999, 1) == [1999]


def test_shares_are_whole_cents():
    assert {type(share) for share in shares(10000, 7)} == {int}


def test_nobody_cannot_pay():
    with pytest.raises(ValueError):
        shares(100, 0)


def test_names_must_differ():
    with pytest.raises(ValueError):
        split(100, ["Ann", "Ann"])
