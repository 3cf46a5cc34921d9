"""Prices for customers abroad."""

from rates.memo import remember
from rates.source import FixedRates


class Quotes:
    """Prices in cents of our own currency, quoted in any."""

    def __init__(self, prices: dict[str, int], source: FixedRates) -> None:
        self.prices = prices
        self.source = source
        self.quote = remember(self._quote)

    def _quote(self, article: str, currency: str = "EUR", count: int = 1) -> int:
        """Cents in the currency, rounded down."""
        return self.prices[article] * count * self.source.permille(currency) // 1000
