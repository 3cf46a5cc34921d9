from datetime import date

from billing.plan import Plan
from billing.show import show


def test_show():
    assert show(Plan(date(2024, 1, 15)), 2) == "1. 15.01.2024\n2. 15.02.2024"


def test_end_of_january():
    assert Plan(date(2023, 1, 31)).schedule(3)[1:] == [date(2023, 2, 28), date(2023, 3, 31)]
