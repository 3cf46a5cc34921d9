"""Any result as JSON: field names are those of the dataclasses and stay."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["to_json"]


def _plain(value: Any) -> Any:
    if hasattr(value, "items"):
        return dict(value)
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")


def to_json(result: Any, *, indent: int = 2) -> str:
    """Render a result; ``indent=0`` gives one line.

    Parameters
    ----------
    result : dataclass, struct, or plain data
        Numbers are finite by construction; bytes become base64 text.
    """
    data = msgspec.json.encode(result, enc_hook=_plain)
    return (msgspec.json.format(data, indent=indent) if indent else data).decode()
