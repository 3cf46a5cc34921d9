"""What holds when a profile says nothing."""

from typing import Any


class MemorySink:
    """A log sink that remembers; one for the whole process."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(line)


def make_defaults() -> dict[str, Any]:
    """A fresh set of defaults."""
    return {
        "log": {"level": "info", "format": {"colour": True, "width": 80}},
        "plugins": ["core"],
        "paths": [],
        "sink": MemorySink(),
    }
