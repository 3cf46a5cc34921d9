"""File names in a patch: reading them, and what makes one dangerous wherever the tree may be written."""

from __future__ import annotations

import re
import unicodedata

from passband.grade.patch.result import RefusalError, shown

__all__ = ["canonical", "folded", "streamless", "unquote", "unsafe"]

_MAX_NAME = 1024  # bytes; PATH_MAX is 4096, and the tree hangs somewhere below a root of its own
_MAX_PART = 255  # bytes; NAME_MAX
_MAX_DEPTH = 64

_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"t": b"\t",
    b"n": b"\n",
    b"v": b"\v",
    b"f": b"\f",
    b"r": b"\r",
    b'"': b'"',
    b"\\": b"\\",
}
_QUOTED = re.compile(rb'"((?:[^"\\\n]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)", re.DOTALL)


def unquote(raw: bytes) -> tuple[bytes, bytes]:
    r"""Read a C-quoted name as git writes it (``"a/t\303\251.py"``) and return it with what follows the quotes."""
    match = _QUOTED.match(raw)
    if not match:
        raise RefusalError(f"the quoted file name {shown(raw)} has no closing quote")

    def decoded(escape: re.Match[bytes]) -> bytes:
        code = escape[1]
        if len(code) == 3:
            return bytes([int(code, 8)])
        if code not in _ESCAPES:
            raise RefusalError(f"the quoted file name {shown(raw)} holds an unknown escape")
        return _ESCAPES[code]

    return _ESCAPE.sub(decoded, match[1]), raw[match.end() :]


def canonical(raw: bytes | str) -> str:
    """Turn a name into the key of a tree: UTF-8, without empty and ``.`` components.

    A leading slash and ``..`` stay: they are for :func:`unsafe` to see.

    Raises
    ------
    RefusalError
        For a name that is empty, too long, not UTF-8, or a folder's.
    """
    try:
        data = raw.encode() if isinstance(raw, str) else raw
        name = data.decode()
    except UnicodeError:
        raise RefusalError(f"the file name {shown(raw)} is not UTF-8") from None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if not parts or name.endswith(("/", "/.")):
        raise RefusalError(f"{shown(name)} does not name a file")
    if len(data) > _MAX_NAME or len(parts) > _MAX_DEPTH or any(len(part.encode()) > _MAX_PART for part in parts):
        raise RefusalError(f"the file name {shown(name)} is too long or too deep")
    return ("/" if name.startswith("/") else "") + "/".join(parts)


def _normal(name: str) -> str:
    """Every spelling some file system takes for the same name, as one: case, Unicode forms, invisible characters."""
    if name.isascii():
        return name.lower()
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return unicodedata.normalize("NFKC", "".join(ch for ch in text if unicodedata.category(ch) != "Cf"))


def folded(name: str) -> str:
    """Reduce a name, or a glob, to the form in which look-alikes are compared.

    NFKC, case folded, format characters left out (HFS+ ignores them), and without the dots and spaces at the end of a
    component (NTFS drops them): two names with one folded form may be one file on another disk.
    """
    return "/".join(part.rstrip(". ") for part in _normal(name).split("/"))


def streamless(name: str) -> str:
    """Leave out what follows a colon in each component: on NTFS ``x.py::$DATA`` is the file ``x.py`` itself."""
    return "/".join(part.partition(":")[0] for part in name.split("/"))


def unsafe(name: str) -> str | None:
    r"""Say why a canonical name must not be touched whatever the policy, or None.

    Both the name and its normalised spelling are looked at, so that a fullwidth ``．．`` or ``＼`` is no way around.
    """
    if any(unicodedata.category(ch) in {"Cc", "Zl", "Zp"} for ch in name):
        return "holds a control character"
    for form in (name, _normal(name)):
        if "\\" in form:
            return "holds a backslash, a separator on other systems"
        if form.startswith("/"):
            return "is absolute"
        if re.match(r"[A-Za-z]:", form):
            return "starts with a drive letter"
        parts = streamless(form).split("/")
        if any(part.rstrip(" ") == ".." for part in parts):
            return "climbs out with '..'"
        # Git itself bars the 8.3 short name too: on NTFS git~1 opens .git.
        if any(part.rstrip(". ").lower() in {".git", "git~1"} for part in parts):
            return "lies inside the repository's own .git"
    return None
