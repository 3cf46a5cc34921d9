"""What a field may say, where it says something else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import msgspec

from passband.errors import UnknownNameError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["unknown_choice"]


def unknown_choice(error: msgspec.ValidationError, kind: Any, *, where: str) -> UnknownNameError | None:
    """Name the values that a field may have, of which the decoder says no more than that this is none.

    Parameters
    ----------
    error : msgspec.ValidationError
        What converting to `kind` raised.
    kind : type
        A struct, or a union of structs.
    where : str
        Where the field stands.

    Returns
    -------
    UnknownNameError or None
        None where the fault is another one.
    """
    found = re.fullmatch(r"Invalid enum value '?(.*?)'? - at `\$\.([\w.]+)`", str(error), re.DOTALL)
    if found is None:
        return None
    given, path = found[1], found[2]
    kinds = [kind]
    for step in path.split("."):
        kinds = [field.type for one in kinds for field in _fields(one) if field.name == step]
    choices = dict.fromkeys(str(value) for one in kinds for value in _values(one))
    return UnknownNameError(path, given, choices, where=where)


def _fields(kind: Any) -> Iterator[msgspec.structs.FieldInfo]:
    for one in (kind, *get_args(kind)):
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            yield from msgspec.structs.fields(one)


def _values(kind: Any) -> Iterator[Any]:
    for one in (kind, *get_args(kind)):
        if get_origin(one) is Literal:
            yield from get_args(one)
