"""Files that people write, in TOML: read strictly, and a fault is pointed at."""

from __future__ import annotations

import difflib
import re
import tomllib
from typing import TYPE_CHECKING, Any, Self, TypeVar

import msgspec

from passband.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["TomlError", "read_toml"]

_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_Kinds = dict[str, type[msgspec.Struct]]


class TomlError(UsageError):
    """A file that can't be read, or says what it can't say.

    Attributes
    ----------
    snippet : str
        The line and a caret under the fault; empty where there is none to show.
    """

    snippet: str = ""

    @classmethod
    def at(
        cls,
        what: str,
        text: str,
        path: Path,
        *,
        rule: int | None = None,
        key: str | None = None,
        fix: str | None = None,
    ) -> Self:
        """Make an error that points at a key, or at the head of a rule."""
        line, column, length = _find(text, rule, key)
        return cls._pointing(what, text, path, (line, column, length), fix)

    @classmethod
    def at_syntax(cls, message: str, text: str, path: Path) -> Self:
        """Make an error of what the TOML reader said."""
        found = re.search(r"^(.*?) \(at line (\d+), column (\d+)\)$", message)
        lines = text.splitlines() or [""]
        if found is None:  # at the end of the document
            what, line, column = message.partition(" (at end")[0], len(lines), len(lines[-1]) + 1
        else:
            what, line, column = found[1], int(found[2]), int(found[3])
        return cls._pointing(what[0].lower() + what[1:], text, path, (line, column, 1), None)

    @classmethod
    def _pointing(cls, what: str, text: str, path: Path, place: tuple[int, int, int], fix: str | None) -> Self:
        line, column, length = place
        error = cls(what, where=f"{path}:{line}:{column}", fix=fix)
        lines = text.splitlines()
        if line <= len(lines):
            shown = lines[line - 1].replace("\t", " ")
            error.snippet = f"{line:5} | {shown}\n      | {' ' * (column - 1)}{'^' * max(length, 1)}"
        return error


def _find(text: str, rule: int | None, key: str | None) -> tuple[int, int, int]:
    """Line, column (from 1) and length of a key of the nth rule or of the top, or of the rule's head."""
    current = -1
    head = (1, 1, 1)
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*\[\[\s*rule\s*\]\]", line):
            current += 1
            if current == rule:
                head = (number, line.index("[") + 1, len(line.strip().split("#")[0].strip()))
        if key is not None and current == (-1 if rule is None else rule):
            found = re.match(rf"(\s*)([\"']?{re.escape(key)}[\"']?)\s*=\s*([^#]*)", line)
            if found:
                return number, len(found[1]) + 1, len(found[2])
    return head


def read_toml(
    path: Path,
    top: type[_Struct],
    *,
    error: type[TomlError] = TomlError,
    kinds: Mapping[str, type[msgspec.Struct]] | None = None,
    start: str,
) -> tuple[_Struct, str]:
    """Read a file into a struct; return it and the text it came from.

    Parameters
    ----------
    path : Path
        The file. A top-level ``$schema`` is for editors and is left out.
    top : type
        The struct of the file, which forbids unknown fields.
    error : type
        What to raise.
    kinds : mapping of str to type, optional
        The kinds of ``[[rule]]`` there are, where the file has rules.
    start : str
        What to do where there is no such file.

    Raises
    ------
    TomlError
        With file, line and column, and the line itself with a caret in :attr:`TomlError.snippet`.
    """
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        raise error("there is no such file", where=str(path), fix=start) from None
    except OSError as fault:
        raise error(f"cannot be read: {fault.strerror}", where=str(path)) from None
    except UnicodeDecodeError as fault:
        raise error(f"cannot be read: {fault}", where=str(path)) from None
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise error.at_syntax(str(fault), text, path) from None
    data.pop("$schema", None)
    try:
        return msgspec.convert(data, top), text
    except msgspec.ValidationError as fault:
        raise _located(error, fault, text, path, dict(kinds or {}), top) from None


def _located(
    error: type[TomlError],
    fault: msgspec.ValidationError,
    text: str,
    path: Path,
    kinds: _Kinds,
    top: type[msgspec.Struct],
) -> TomlError:
    """Turn what the decoder said into an error that points at the line."""
    what, _, place = str(fault).partition(" - at `")
    steps = place.rstrip("`")
    inside = re.match(r"\$\.rule\[(\d+)\](?:\.(\w+))?", steps)
    rule = int(inside[1]) if inside else None
    key = inside[2] if inside else (re.match(r"\$\.(\w+)", steps) or [None, None])[1]
    unknown = re.search(r"unknown field `(.+?)`", what)
    missing = re.search(r"missing required field `(.+?)`", what)
    given = re.search(r"[Ii]nvalid (?:enum )?value '(.+?)'", what)
    if unknown:
        known = _fields(text, rule, kinds, top)
        return _misspelt(error, "unknown key", unknown[1], known, text, path, rule, unknown[1])
    if missing:
        return error.at(f"{missing[1]} is missing", text, path, rule=rule, fix=f"add {missing[1]} = …")
    if rule is not None and (key == "kind" or "Invalid value" in what):
        named = given[1] if given else ""
        return _misspelt(error, "unknown kind of rule", named, list(kinds), text, path, rule, "kind")
    if given and key and rule is None:
        return _misspelt(error, f"unknown {key}", given[1], _choices(top, key), text, path, None, key)
    return error.at(what[0].lower() + what[1:].replace("`", ""), text, path, rule=rule, key=key)


def _misspelt(
    error: type[TomlError],
    what: str,
    name: str,
    known: list[str],
    text: str,
    path: Path,
    rule: int | None,
    key: str,
) -> TomlError:
    close = difflib.get_close_matches(name, known, n=1)
    fix = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    return error.at(f"{what} {name!r}", text, path, rule=rule, key=key, fix=fix)


def _choices(top: type[msgspec.Struct], key: str) -> list[str]:
    """What a field of literals may say."""
    field = next((found for found in msgspec.structs.fields(top) if found.name == key), None)
    return [str(value) for value in getattr(field.type, "__args__", ())] if field else []


def _fields(text: str, rule: int | None, kinds: _Kinds, top: type[msgspec.Struct]) -> list[str]:
    if rule is None:
        return list(top.__struct_fields__)
    line, _, _ = _find(text, rule, "kind")
    found = re.search(r"=\s*[\"'](\w+)[\"']", text.splitlines()[line - 1])
    kind = kinds.get(found[1]) if found else None
    return ["kind", *kind.__struct_fields__] if kind else ["kind"]
