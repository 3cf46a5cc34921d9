"""The slip for the table."""

from collections.abc import Sequence

from tab.money import show, with_tip
from tab.split import split


def slip(cents: int, names: Sequence[str], tip: int = 0) -> str:
    """One guest a line, then the sum."""
    total = with_tip(cents, tip)
    lines = [f"{name} {show(share)}" for name, share in split(total, names).items()]
    return "\n".join([*lines, f"sum {show(total)}"])
