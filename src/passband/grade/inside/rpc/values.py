"""Immutable values of the standard library that cross as data: exact types only, rebuilt from plain parts."""

from __future__ import annotations

import datetime as dt
import importlib
import re
import sys
from typing import TYPE_CHECKING, Any

from passband.grade.inside.rpc.wire import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["decode_value", "encode_value", "is_value", "plain_value", "value_base", "value_class"]

# What these hold is small, and what a test does with it need not be: a bound for each.
_MAX_DIGITS, _MAX_PATTERN = 10_000, 1 << 16
_FRACTION = re.compile(r"-?\d{1,5000}(/\d{1,5000})?")
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{,63}")
_FLAGS = ~re.DEBUG  # it prints, where nobody asked


def _zone(value: dt.tzinfo | None) -> list[Any] | None:
    if value is None:
        return None
    if type(value).__name__ == "ZoneInfo" and is_value(type(value)):
        return _key(value)
    if type(value) is not dt.timezone:
        raise ValueError("only fixed offsets and zones with a name cross")
    offset = value.utcoffset(None)
    return [offset.days, offset.seconds, offset.microseconds, value.tzname(None)]


def _unzone(parts: list[Any] | None) -> dt.tzinfo | None:
    if parts is None:
        return None
    if len(parts) == 1:
        return _zone_of_key(parts)
    offset = dt.timedelta(*parts[:3])
    plain = dt.timezone(offset)
    return plain if plain.tzname(None) == parts[3] else dt.timezone(offset, parts[3])


def _key(value: Any) -> list[Any]:
    if type(value.key) is not str:
        raise ValueError("only zones with a name cross")
    return [value.key]


def _zone_of_key(parts: list[Any]) -> dt.tzinfo:
    if not _ZONE.fullmatch(parts[0]):
        raise ValueError("no name of a zone")
    zone: dt.tzinfo = importlib.import_module("zoneinfo").ZoneInfo(parts[0])
    return zone


def _moment(value: dt.datetime) -> list[Any]:
    return [*value.timetuple()[:6], value.microsecond, _zone(value.tzinfo), value.fold]


def _unmoment(parts: list[Any]) -> dt.datetime:
    year, month, day, hour, minute, second, micro, zone, fold = parts
    return dt.datetime(year, month, day, hour, minute, second, micro, tzinfo=_unzone(zone), fold=fold)


def _clock(value: dt.time) -> list[Any]:
    return [value.hour, value.minute, value.second, value.microsecond, _zone(value.tzinfo), value.fold]


def _unclock(parts: list[Any]) -> dt.time:
    hour, minute, second, micro, zone, fold = parts
    return dt.time(hour, minute, second, micro, tzinfo=_unzone(zone), fold=fold)


def _plain_slice(value: slice) -> list[Any]:
    parts = [value.start, value.stop, value.step]
    if not all(p is None or type(p) is int for p in parts):
        raise ValueError("only slices of integers cross")
    return parts


def _plain_pattern(value: re.Pattern[Any]) -> list[Any]:
    text, of_bytes = value.pattern, type(value.pattern) is bytes
    return [text.decode("latin-1") if of_bytes else text, value.flags & _FLAGS, of_bytes]


def _pattern(parts: list[Any]) -> re.Pattern[Any]:
    text, flags, of_bytes = parts
    if len(text) > _MAX_PATTERN:
        raise ValueError("too long")
    return re.compile(text.encode("latin-1") if of_bytes else text, flags & _FLAGS)


def _plain_decimal(value: Any) -> list[Any]:
    plain = importlib.import_module("decimal").Decimal(value)
    if plain.is_finite() and abs(plain.adjusted()) > _MAX_DIGITS:
        raise ValueError("only decimals of some thousand digits cross")
    return [str(plain)]


def _decimal(parts: list[Any]) -> Any:
    made = importlib.import_module("decimal").Decimal(parts[0])
    _plain_decimal(made)
    return made


def _fraction(parts: list[Any]) -> Any:
    # Not the other forms that it reads: one of them is a power of ten, of any size.
    if not _FRACTION.fullmatch(parts[0]):
        raise ValueError("not numerator and denominator")
    return importlib.import_module("fractions").Fraction(parts[0])


