from rates.quotes import Quotes
from rates.source import FixedRates


def test_quote():
    quotes = Quotes({"tea": 500}, FixedRates({"USD": 1100}))
    assert quotes.quote("tea", "USD") == 550


def test_asked_once():
    source = FixedRates({"USD": 1100})
    quotes = Quotes({"tea": 500}, source)
    quotes.quote("tea", "USD")
    quotes.quote("tea", "USD")
    assert source.calls == 1
