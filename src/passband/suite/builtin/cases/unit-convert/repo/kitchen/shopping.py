"""Shopping lists."""

from collections.abc import Iterable, Mapping

from kitchen.recipe import Item
from kitchen.units import convert


def shopping_list(items: Iterable[Item], units: Mapping[str, str]) -> dict[str, float]:
    """How much to buy of each thing, in the unit asked for by name, else in the first one met."""
    wanted = dict(units)
    amounts: dict[str, float] = {}
    for item in items:
        unit = wanted.setdefault(item.name, item.unit)
        bought = amounts.get(item.name, 0)
        amounts[item.name] = bought + convert(item.amount, unit, item.unit)
    return amounts


def show(amounts: Mapping[str, float], units: Mapping[str, str]) -> str:
    """One thing a line, in order of name."""
    return "\n".join(f"{name} {amounts[name]:g} {units[name]}" for name in sorted(amounts))
