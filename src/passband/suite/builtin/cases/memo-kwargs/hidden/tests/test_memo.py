import pytest

from rates.memo import remember
from rates.quotes import Quotes
from rates.source import FixedRates


def counted():
    calls = []

    @remember
    def func(*args, **kwargs):
        calls.append((args, kwargs))
        return (args, sorted(kwargs.items()))

    return func, calls


def test_keyword_makes_a_difference():
    func, calls = counted()
    assert func(1, unit="m") == ((1,), [("unit", "m")])
    assert func(1, unit="km") == ((1,), [("unit", "km")])
    assert func(1) == ((1,), [])
    assert len(calls) == 3


def test_quotes_in_two_currencies():
    quotes = Quotes({"tea": 500}, FixedRates({"USD": 1100, "EUR": 1000}))
    assert quotes.quote("tea", currency="EUR") == 500
    assert quotes.quote("tea", currency="USD") == 550
    assert quotes.quote("tea", count=3) == 1500


def test_same_value_under_another_name():
    func, calls = counted()
    assert func(width=2) == ((), [("width", 2)])
    assert func(height=2) == ((), [("height", 2)])


def test_order_of_keywords_does_not_matter():
    func, calls = counted()
    func(1, a=1, b=2)
    func(1, b=2, a=1)
    assert len(calls) == 1


def test_positional_arguments_are_remembered():
    func, calls = counted()
    for _ in range(3):
        func("x", 2)
    func("x", 3)
    assert [args for args, _ in calls] == [("x", 2), ("x", 3)]


def test_keyword_calls_are_remembered():
    func, calls = counted()
    func("x", a=1)
    func("x", a=1)
    assert len(calls) == 1


def test_failure_is_not_remembered():
    source = FixedRates({})
    quotes = Quotes({"tea": 500}, source)
    with pytest.raises(KeyError):
        quotes.quote("tea", "USD")
    source.rates["USD"] = 1000
    assert quotes.quote("tea", "USD") == 500


def test_forget():
    func, calls = counted()
    func(1)
    func.forget()
    func(1)
    assert len(calls) == 2