_Parts = tuple["Callable[[Any], list[Any]]", "Callable[[list[Any]], Any]"]
_TYPES: dict[type, _Parts] = {
    complex: (lambda v: [v.real, v.imag], lambda p: complex(float(p[0]), float(p[1]))),
    range: (lambda v: [v.start, v.stop, v.step], lambda p: range(*p)),
    slice: (_plain_slice, lambda p: slice(*_plain_slice(slice(*p)))),
    type(...): (lambda _v: [], lambda _p: ...),
    type(NotImplemented): (lambda _v: [], lambda _p: NotImplemented),
    dt.date: (lambda v: [v.year, v.month, v.day], lambda p: dt.date(*p)),
    dt.time: (_clock, _unclock),
    dt.datetime: (_moment, _unmoment),
    dt.timedelta: (lambda v: [v.days, v.seconds, v.microseconds], lambda p: dt.timedelta(*p)),
    dt.timezone: (lambda v: _zone(v) or [], _unzone),
    re.Pattern: (_plain_pattern, _pattern),
}
_NAMES = {kind.__name__: parts[1] for kind, parts in _TYPES.items()}


def _by_text(module: str, name: str) -> _Parts:
    return (lambda v: [str(v)], lambda p: getattr(importlib.import_module(module), name)(p[0]))


# A value of these has its module loaded already: it is not loaded here, since every fork would carry it along.
_LATE: dict[str, tuple[str, _Parts]] = {
    "Decimal": ("decimal", (_plain_decimal, _decimal)),
    "Fraction": ("fractions", (lambda v: [f"{v.numerator}/{v.denominator}"], _fraction)),
    "UUID": ("uuid", (lambda v: [v.hex], lambda p: importlib.import_module("uuid").UUID(p[0]))),
    "ZoneInfo": ("zoneinfo", (_key, _zone_of_key)),
    "PurePosixPath": ("pathlib", _by_text("pathlib", "PurePosixPath")),
    "PosixPath": ("pathlib", _by_text("pathlib", "PosixPath")),
}
_NAMES.update({name: parts[1] for name, (_module, parts) in _LATE.items()})


def is_value(kind: type) -> bool:
    """Whether instances of exactly this type cross by value."""
    if kind in _TYPES:
        return True
    late = _LATE.get(kind.__name__)
    if late is None or getattr(sys.modules.get(late[0]), kind.__name__, None) is not kind:
        return False
    _TYPES[kind] = late[1]
    return True


def encode_value(value: Any) -> list[Any]:
    """Take a value apart, of a type that :func:`is_value` knows.

    Raises
    ------
    ValueError
        For the few values of these types that do not cross, such as a time in a zone with a name.
    """
    return [type(value).__name__, *_TYPES[type(value)][0](value)]


def plain_value(value: Any, kind: type) -> Any:
    """Return the value of a type that :func:`is_value` knows which an instance of a class that extends it has.

    Raises
    ------
    ValueError
        Where that does not cross.
    """
    take, make = _TYPES[kind]
    return make(take(value))


def value_base(cls: type) -> type | None:
    """Return the type that :func:`is_value` knows and that a class extends; None where there is none."""
    return next((base for base in cls.__mro__[1:] if is_value(base)), None)


def value_class(name: Any) -> type | None:
    """Return the type of that name that :func:`is_value` knows, if it is loaded; None where there is none."""
    found = next((kind for kind in _TYPES if kind.__name__ == name), None)
    if found is None and type(name) is str and name in _LATE:
        found = getattr(sys.modules.get(_LATE[name][0]), name, None)
    return found if type(found) is type else None  # an abstract base class lets no stand-in be made of it


def decode_value(parts: Any) -> Any:
    """Put a value together.

    Raises
    ------
    ProtocolError
        For parts that make none.
    """
    if type(parts) is not list or not parts or parts[0] not in _NAMES:
        raise ProtocolError("an unknown kind of value")
    try:
        return _NAMES[parts[0]](parts[1:])
    except Exception as error:
        raise ProtocolError(f"a {parts[0]} that is none: {error}") from None
