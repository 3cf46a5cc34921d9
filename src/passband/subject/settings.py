"""Settings of a subject, from ``--set NAME=VALUE``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from passband.errors import UnknownNameError, UsageError
from passband.records import unknown_choice

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["is_base_url", "read_settings"]

T = TypeVar("T", bound=msgspec.Struct)


def read_settings(given: Mapping[str, str], kind: type[T]) -> T:
    """Read settings into a struct.

    Raises
    ------
    UnknownNameError
        For a name it does not have, and for a value that is none of those a setting may have.
    UsageError
        For a value of the wrong kind.
    """
    fields = {field.name for field in msgspec.structs.fields(kind)}
    for name in given:
        if name not in fields:
            raise UnknownNameError("setting", name, fields, where="--set")
    try:
        found = msgspec.convert(dict(given), kind, strict=False, dec_hook=_construct)
    except msgspec.ValidationError as error:
        raise unknown_choice(error, kind, where="--set") or UsageError(str(error), where="--set") from None
    for name, text in given.items():
        value = getattr(found, name)
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"is {text}, which is no number", where=f"--set {name}")
    return found


def _construct(kind: type[Any], value: Any) -> Any:
    return kind(value)


def is_base_url(text: str) -> bool:
    """Whether it is an address that requests can be sent to."""
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is none, a bracket that is not closed
        return False
