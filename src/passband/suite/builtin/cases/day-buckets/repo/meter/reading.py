"""What a meter sends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Reading:
    """Energy in watt hours since the reading before, with a stamp in UTC."""

    stamp: datetime
    energy: int

    @classmethod
    def parse(cls, line: str) -> Reading:
        """Read ``2024-03-01T02:45 120``."""
        stamp, energy = line.split()
        return cls(datetime.fromisoformat(stamp), int(energy))
