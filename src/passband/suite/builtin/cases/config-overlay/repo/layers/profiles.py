"""Named profiles over one set of defaults."""

from collections.abc import Mapping
from typing import Any

from layers.merge import overlay


class UnknownProfile(KeyError):
    """No profile of that name."""


class Profiles:
    """The defaults and the changes each profile makes."""

    def __init__(self, defaults: dict[str, Any], changes: Mapping[str, Mapping[str, Any]]) -> None:
        self.defaults = defaults
        self.changes = changes

    def load(self, name: str) -> dict[str, Any]:
        if name not in self.changes:
            raise UnknownProfile(name)
        return overlay(self.defaults, self.changes[name])


def lookup(settings: Mapping[str, Any], path: str) -> Any:
    """Read a dotted path such as ``log.format.width``."""
    value: Any = settings
    for part in path.split("."):
        value = value[part]
    return value
