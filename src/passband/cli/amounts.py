"""Amounts as people type them: 30m, 2M, $5."""

from __future__ import annotations

import math
import re
from typing import Any

import click

__all__ = ["DURATION", "MONEY", "TOKENS", "Share"]


class Share(click.FloatRange):
    """A number in a range; ``nan``, which lies in every range and in none, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a number and refuse one that is none."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number", param, ctx)
        return number


_MOST = 1e15


class _Amount(click.ParamType):  # type: ignore[type-arg]  # generic in newer releases of click only
    """A number with a unit."""

    def __init__(
        self, name: str, units: dict[str, float], example: str, *, prefix: str = "", whole: bool = False
    ) -> None:
        self.name = name
        self._units = units
        self._example = example
        self._whole = whole
        names = "|".join(units)
        self._pattern = re.compile(rf"(?:{re.escape(prefix)})?(\d+(?:\.\d+)?)({names})")

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float | int:
        if not isinstance(value, str):
            number: float = value
        else:
            found = self._pattern.fullmatch(value.strip().replace(",", ""))
            if found is None:
                self.fail(f"{value!r} is no {self.name}; write it like {self._example}", param, ctx)
            number = float(found[1]) * self._units[found[2]]
        if not 0 < number < _MOST:
            self.fail(f"{value!r} is not between zero and {_MOST:.0e}", param, ctx)
        return round(number) if self._whole else number


DURATION = _Amount("duration", {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}, "90s, 30m or 2h")
"""Seconds."""
TOKENS = _Amount("number of tokens", {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "B": 1e9}, "500k or 2M", whole=True)
"""A whole number."""
MONEY = _Amount("amount of money", {"": 1}, "5 or $2.50", prefix="$")
"""Dollars."""
