"""What tokens cost: a file the user sees and edits, never a guess of ours."""

from __future__ import annotations

import fnmatch
import tomllib
from typing import TYPE_CHECKING

import msgspec

from passband.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from passband.records import Usage

__all__ = ["Price", "load_price"]


class Price(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Dollars for a million tokens."""

    input: float
    output: float

    def of(self, usage: Usage) -> float:
        """Price of a usage, in dollars."""
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1e6


def load_price(path: Path, model: str) -> Price | None:
    """Find a model's price in a table.

    ::

        ["qwen3-*"]
        input = 0.10
        output = 0.40

    The first name that fits decides, ``*`` and ``?`` as in file names. None where no name fits.

    Raises
    ------
    UsageError
        Where the file cannot be read or is no such table.
    """
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        prices = msgspec.convert(table, dict[str, Price])
    except OSError as error:
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"is no price table: {error}", where=str(path)) from None
    for name, price in prices.items():
        if min(price.input, price.output) < 0:
            raise UsageError("a price is below zero", where=f"{path}: {name}")
    return next((price for name, price in prices.items() if fnmatch.fnmatchcase(model, name)), None)
