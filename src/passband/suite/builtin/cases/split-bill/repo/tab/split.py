"""Who pays how much."""

from collections.abc import Sequence


def shares(cents: int, guests: int) -> list[int]:
    """What each guest pays, in cents."""
    if guests < 1:
        raise ValueError("somebody has to pay")
    each = round(cents / 100 / guests, 2)
    return [int(round(each * 100))] * guests


def split(cents: int, names: Sequence[str]) -> dict[str, int]:
    """The share of each guest by name, in the order in which they sit."""
    if len(set(names)) != len(names):
        raise ValueError("two guests have the same name")
    return dict(zip(names, shares(cents, len(names)), strict=True))
