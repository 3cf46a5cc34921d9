"""Where in a policy file an error sits."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING, Self

from passband.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    import msgspec

__all__ = ["PolicyError", "locate"]


class PolicyError(UsageError):
    """A policy file that can't be read.

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


def locate(
    error: msgspec.ValidationError,
    text: str,
    path: Path,
    *,
    rules: dict[str, type[msgspec.Struct]],
    top: type[msgspec.Struct],
) -> PolicyError:
    """Turn what the decoder said into an error that points at the line.

    Parameters
    ----------
    error : msgspec.ValidationError
        The decoder's: it names the path of the value.
    text, path : str, Path
        The file.
    rules : dict
        The kinds of rules there are.
    top : type
        The struct of the file.
    """
    what, _, place = str(error).partition(" - at `")
    steps = place.rstrip("`")
    inside = re.match(r"\$\.rule\[(\d+)\](?:\.(\w+))?", steps)
    rule = int(inside[1]) if inside else None
    key = inside[2] if inside else (re.match(r"\$\.(\w+)", steps) or [None, None])[1]
    unknown = re.search(r"unknown field `(.+?)`", what)
    missing = re.search(r"missing required field `(.+?)`", what)
    if unknown:
        known = _fields(text, rule, rules, top)
        return _misspelt("unknown key", unknown[1], known, text, path, rule, unknown[1])
    if missing:
        return PolicyError.at(f"a {missing[1]} is missing", text, path, rule=rule, fix=f"add {missing[1]} = …")
    if key == "kind" or "Invalid value" in what:
        given = re.search(r"value '(.+?)'", what)
        return _misspelt("unknown kind of rule", given[1] if given else "", list(rules), text, path, rule, "kind")
    return PolicyError.at(what[0].lower() + what[1:].replace("`", ""), text, path, rule=rule, key=key)


def _misspelt(what: str, name: str, known: list[str], text: str, path: Path, rule: int | None, key: str) -> PolicyError:
    close = difflib.get_close_matches(name, known, n=1)
    fix = f"did you mean {close[0]!r}?" if close else f"there are: {', '.join(known)}"
    return PolicyError.at(f"{what} {name!r}", text, path, rule=rule, key=key, fix=fix)


def _fields(
    text: str, rule: int | None, rules: dict[str, type[msgspec.Struct]], top: type[msgspec.Struct]
) -> list[str]:
    if rule is None:
        return list(top.__struct_fields__)
    line, _, _ = _find(text, rule, "kind")
    found = re.search(r"=\s*[\"'](\w+)[\"']", text.splitlines()[line - 1])
    kind = rules.get(found[1]) if found else None
    return ["kind", *kind.__struct_fields__] if kind else ["kind"]
