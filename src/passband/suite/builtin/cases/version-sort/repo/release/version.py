"""Version numbers such as ``1.10.2`` and ``2.0.0-rc1``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering

PATTERN = re.compile(r"v?(\d+(?:\.\d+)*)(?:-([a-z]+)(\d*))?")


@total_ordering
@dataclass(frozen=True)
class Version:
    """Numbers, and for a version on trial a label (alpha, beta, rc) with a serial number."""

    numbers: tuple[int, ...]
    label: str = ""
    serial: int = 0

    @classmethod
    def parse(cls, text: str) -> Version:
        found = PATTERN.fullmatch(text.strip())
        if not found:
            raise ValueError(f"{text!r} is not a version")
        numbers = [int(part) for part in found[1].split(".")]
        while len(numbers) > 1 and numbers[-1] == 0:
            numbers.pop()
        return cls(tuple(numbers), found[2] or "", int(found[3] or 0))

    @property
    def is_stable(self) -> bool:
        return not self.label

    def _key(self) -> tuple[tuple[int, ...], str, int]:
        return (self.numbers, self.label, self.serial)

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()
