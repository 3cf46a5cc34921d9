"""Prompt templates: files, so that a prompt can be read, edited and named by its hash."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from passband.errors import UsageError
from passband.subject.chat.messages import Message

if TYPE_CHECKING:
    from passband.subject.base import CaseView

__all__ = ["TEMPLATES", "Template", "load_template"]

TEMPLATES = ("answer", "patch", "agent")
"""The templates that come with the package."""

_HOLE = re.compile(r"\{\{\s*([a-z_]+(?:\.[A-Za-z0-9_-]+)?)\s*\}\}")
_BREAK = re.compile(r"^---\n", re.MULTILINE)


class Template:
    """A text with holes.

    ``{{ id }}``, ``{{ inputs.NAME }}``, ``{{ inputs }}`` (all of them), ``{{ files }}`` (the workspace, each file under
    its path) and ``{{ paths }}`` are filled in from the case. A line ``---`` parts the system message from the user's.

    Parameters
    ----------
    text : str
        The template.
    where : str
        What to call it in messages.
    """

    def __init__(self, text: str, *, where: str) -> None:
        self._where = where
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        parts = _BREAK.split(text, maxsplit=1)
        self._parts = [part.strip("\n") for part in parts]
        for name in _HOLE.findall(text):
            if name not in {"id", "inputs", "files", "paths"} and not name.startswith("inputs."):
                raise UsageError(f"has a hole {{{{ {name} }}}} that nothing fills", where=where)

    def render(self, view: CaseView) -> list[Message]:
        """Fill the holes for one case.

        Raises
        ------
        UsageError
            Where the case has no input of a name the template wants.
        """
        texts = [_HOLE.sub(lambda hole: self._fill(hole[1], view), part) for part in self._parts]
        if len(texts) == 1:
            return [Message(role="user", text=texts[0])]
        return [Message(role="system", text=texts[0]), Message(role="user", text=texts[1])]

    def _fill(self, name: str, view: CaseView) -> str:
        if name == "id":
            return view.id
        if name == "paths":
            return "\n".join(sorted(view.workspace))
        if name == "files":
            return "\n\n".join(f"=== {path}\n{_text(data)}" for path, data in sorted(view.workspace.items()))
        if name == "inputs":
            return "\n\n".join(f"{key}: {value}" for key, value in view.inputs.items())
        key = name.removeprefix("inputs.")
        if key not in view.inputs:
            raise UsageError(f"case {view.id} has no input {key!r}", where=self._where)
        return str(view.inputs[key])


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return f"({len(data)} bytes that are not text)"


def load_template(name: str) -> Template:
    """Load a template of the package by name, or a file by path.

    Raises
    ------
    UsageError
        Where it cannot be read.
    """
    if name in TEMPLATES:
        text = files("passband.subject.chat").joinpath("templates", f"{name}.md").read_text(encoding="utf-8")
        return Template(text, where=name)
    try:
        return Template(Path(name).read_text(encoding="utf-8"), where=name)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"cannot be read: {error}", where=f"template {name}", fix=f"give a file, or one of {', '.join(TEMPLATES)}"
        ) from None
