from pricelist.order import total
from pricelist.price import show
from pricelist.reader import read


def test_read_and_order():
    prices = read(["pen\t1.50\n", "ink\t12.25\n"])
    assert total(prices, {"pen": 2, "ink": 1}) == 1525


def test_show():
    assert show(-205) == "-2.05 EUR"
