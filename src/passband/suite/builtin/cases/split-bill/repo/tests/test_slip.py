from tab.money import with_tip
from tab.slip import slip


def test_even_split():
    assert slip(3000, ["Ann", "Bob"]) == "Ann 15.00\nBob 15.00\nsum 30.00"


def test_tip_is_rounded_up():
    assert with_tip(1001, 10) == 1102
