"""Amounts in cents."""


def cents(text: str) -> int:
    """Read ``-199.00`` as -19900; one or two digits may follow the point."""
    sign = -1 if text.startswith("-") else 1
    whole, _, rest = text.lstrip("+-").partition(".")
    if not whole.isdigit() or len(rest) > 2 or (rest and not rest.isdigit()):
        raise ValueError(f"{text!r} is not an amount")
    return sign * (int(whole) * 100 + int(rest.ljust(2, "0")))
