"""Laying one mapping over another."""

from collections.abc import Mapping
from typing import Any


def overlay(base: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``base`` with ``changes`` on top.

    Mappings are merged key by key; ``name+`` adds to the list ``name``; anything else replaces.
    """
    result = dict(base)
    for key, value in changes.items():
        if key.endswith("+"):
            target = result.setdefault(key[:-1], [])
            target += value
        elif isinstance(value, Mapping) and isinstance(result.get(key), dict):
            for name, merged in overlay(result[key], value).items():
                result[key][name] = merged
        else:
            result[key] = value
    return result
