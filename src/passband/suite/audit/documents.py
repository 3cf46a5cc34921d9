"""What a subject may have been trained on: documents, one after another."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from passband.errors import SuiteError
from passband.suite.load import load_suite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from passband.records import EvalCase

__all__ = ["Document", "case_text", "documents", "hidden_text", "solution_text"]

_LARGEST = 200_000  # characters of one file; what is longer is data, not text that a task is made of


@dataclass(frozen=True, slots=True)
class Document:
    """A piece of training text."""

    id: str
    text: str
    task: str | None = None
    """The part of it that shows a task, where that is known."""


def case_text(case: EvalCase) -> str:
    """What a case shows a subject: the strings of its inputs, and the text files of its workspace."""
    return "\n".join([*_strings(case.inputs), *_files(case.workspace)])


def solution_text(case: EvalCase) -> str:
    """What only an answer holds: added lines of a patch, or the reference's strings."""
    text = "\n".join(_strings(case.reference))
    added = [line[1:] for line in text.splitlines() if line.startswith("+") and not line.startswith("+++")]
    if added:
        return "\n".join(added)
    # Search/replace blocks: what stands after the bar.
    replaced = [block.split("\n>>>>>>>")[0] for block in text.split("=======\n")[1:]]
    return "\n".join(replaced) if replaced else text


def hidden_text(case: EvalCase) -> str:
    """What only a grader holds: the text files of the hidden tests."""
    return "\n".join(_files(case.hidden))


def documents(source: str) -> Iterator[Document]:
    """Read training documents.

    Parameters
    ----------
    source : str
        A ``.jsonl`` file whose lines hold ``text`` (and ``id``); a folder of text files without a ``suite.toml``; or a
        suite as for :func:`passband.suite.load_suite`, of which a case is a document, its reference included.

    Raises
    ------
    SuiteError
        Where a line or file can't be read, or where there is no document at all.
    """
    found = 0
    for document in _read(source):
        found += 1
        yield document
    if not found:
        raise SuiteError("holds no document", where=source, fix="- audits without training data")


def _read(source: str) -> Iterator[Document]:
    path = Path(source)
    if path.suffix == ".jsonl" and path.is_file() and _is_text(path):
        yield from _lines(path)
    elif path.is_dir() and not (path / "suite.toml").is_file():
        for file in sorted(entry for entry in path.rglob("*") if entry.is_file()):
            yield Document(str(file.relative_to(path)), file.read_text(encoding="utf-8", errors="replace")[:_LARGEST])
    else:
        for case in load_suite(source):
            task = case_text(case)
            yield Document(case.id, "\n".join([task, *_strings(case.reference)]), task)


def _is_text(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as stream:
        first = next((line for line in stream if line.strip()), "{}")
    try:
        value = json.loads(first)
    except json.JSONDecodeError:
        return False
    return isinstance(value, dict) and isinstance(value.get("text"), str)


def _lines(path: Path) -> Iterator[Document]:
    with path.open(encoding="utf-8") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
                yield Document(str(value.get("id", number)), value["text"])
            except (json.JSONDecodeError, KeyError, TypeError, AttributeError):
                raise SuiteError("is no document: an object with a text", where=f"{path}:{number}") from None


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
    elif hasattr(value, "items"):
        for _, item in sorted(value.items()):
            yield from _strings(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _files(files: Mapping[str, bytes]) -> Iterator[str]:
    for name, data in sorted(files.items()):
        if not name.startswith(".git/") and len(data) <= _LARGEST:
            try:
                yield data.decode()
            except UnicodeDecodeError:
                continue
