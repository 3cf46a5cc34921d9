"""Records to bytes and back, and their published schema."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from passband.errors import DataError
from passband.records.case import EvalCase
from passband.records.harness import RunHeader
from passband.records.sample import CaseResult, Sample

__all__ = ["SCHEMA_VERSION", "decode", "encode", "json_schema"]

SCHEMA_VERSION = 1
"""Moves when a stored record could no longer be read by the code of the version before."""

T = TypeVar("T")


def _plain(value: Any) -> Any:
    if isinstance(value, MappingProxyType):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not part of any record")


def encode(record: Any) -> bytes:
    """JSON bytes of a record; byte strings become base64 text."""
    return msgspec.json.encode(record, enc_hook=_plain)


def decode(data: bytes, type_: type[T], *, where: str = "record") -> T:
    """Read a record back, strictly.

    Raises
    ------
    DataError
        Where a field is missing, unknown or of the wrong type: the message carries its path.
    """
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DataError(str(error), where=where) from None


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of the public records, versioned by :data:`SCHEMA_VERSION`."""
    (_, components) = msgspec.json.schema_components(
        [EvalCase, Sample, CaseResult, RunHeader], ref_template="#/$defs/{name}"
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Passband records",
        "version": SCHEMA_VERSION,
        "$defs": dict(sorted(components.items())),
    }
