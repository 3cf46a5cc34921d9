"""Reading a list."""

from pricelist.price import to_cents


def read(lines: list[str]) -> dict[str, int]:
    """Article and price on each line, apart by a tab; a later line replaces an earlier one."""
    prices = {}
    for number, line in enumerate(lines, start=1):
        article, tab, price = line.rstrip("\n").partition("\t")
        if not tab:
            raise ValueError(f"line {number} has no price")
        prices[article] = to_cents(float(price))
    return prices
